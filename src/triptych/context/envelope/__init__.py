"""The layered envelope: what the model is given in one turn, as layers of segments.

L1 ``system`` (stable), L2 ``previous`` (the library), L3 ``turn`` (what this turn attaches), L4
``history`` (the path since the epoch's cut), L5 ``user`` (the words). What the model already has is a function of
the envelopes on the path, never of session state.
"""

from triptych.context.envelope.compose import Composed, Turn, compose
from triptych.context.envelope.held import Held, Layout, held_sources
from triptych.context.envelope.sources import Source, source_digest

__all__ = ["Composed", "Held", "Layout", "Source", "Turn", "compose", "held_sources", "source_digest"]
