"""Ollama's native chat: ``convert`` (messages to a body), ``stream`` (a reply), ``from_payload`` (back)."""
