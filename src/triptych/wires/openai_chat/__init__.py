"""OpenAI Chat Completions, and the many servers that speak it: ``convert`` (messages to a body), ``stream`` (a reply), ``from_payload`` (back)."""
