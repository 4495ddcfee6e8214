"""One module a group of commands, each with ``register(app)``; ``main`` finds them here by itself."""
