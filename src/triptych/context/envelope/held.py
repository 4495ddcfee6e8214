"""What a model has of each source, read off the envelopes of a path.

A body is held from the turn that carried it in full; what later turns said of it (unchanged, these changes) counts
only while that body is still there. So a carrier that leaves the path takes the body with it, and the next turn that
needs it carries it again. A reference to another version (one that stood in a project's part of L1) holds nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, cast

import msgspec

from triptych.context.envelope.sources import Source, SourceKind, source_digest
from triptych.errors import UsageError
from triptych.model.envelope import Envelope, Layer, Segment
from triptych.model.ids import BlobDigest

__all__ = [
    "LAYOUTS",
    "Held",
    "Layout",
    "checked_layout",
    "dangling_keys",
    "held_library",
    "held_of",
    "held_sources",
    "source_of_held",
    "turn_segments",
]

Layout = Literal["append", "library"]


LAYOUTS: tuple[Layout, ...] = ("append", "library")


def checked_layout(name: str) -> Layout:
    """The layout of that name; another one is a ``UsageError``."""
    if name in LAYOUTS:
        return name
    raise UsageError(f"There is no layout {name!r}; it is append or library.")


class Held(msgspec.Struct, frozen=True, kw_only=True):
    """What the model has of one source: the version of its body, and whether it is still attached.

    ``kind``, ``facts`` and ``recoverable`` are those of the source, so that it can be shown again from its body.
    """

    digest: BlobDigest
    name: str
    attached: bool = True
    kind: SourceKind = "note"
    facts: tuple[tuple[str, str], ...] = ()
    recoverable: bool = True


def held_of(source: Source) -> Held:
    """A source as it is held when a library carries it."""
    return Held(
        digest=source_digest(source),
        name=source.title,
        attached=False,
        kind=source.kind,
        facts=source.facts,
        recoverable=source.recoverable,
    )


def source_of_held(key: str, held: Held, body: str) -> Source:
    """The source again, as it was when it was held."""
    return Source(
        key=key, kind=held.kind, title=held.name, body=body, facts=held.facts, recoverable=held.recoverable
    )


def held_library(layer: Layer | None) -> dict[str, Held]:
    """What a frozen library carries."""
    segments = layer.segments if layer is not None else ()
    return {
        one.key: _held(one, one.digest, attached=False)
        for one in segments
        if one.form == "full" and one.digest is not None
    }


def held_sources(
    envelopes: Iterable[Envelope], layout: Layout = "append", *, start: Mapping[str, Held] | None = None
) -> dict[str, Held]:
    """What a model has, from the envelopes on the path since the epoch's cut, in order of first use.

    Args:
        envelopes: those of the turns that are still sent.
        layout: with ``library`` a source that can be read again is held once any turn named it, since the
            library is written anew in each request.
        start: what a frozen library carries (``held_library``).
    """
    held: dict[str, Held] = dict(start or {})
    for segment in turn_segments(envelopes):
        _take(held, segment, rewritten=layout == "library" and segment.recoverable)
    return held


def turn_segments(envelopes: Iterable[Envelope]) -> list[Segment]:
    """The segments of the turn layers, in order."""
    return [
        segment
        for envelope in envelopes
        for layer in envelope.layers
        if layer.name == "turn"
        for segment in layer.segments
    ]


def dangling_keys(envelopes: Iterable[Envelope]) -> list[str]:
    """Sources that these turns refer to without a body before it among them, in order of first use."""
    carried: set[str] = set()
    wanted: dict[str, None] = {}
    for segment in turn_segments(envelopes):
        if segment.form == "full":
            carried.add(segment.key)
        elif segment.form in {"kept", "changes"} and segment.key not in carried:
            wanted[segment.key] = None
    return list(wanted)


def _take(held: dict[str, Held], segment: Segment, *, rewritten: bool) -> None:
    if segment.form == "dropped":
        if segment.key in held:
            held[segment.key] = msgspec.structs.replace(held[segment.key], attached=False)
        return
    before = held.get(segment.key)
    same = before is not None and before.digest == segment.digest
    holds = {
        "full": True,
        "changes": before is not None or rewritten,
        "kept": same or rewritten,
    }
    if holds.get(segment.form, False) and segment.digest is not None:
        held[segment.key] = _held(segment, segment.digest, attached=True)


def _held(segment: Segment, digest: BlobDigest, *, attached: bool) -> Held:
    detail = segment.detail or {}
    return Held(
        digest=digest,
        name=str(detail.get("title", segment.key)),
        attached=attached,
        kind=cast("SourceKind", segment.kind),
        facts=_facts(detail.get("facts")),
        recoverable=segment.recoverable,
    )


def _facts(value: Any) -> tuple[tuple[str, str], ...]:
    pairs = value if isinstance(value, list | tuple) else ()
    return tuple((str(name), str(fact)) for name, fact in pairs)
