"""What is remembered about the user: who they are, what they do, what they prefer.

Not here: remembering (``chat``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from triptych.context.contract import Step
from triptych.context.injectors.blocks import preface_block
from triptych.context.injectors.wrapper import block, leaf
from triptych.context.rowwork import listed, mapping

__all__ = ["memory_text", "user_memory"]

_FIELDS: Mapping[str, tuple[str, ...]] = {
    "identities": ("role", "description"),
    "contexts": ("title", "description"),
    "experiences": ("situation", "keyLearning"),
    "preferences": ("conclusionDirectives",),
}
_USE = "What is known about the user from earlier. Let it shape the answer only where it matters."


def user_memory(memories: Mapping[str, Any] | None) -> Step:
    """Add memories: ``{persona, identities, contexts, experiences, preferences}``; items without words are left out."""
    return preface_block(
        memory_text(memories or {}), name="user_memory", about="adds what is remembered about the user"
    )


def memory_text(memories: Mapping[str, Any]) -> str | None:
    """The block, or None when nothing is remembered."""
    persona = memories.get("persona")
    words = mapping(persona).get("narrative") or mapping(persona).get("tagline") or persona
    told = [leaf("persona", words)] if isinstance(words, str) and words.strip() else []
    for kind, fields in _FIELDS.items():
        items = [item for item in (_item(mapping(one), fields) for one in listed(memories.get(kind))) if item]
        told.extend([block(kind, "\n".join(items), count=len(items))] if items else [])
    return block("user_memory", "\n".join([_USE, *told])) if told else None


def _item(memory: Mapping[str, Any], fields: tuple[str, ...]) -> str:
    words = [
        str(memory[name]) for name in fields if isinstance(memory.get(name), str) and memory[name].strip()
    ]
    return leaf("item", ": ".join(words), id=memory.get("id")) if words else ""
