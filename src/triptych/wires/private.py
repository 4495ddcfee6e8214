"""Reading what only one provider family understands, tolerantly: several spellings of one fact are in use.

Everything read here goes back to the provider byte-exact, so what could not be sent (lone surrogates, wrong
types) counts as absent.

Not here: deciding whether a fact is sent (``repair.reasoning``).
"""

from __future__ import annotations

import re
from typing import Any

from triptych.model.parts import Part

__all__ = [
    "cache_mark",
    "encrypted_of",
    "item_id_of",
    "phase_of",
    "private_of",
    "redacted_of",
    "signature_of",
]

_UNSENDABLE = re.compile("[\x00\ud800-\udfff]")


def private_of(part: Part, family: str) -> dict[str, Any]:
    """What the part holds for this family; an empty mapping when there is nothing."""
    held = part.private.get(family) if part.private else None
    return held if isinstance(held, dict) else {}


def signature_of(part: Part, family: str) -> str | None:
    """The signature that vouches for a piece of reasoning (or, at Google, for a call)."""
    return _text(private_of(part, family), ("signature", "thoughtSignature", "thought_signature"))


def redacted_of(part: Part, family: str) -> str | None:
    """The opaque form of reasoning that nobody may read."""
    return _text(private_of(part, family), ("data", "redactedContent", "redacted_content"))


def encrypted_of(part: Part, family: str) -> str | None:
    """The encrypted form of reasoning that a server without memory needs."""
    return _text(private_of(part, family), ("encrypted_content", "encryptedContent", "encrypted"))


def item_id_of(part: Part, family: str) -> str | None:
    """The id that the provider gave to the item."""
    return _text(private_of(part, family), ("id", "itemId", "item_id"))


def phase_of(part: Part, family: str) -> str | None:
    """The phase of a reply that OpenAI wants back: ``commentary`` or ``final_answer``."""
    phase = _text(private_of(part, family), ("phase",))
    return phase if phase in {"commentary", "final_answer"} else None


def cache_mark(part: Part) -> dict[str, Any] | None:
    """The wish to have the prompt cached up to and with this part: ``{}`` or ``{"ttl": "1h"}``.

    Ours is ``private["cache"]``; Anthropic's own ``cache_control`` is read too.
    """
    if not part.private:
        return None
    own = part.private.get("cache")
    held = own if own is not None else private_of(part, "anthropic").get("cache_control")
    if held is True:
        return {}
    if not isinstance(held, dict):
        return None
    ttl = held.get("ttl")
    return {"ttl": ttl} if isinstance(ttl, str) and ttl in {"5m", "1h"} else {}


def _text(held: dict[str, Any], names: tuple[str, ...]) -> str | None:
    for name in names:
        value = held.get(name)
        if isinstance(value, str) and value and not _UNSENDABLE.search(value):
            return value
    return None
