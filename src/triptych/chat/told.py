"""What a person was told of a turn, kept with its envelope (``detail.diagnostics``), so that a restart forgets none."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from triptych.model.diagnostics import Diagnostic
from triptych.model.envelope import Envelope

__all__ = ["told_of", "with_told"]


def with_told(envelope: Envelope, diagnostics: Sequence[Diagnostic]) -> Envelope:
    """The envelope with what is told of its turn; the same envelope when that is nothing."""
    if not diagnostics:
        return envelope
    told = [msgspec.to_builtins(one) for one in diagnostics]
    return msgspec.structs.replace(envelope, detail=(envelope.detail or {}) | {"diagnostics": told})


def told_of(envelope: Envelope) -> tuple[Diagnostic, ...]:
    """What was told of the turn; empty where nothing was kept, or something that is no list of diagnostics."""
    kept = (envelope.detail or {}).get("diagnostics", ())
    try:
        return msgspec.convert(kept, tuple[Diagnostic, ...])
    except msgspec.ValidationError:
        return ()
