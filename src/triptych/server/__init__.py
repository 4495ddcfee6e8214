"""The HTTP face: operations over msgspec values, live events, the page. See ``server.app.create_app``."""
