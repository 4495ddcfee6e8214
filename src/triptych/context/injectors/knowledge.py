"""Knowledge that the application attaches: files with their text, and knowledge bases that can be asked.

Not here: reading files (``vault``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from triptych.context.contract import Step
from triptych.context.injectors.blocks import preface_block
from triptych.context.injectors.wrapper import block, leaf

__all__ = ["knowledge", "knowledge_text"]

_USE = "Use what is here when it bears on the question; leave it aside when it does not."


def knowledge(files: Sequence[Mapping[str, Any]] = (), bases: Sequence[Mapping[str, Any]] = ()) -> Step:
    """Add files (``{fileId, filename, content | error}``) and knowledge bases (``{id, name, description}``)."""
    return preface_block(
        knowledge_text(files, bases), name="knowledge", about="adds attached files and knowledge bases"
    )


def knowledge_text(files: Sequence[Any], bases: Sequence[Any]) -> str | None:
    """The block, or None when there is nothing."""
    told = [
        *(_file(one) for one in files if isinstance(one, Mapping)),
        *(_base(one) for one in bases if isinstance(one, Mapping)),
    ]
    return block("knowledge", "\n".join([_USE, *told]), files=len(files), bases=len(bases)) if told else None


def _file(file: Mapping[str, Any]) -> str:
    identifier, name = file.get("fileId"), file.get("filename")
    if file.get("error"):
        return leaf("file", id=identifier, name=name, error=file["error"])
    return block("file", str(file.get("content") or ""), id=identifier, name=name)


def _base(base: Mapping[str, Any]) -> str:
    return leaf(
        "knowledge_base", str(base.get("description") or ""), id=base.get("id"), name=base.get("name")
    )
