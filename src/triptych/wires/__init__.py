"""Vendors' words, pure: any history becomes a valid request for any provider, with a report of every repair.

Useful alone: ``compile`` (repair, convert, rules), ``repair``, ``lint``; ``from_payload`` for requests of other
programs, ``open_decoder`` and ``read_reply`` for replies. One folder a wire format, one file a
repair pass, one module of rules a wire; facts about models and servers are data in ``profiles``.

Not here: sending anything (``providers``), and cutting a history to a budget (``context.budget``).
"""

from __future__ import annotations

from triptych.wires.compile import CompileCache, compile  # noqa: A004 # the word of the room
from triptych.wires.decode import open_decoder, read_reply
from triptych.wires.from_payload import ForeignRequest, from_payload
from triptych.wires.payload import Payload, Repair, Violation
from triptych.wires.profiles import (
    DEFAULTS,
    PROFILES,
    WIRES,
    find_profile,
    override,
    profile_for_model,
    wire_named,
)
from triptych.wires.repair import repair
from triptych.wires.rules import RULES, Rule, lint

__all__ = [
    "DEFAULTS",
    "PROFILES",
    "RULES",
    "WIRES",
    "CompileCache",
    "ForeignRequest",
    "Payload",
    "Repair",
    "Rule",
    "Violation",
    "compile",
    "find_profile",
    "from_payload",
    "lint",
    "open_decoder",
    "override",
    "profile_for_model",
    "read_reply",
    "repair",
    "wire_named",
]
