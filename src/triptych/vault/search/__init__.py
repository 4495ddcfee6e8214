"""Lexical search over a vault, in an index file that can be rebuilt at will."""

from triptych.vault.search.search import VaultSearch

__all__ = ["VaultSearch"]
