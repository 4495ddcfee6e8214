"""Vendors' words: one folder a wire format, the repair passes and the linter. Pure."""
