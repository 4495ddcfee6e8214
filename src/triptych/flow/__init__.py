"""Reading a tree: rows to a walk (who speaks, in which order), a context tree and a flat list. Pure.

``parse`` reads a topic once, ``walk`` stops before drawing, ``LiveFlow`` (in ``live``) follows a growing one.
"""

from __future__ import annotations

from triptych.flow.entries import Entry, PathStep, Place
from triptych.flow.fork import Fork
from triptych.flow.index import ANY_THREAD
from triptych.flow.live import LiveFlow
from triptych.flow.parse import Flow, parse
from triptych.flow.walk import Walk, walk

__all__ = ["ANY_THREAD", "Entry", "Flow", "Fork", "LiveFlow", "PathStep", "Place", "Walk", "parse", "walk"]
