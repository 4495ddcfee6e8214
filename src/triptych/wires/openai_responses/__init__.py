"""OpenAI Responses: ``convert`` (messages to a body), ``stream`` (a reply), ``from_payload`` (back)."""
