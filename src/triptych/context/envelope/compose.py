"""The envelope of one turn, in one of two layouts.

``append``: in the turn that first attaches a source its whole body goes in; kept and unchanged it is one line; changed
it is its exact changes, or the full new text where that is shorter; dropped it is a line that says so. History is never
rendered again, so the request of a turn extends the request of the turn before. When the plan starts a new epoch, the
bodies whose carriers leave go into the library once, and it stays as it is until the next epoch.

``library``: the sources of earlier turns stand in the library, in full and as they were last read, in order of first
use; the turn has what is new or changed, and references for the rest; history is plain words.

Not here: reading sources (``chat.references``), what is held (``held``) and when an epoch starts (``chat.epoch``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import msgspec

from triptych.context.envelope.blocks import (
    changes_block,
    directive_block,
    dropped_block,
    full_block,
    kept_block,
    place_of,
)
from triptych.context.envelope.changes import find_spans
from triptych.context.envelope.held import Held, Layout, held_of
from triptych.context.envelope.sources import Source, distinct, source_digest
from triptych.model.digest import digest_text
from triptych.model.envelope import Envelope, Layer, LayerName, Segment
from triptych.model.ids import BlobDigest, ConversationId, EnvelopeId, MessageId

__all__ = ["Composed", "Turn", "compose"]


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that the envelope of one turn is made of.

    Attributes:
        system: the instructions; ``shared`` are the sources of the project, which stand in L1 behind them, as they
            are now; ``imported`` are the system texts of an imported tree, behind those.
        held: what the path before this turn holds, by key (see ``held_sources``).
        bodies: the held bodies by digest, for finding changes; one that is missing is given in full.
        epoch: how many times history was cut so far; ``cut_id`` names the first message that is still sent.
        library: the frozen L2 layer of the running epoch, as the envelope before this one has it.
        previous: sources for a new library (an epoch starts, or the layout is ``library``); then ``library`` is None.
        gone: names of sources, by key, that earlier turns refer to and that the new library has no room for.
        directives: what the person asked of the answer beside the words; they stand in L5, behind the words.
        count: tokens of a text, told beside each segment.
    """

    id: EnvelopeId
    message_id: MessageId
    conversation_id: ConversationId
    revision: int
    system: str
    text: str
    shared: tuple[Source, ...] = ()
    imported: str = ""
    sources: tuple[Source, ...] = ()
    held: Mapping[str, Held] = msgspec.field(default_factory=dict[str, Held])
    bodies: Mapping[BlobDigest, str] = msgspec.field(default_factory=dict[BlobDigest, str])
    epoch: int = 0
    cut_id: MessageId | None = None
    library: Layer | None = None
    previous: tuple[Source, ...] = ()
    gone: Mapping[str, str] = msgspec.field(default_factory=dict[str, str])
    directives: tuple[str, ...] = ()
    layout: Layout = "append"
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
    in_library = {source.key: held_of(source) for source in library}
    held = in_library | dict(turn.held) | {source.key: held_of(source) for source in turn.shared}
    attached = distinct(turn.sources)
    pieces = [_piece(source, held, turn.bodies) for source in attached]
    pieces += _dropped(held, {source.key: source.title for source in attached})
    shelves = [*map(_full, library), *(_gone(key, name) for key, name in turn.gone.items())]
    words = [*_words("user", turn.text), *(_directive(text) for text in turn.directives)]
    head = [*_words("system", turn.system), *map(_shown, turn.shared), *_words("imported", turn.imported)]
    laid: dict[LayerName, list[_Piece]] = {"system": head, "previous": shelves, "turn": pieces, "user": words}
    filled: dict[LayerName, list[_Piece]] = {
        name: [_counted(piece, turn.count) for piece in there] for name, there in laid.items()
    }
    layers = [_layer(name, there) for name, there in filled.items()]
    if turn.library is not None:
        layers[1] = turn.library
    return Composed(envelope=_envelope(turn, tuple(layers)), texts=_texts(filled))


def _texts(filled: Mapping[LayerName, Sequence[_Piece]]) -> dict[BlobDigest, str]:
    """Every layer, every body, and every block that is sent again by itself, by digest."""
    pieces = [piece for there in filled.values() for piece in there]
    texts = [_joined(there) for there in filled.values()]
    texts += [piece.body for piece in pieces if piece.body is not None]
    texts += [piece.text for piece in pieces if piece.segment.rendered is not None]
    return {digest_text(text): text for text in texts}


def _words(kind: str, text: str) -> list[_Piece]:
    return [_Piece(Segment(key=kind, kind=kind, recoverable=False), text, None)] if text else []


def _directive(text: str) -> _Piece:
    return _Piece(Segment(key="directive", kind="directive", recoverable=False), directive_block(text), None)


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
        layout=turn.layout,
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
    known = held.get(source.key)
    if known is None or source.kind == "error":
        return _shown(source)
    if known.digest == source_digest(source):
        return _Piece(_segment(source, "kept"), kept_block(source), None)
    old = bodies.get(known.digest)
    return _full(source) if old is None else _changed(source, old)


def _counted(piece: _Piece, count: Callable[[str], int]) -> _Piece:
    detail = (piece.segment.detail or {}) | {"tokens": count(piece.text)}
    return msgspec.structs.replace(piece, segment=msgspec.structs.replace(piece.segment, detail=detail))


def _shown(source: Source) -> _Piece:
    """The source with its whole body, or with the reason why there is none."""
    return _piece_of(source, "error", full_block(source)) if source.kind == "error" else _full(source)


def _full(source: Source) -> _Piece:
    return _piece_of(source, "full", full_block(source))


def _changed(source: Source, old: str) -> _Piece:
    full = _full(source)
    text = changes_block(source, find_spans(old, source.body))
    return full if len(text) >= len(full.text) else _piece_of(source, "changes", text)


def _piece_of(source: Source, form: str, text: str) -> _Piece:
    """A block that gives a body. One that cannot be read again stays with its turn in every layout, as text."""
    segment = _segment(source, form)
    if form == "error" or not source.recoverable:
        segment = msgspec.structs.replace(segment, rendered=digest_text(text))
    return _Piece(segment, text, source.body)


def _segment(source: Source, form: str) -> Segment:
    facts = {"facts": [list(pair) for pair in source.facts]} if source.facts else {}
    size = len(source.body.encode("utf-8", "surrogatepass"))
    return Segment(
        key=source.key,
        kind=source.kind,
        digest=source_digest(source),
        form=form,
        recoverable=source.recoverable,
        detail={"title": source.title, "bytes": size, **facts},
    )


def _dropped(held: Mapping[str, Held], attached: Mapping[str, str]) -> list[_Piece]:
    """Sources that were attached until now and are not any more; those of the same title are told apart by place."""
    gone = [(key, one) for key, one in held.items() if one.attached and key not in attached]
    titles = Counter(({key: one.name for key, one in held.items()} | dict(attached)).values())
    return [
        _gone(key, one.name if titles[one.name] == 1 else place_of(one.facts) or one.name, one.digest)
        for key, one in gone
    ]


def _gone(key: str, name: str, digest: BlobDigest | None = None) -> _Piece:
    segment = Segment(key=key, kind="dropped", digest=digest, form="dropped", detail={"title": name})
    return _Piece(segment, dropped_block(name), None)
