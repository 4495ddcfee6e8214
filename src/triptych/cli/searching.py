"""Passages of the notes, from an index that is brought up to date first."""

from __future__ import annotations

from typing import Any

from triptych.bootstrap.settings import Settings
from triptych.bootstrap.wiring import open_search, open_vault
from triptych.ports.search import SearchHit

__all__ = ["found_passages"]


async def found_passages(settings: Settings, words: str, limit: int, progress: Any) -> list[SearchHit]:
    """The best passages, best first."""
    async with open_search(settings, open_vault(settings)) as search:
        if search is None:
            return []
        await search.index(progress)
        return await search.query(words, limit=limit)
