"""What a turn is prepared with, and the texts that were stored before.

Not here: what is done with it (``turn``, ``epoch``, ``inspection``).
"""

from __future__ import annotations

import msgspec

from triptych.chat.open_conversation import OpenConversation
from triptych.chat.plan import Room
from triptych.chat.references import Reach
from triptych.context.envelope import Layout, Source
from triptych.context.tokens.counter import TokenCounter
from triptych.errors import StoreError
from triptych.model.diagnostics import Diagnostic
from triptych.model.ids import BlobDigest
from triptych.ports.blobs import BlobStore

__all__ = ["Bench", "read_texts"]


class Bench(msgspec.Struct, frozen=True, kw_only=True):
    """What a turn is prepared with: the conversation, the instructions, the project's sources, the window, the notes."""

    opened: OpenConversation
    system: str
    room: Room
    counter: TokenCounter
    reach: Reach
    shared: tuple[Source, ...] = ()
    layout: Layout = "append"
    noted: tuple[Diagnostic, ...] = ()
    blobs: BlobStore


async def read_texts(bench: Bench, digests: set[BlobDigest]) -> dict[BlobDigest, str]:
    """Texts by digest, from memory or the blob store; one that is lost is a ``StoreError``."""
    known = bench.opened.texts
    missing = [digest for digest in digests if digest not in known]
    if missing:
        bodies = await bench.blobs.get_blobs(missing)
        known |= {digest: body.decode("utf-8", "surrogatepass") for digest, body in bodies.items()}
    lost = [digest for digest in digests if digest not in known]
    if lost:
        raise StoreError(f"{len(lost)} stored texts of this conversation are missing; the store is damaged.")
    return {digest: known[digest] for digest in digests}
