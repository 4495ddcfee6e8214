"""Keeping an index fresh while notes are edited: with ``watchfiles`` at once, without it by looking again."""

from __future__ import annotations

import importlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import anyio

from triptych.ports.search import Search

__all__ = ["keep_fresh"]

_LOOK_AGAIN_SECONDS = 10.0


async def keep_fresh(search: Search, root: Path) -> None:
    """Reindex what changes below the folder; runs until it is cancelled."""
    try:
        watchfiles: Any = importlib.import_module("watchfiles")
    except ImportError:
        await _look_again(search)
        return
    changes: AsyncIterator[set[tuple[Any, str]]] = watchfiles.awatch(root, rust_timeout=1000)
    async for changed in changes:
        for path in sorted({path for _, path in changed}):
            inside = _inside(path, root)
            if inside is not None:
                await search.reindex(inside)


async def _look_again(search: Search) -> None:
    while True:
        await anyio.sleep(_LOOK_AGAIN_SECONDS)
        await search.index()


def _inside(path: str, root: Path) -> str | None:
    """The path below the folder with ``/``; None for hidden files and folders."""
    for folder in (root, root.resolve()):
        if Path(path).is_relative_to(folder):
            parts = Path(path).relative_to(folder).parts
            return None if not parts or any(part.startswith(".") for part in parts) else "/".join(parts)
    return None
