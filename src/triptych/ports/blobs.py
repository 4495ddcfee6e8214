"""Bodies by content: segment bodies, system texts, attachments, raw source records."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from triptych.model.ids import BlobDigest

__all__ = ["BlobStore"]


class BlobStore(Protocol):
    """Bytes named by their own digest; putting the same bytes again costs nothing and changes nothing."""

    async def put_blobs(self, bodies: Iterable[bytes]) -> list[BlobDigest]:
        """Store bodies durably; their digests in order."""
        ...

    async def get_blobs(self, digests: Iterable[BlobDigest]) -> dict[BlobDigest, bytes]:
        """The bodies that are there; a missing digest is a missing key."""
        ...
