"""The ``append`` layout: each source is given in full once, and history is never rendered again.

In the turn that first attaches a source its whole body goes in; kept and unchanged it is one line; changed it is
its exact changes, or the full new text where that is shorter; dropped it is a line that says so. The request of a
turn therefore extends the request of the turn before.

When the plan starts a new epoch, the carriers of older bodies leave the path: whatever the turn needs goes in full
again, and the prefix is stable from there.

Not here: reading sources (``chat.references``) and deciding when an epoch starts (``context.budget``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from triptych.context.envelope.blocks import changes_block, dropped_block, full_block, kept_block
from triptych.context.envelope.changes import find_spans
from triptych.context.envelope.sources import Source, distinct, source_digest
from triptych.model.digest import digest_text
from triptych.model.envelope import Envelope, Layer, LayerName, Segment
from triptych.model.ids import BlobDigest, ConversationId, EnvelopeId, MessageId

__all__ = ["Composed", "Held", "Turn", "compose", "held_sources"]


class Held(msgspec.Struct, frozen=True, kw_only=True):
    """What the model has of one source: the version of its body, and whether it is still attached."""

    digest: BlobDigest
    name: str
    attached: bool = True


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that the envelope of one turn is made of.

    Attributes:
        held: what the path before this turn holds, by key (see ``held_sources``).
        bodies: the held bodies by digest, for finding changes; one that is missing is given in full.
        epoch: how many times history was cut so far; ``cut_id`` names the first message that is still sent.
        library: the frozen L2 layer of the running epoch, as the envelope before this one has it.
        previous: sources for a new library, when this turn starts an epoch; then ``library`` is None.
        count: tokens of a text, told beside each segment.
    """

    id: EnvelopeId
    message_id: MessageId
    conversation_id: ConversationId
    revision: int
    system: str
    text: str
    sources: tuple[Source, ...] = ()
    held: Mapping[str, Held] = msgspec.field(default_factory=dict[str, Held])
    bodies: Mapping[BlobDigest, str] = msgspec.field(default_factory=dict[BlobDigest, str])
    epoch: int = 0
    cut_id: MessageId | None = None
    library: Layer | None = None
    previous: tuple[Source, ...] = ()
    created_at: int = 0
    count: Callable[[str], int] = len


class Composed(msgspec.Struct, frozen=True, kw_only=True):
    """An envelope with the texts that its digests name: all of it goes into the blob store."""

    envelope: Envelope
    texts: dict[BlobDigest, str]


class _Piece(msgspec.Struct, frozen=True):
    segment: Segment
    text: str
    body: str | None


def compose(turn: Turn) -> Composed:
    """The envelope of a turn. The same turn gives the same bytes, now and after a reload."""
    library = distinct(turn.previous)
    held = dict(turn.held) | {source.key: _in_library(source) for source in library}
    attached = distinct(turn.sources)
    pieces = [_counted(_piece(source, held, turn.bodies), turn.count) for source in attached]
    pieces += _dropped(held, {source.key for source in attached})
    shelves = [_counted(_full(source), turn.count) for source in library]
    layers = (
        _layer("system", _words("system", turn.system)),
        turn.library or _layer("previous", shelves),
        _layer("turn", pieces),
        _layer("user", _words("user", turn.text)),
    )
    texts = (turn.system, turn.text, _joined(shelves), _joined(pieces))
    bodies = (piece.body for piece in (*shelves, *pieces) if piece.body is not None)
    return Composed(
        envelope=_envelope(turn, layers), texts={digest_text(text): text for text in (*texts, *bodies)}
    )


def _in_library(source: Source) -> Held:
    return Held(digest=source_digest(source), name=source.title, attached=False)


def _words(kind: str, text: str) -> list[_Piece]:
    return [_Piece(Segment(key=kind, kind=kind, recoverable=False), text, None)] if text else []


def _joined(pieces: Sequence[_Piece]) -> str:
    return "\n\n".join(piece.text for piece in pieces)


def _envelope(turn: Turn, layers: tuple[Layer, ...]) -> Envelope:
    return Envelope(
        id=turn.id,
        message_id=turn.message_id,
        conversation_id=turn.conversation_id,
        revision=turn.revision,
        layers=layers,
        fingerprint=digest_text("\n".join(layer.fingerprint for layer in layers)),
        layout="append",
        epoch=turn.epoch,
        created_at=turn.created_at,
        detail={"cutId": turn.cut_id} if turn.cut_id is not None else None,
    )


def _layer(name: LayerName, pieces: Sequence[_Piece]) -> Layer:
    digest = digest_text(_joined(pieces))
    return Layer(
        name=name, digest=digest, fingerprint=digest, segments=tuple(piece.segment for piece in pieces)
    )


def _piece(source: Source, held: Mapping[str, Held], bodies: Mapping[BlobDigest, str]) -> _Piece:
    if source.kind == "error":
        return _Piece(_segment(source, "error"), full_block(source), source.body)
    known = held.get(source.key)
    if known is None:
        return _full(source)
    if known.digest == source_digest(source):
        return _Piece(_segment(source, "kept"), kept_block(source), None)
    old = bodies.get(known.digest)
    return _full(source) if old is None else _changed(source, old)


def _counted(piece: _Piece, count: Callable[[str], int]) -> _Piece:
    detail = (piece.segment.detail or {}) | {"tokens": count(piece.text)}
    return msgspec.structs.replace(piece, segment=msgspec.structs.replace(piece.segment, detail=detail))


def _full(source: Source) -> _Piece:
    return _Piece(_segment(source, "full"), full_block(source), source.body)


def _changed(source: Source, old: str) -> _Piece:
    full = _full(source)
    text = changes_block(source, find_spans(old, source.body))
    if len(text) >= len(full.text):
        return full
    return _Piece(_segment(source, "changes"), text, source.body)


def _segment(source: Source, form: str) -> Segment:
    return Segment(
        key=source.key,
        kind=source.kind,
        digest=source_digest(source),
        form=form,
        recoverable=source.recoverable,
        detail={"title": source.title, "bytes": len(source.body.encode("utf-8", "surrogatepass"))},
    )


def _dropped(held: Mapping[str, Held], attached: set[str]) -> list[_Piece]:
    """Sources that were attached until now and are not any more."""
    gone = [(key, one) for key, one in held.items() if one.attached and key not in attached]
    return [
        _Piece(
            Segment(key=key, kind="dropped", digest=one.digest, form="dropped", detail={"title": one.name}),
            dropped_block(one.name),
            None,
        )
        for key, one in gone
    ]


def held_sources(envelopes: Iterable[Envelope]) -> dict[str, Held]:
    """What a model has, from the envelopes on the path since the epoch's cut, in order.

    The library of the newest epoch counts as held, and as attached no longer.
    """
    held: dict[str, Held] = {}
    for envelope in envelopes:
        for layer in envelope.layers:
            if layer.name in {"previous", "turn"}:
                for segment in layer.segments:
                    _take(held, segment, attached=layer.name == "turn")
    return held


def _take(held: dict[str, Held], segment: Segment, *, attached: bool) -> None:
    name = str((segment.detail or {}).get("title", segment.key))
    if segment.form == "dropped":
        if segment.key in held:
            held[segment.key] = msgspec.structs.replace(held[segment.key], attached=False)
        return
    holds = segment.form in {"full", "changes", "kept"} and (attached or segment.key not in held)
    if holds and segment.digest is not None:
        held[segment.key] = Held(digest=segment.digest, name=name, attached=attached)
