"""From a user message to the request that answers it: sources, plan, envelope, prompt.

What the model already has is read off the envelopes on the path, so edits, regenerations, branch switches and
deletions come out right, and a reload changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from triptych.chat.open_conversation import OpenConversation
from triptych.chat.plan import Room, cut_history, shorten_sources
from triptych.chat.references import Reach, resolve_references
from triptych.context.envelope import Source, Turn, compose, held_sources
from triptych.context.envelope.assemble import (
    assemble,
    needed_texts,
    path_envelopes,
    since_cut,
)
from triptych.context.tokens.counter import TokenCounter
from triptych.errors import StoreError
from triptych.model.diagnostics import Diagnostic
from triptych.model.envelope import Envelope
from triptych.model.ids import BlobDigest, EnvelopeId, MessageId
from triptych.model.messages import Message, SystemMessage, UserMessage, message_text
from triptych.model.parts import ReferencePart
from triptych.ports.blobs import BlobStore
from triptych.views.display import to_row
from triptych.views.rows import shown_path

__all__ = ["Bench", "Prepared", "prepare_turn", "read_texts"]


class Bench(msgspec.Struct, frozen=True, kw_only=True):
    """What a turn is prepared with: the conversation, the window, the counter, the notes, the bodies."""

    opened: OpenConversation
    system: str
    room: Room
    counter: TokenCounter
    reach: Reach
    noted: tuple[Diagnostic, ...] = ()
    blobs: BlobStore


class Prepared(msgspec.Struct, frozen=True, kw_only=True):
    """A turn that is ready to be sent."""

    envelope: Envelope
    messages: tuple[Message, ...]
    sources: tuple[Source, ...]
    texts: dict[BlobDigest, str]
    diagnostics: tuple[Diagnostic, ...]


async def prepare_turn(bench: Bench, user: UserMessage, *, envelope_id: EnvelopeId, now: int) -> Prepared:
    """Read what is attached, plan, compose the envelope, assemble the prompt. Nothing is stored yet."""
    repository = bench.opened.repository
    references = [part.reference for part in user.parts if isinstance(part, ReferencePart)]
    sources, noted = await resolve_references(references, bench.reach)
    path = shown_path(repository, user.id)
    before = path_envelopes(path[:-1], repository.envelopes)
    texts = await read_texts(bench, needed_texts(before))
    words, instructions = message_text(user), _instructions(bench.system, path)
    own = bench.counter.text(instructions) + bench.counter.text(words)
    shortened, cuts = shorten_sources(sources, own, bench.room, bench.counter)
    turn = Turn(
        id=envelope_id,
        message_id=user.id,
        conversation_id=repository.conversation.id,
        revision=len(repository.envelopes(user.id)) + 1,
        system=instructions,
        text=words,
        sources=tuple(shortened),
        created_at=now,
        count=bench.counter.text,
    )
    planned, left = await _planned(bench, turn, path, before)
    composed = compose(planned)
    messages = assemble(path, repository.results, [*before, composed.envelope], texts | composed.texts)
    return Prepared(
        envelope=composed.envelope,
        messages=tuple(messages),
        sources=tuple(shortened),
        texts=composed.texts,
        diagnostics=(*bench.noted, *noted, *cuts, *left),
    )


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


def _instructions(system: str, path: Sequence[Message]) -> str:
    """The system text, then those of an imported tree."""
    imported = [message_text(message) for message in path if isinstance(message, SystemMessage)]
    return "\n\n".join(text for text in (system, *imported) if text)


async def _planned(
    bench: Bench, turn: Turn, path: Sequence[Message], before: Sequence[Envelope]
) -> tuple[Turn, tuple[Diagnostic, ...]]:
    """The turn in the running epoch or, when it does not fit there, as the first of a new one."""
    newest = before[-1] if before else None
    history = since_cut(path[:-1], newest)
    cut = (newest.detail or {}).get("cutId") if newest is not None else None
    running = msgspec.structs.replace(
        await _with_held(bench, turn, before, history),
        epoch=newest.epoch if newest is not None else 0,
        cut_id=MessageId(cut) if cut is not None else None,
    )
    sent = [to_row(message) for message in _as_sent(bench, history, before)]
    gone, left = cut_history(sent, _own_tokens(running, bench.counter), bench.room, bench.counter)
    if not left:
        return running, ()
    start = next(
        (place for place, one in enumerate(history) if gone < len(sent) and one.id == sent[gone]["id"]),
        len(history),
    )
    fresh = await _with_held(bench, turn, before, history[start:])
    cut_id = history[start].id if start < len(history) else turn.message_id
    return msgspec.structs.replace(fresh, epoch=running.epoch + 1, cut_id=cut_id), left


def _as_sent(bench: Bench, history: Sequence[Message], before: Sequence[Envelope]) -> list[Message]:
    """The history as the model reads it, without the system text and the library."""
    bare = [msgspec.structs.replace(one, detail=None) for one in before]
    sent = assemble(history, bench.opened.repository.results, bare, bench.opened.texts)
    return [message for message in sent if not isinstance(message, SystemMessage)]


async def _with_held(
    bench: Bench, turn: Turn, before: Sequence[Envelope], history: Sequence[Message]
) -> Turn:
    """The turn with what the model has from the turns that are still sent."""
    there = {message.id for message in history}
    held = held_sources(envelope for envelope in before if envelope.message_id in there)
    wanted = {held[source.key].digest for source in turn.sources if source.key in held}
    return msgspec.structs.replace(turn, held=held, bodies=await read_texts(bench, wanted))


def _own_tokens(turn: Turn, counter: TokenCounter) -> int:
    """What the turn's own layers cost, the library of the running epoch included."""
    composed = compose(turn)
    texts = (composed.texts.get(layer.digest, "") for layer in composed.envelope.layers)
    return sum(counter.text(text) for text in texts)
