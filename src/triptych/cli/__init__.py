"""The terminal: commands that call use cases and print. No rule of the house is decided here."""
