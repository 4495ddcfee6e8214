"""Fine-tuning JSONL: a line a conversation, ``{"messages":[…]}`` in OpenAI's words, the shown path of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from triptych.formats.conversation import ImportedConversation
from triptych.formats.paths import active_path
from triptych.formats.writers.frame import Changes, Target, write_with
from triptych.formats.writers.openai_chat import chat_records
from triptych.formats.written import Written

__all__ = ["write"]


def write(conversations: Sequence[ImportedConversation]) -> Written:
    """The lines, one a conversation."""
    return write_with(_TARGET, conversations)


def _make(imported: ImportedConversation) -> dict[str, Any]:
    return {"messages": chat_records(active_path(imported))}


def _extend(value: Any, imported: ImportedConversation, changes: Changes) -> Any:
    del value, changes
    return _make(imported)


_TARGET = Target(
    name="finetune", make=_make, extend=_extend, holds="lines", matching="order", reader="openai_chat"
)
