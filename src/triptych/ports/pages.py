"""Pages of the web, as readable text."""

from __future__ import annotations

from typing import Protocol

import msgspec

from triptych.model.diagnostics import Diagnostic

__all__ = ["Page", "Pages"]


class Page(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What could be read of a page, and when it was read (epoch ms)."""

    url: str
    text: str
    title: str = ""
    fetched_at: int = 0


class Pages(Protocol):
    """Fetches pages; nothing on a private address is ever reached."""

    async def fetch(self, url: str) -> tuple[Page | None, tuple[Diagnostic, ...]]:
        """The page, or None with the reason."""
        ...
