"""Triptych: one conversation, three panels (record, display, prompt)."""
