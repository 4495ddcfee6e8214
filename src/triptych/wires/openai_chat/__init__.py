<<<<<<< HEAD
"""OpenAI Chat Completions, as OpenAI and every compatible server speak it."""
=======
"""OpenAI Chat Completions, and the many servers that speak it: ``convert`` (messages to a body), ``stream`` (a reply), ``from_payload`` (back)."""
>>>>>>> wires
