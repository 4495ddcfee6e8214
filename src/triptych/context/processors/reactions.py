"""Reactions of the user to answers, told to the model with the user's next message.

Not here: collecting them (they are in the metadata of the answer).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from triptych.context.contract import Contract, Step
from triptych.context.draft import Draft, note
from triptych.context.injectors.wrapper import leaf
from triptych.context.rowwork import append_text, listed, mapping
from triptych.model.rows import Row

__all__ = ["tell_reactions"]


def tell_reactions(wording: Callable[[list[str]], str] | None = None, *, into_parts: bool = True) -> Step:
    """Put the reactions to the answers before it in front of each user message.

    ``wording`` makes the text of the emojis. In a message of parts the text is a part of its own in front; with
    ``into_parts`` false such a message is left alone, and its reactions are dropped (as the original does).
    """
    said = wording or _reaction

    def run(draft: Draft) -> Draft:
        return _told(draft, said, into_parts=into_parts)

    return Step(
        Contract(
            name="tell_reactions",
            reads=frozenset({"flat", "template"}),
            writes=frozenset({"feedback"}),
            moves_prefix=True,
            scope="turn",
            lookback=1,
            idempotent=False,
            roles=frozenset({"assistant"}),
            about="tells the model how the user reacted to its answers",
        ),
        run,
    )


def _reaction(emojis: list[str]) -> str:
    return leaf("reaction_to_the_answer_above", emoji=" ".join(emojis))


def _told(draft: Draft, said: Callable[[list[str]], str], *, into_parts: bool) -> Draft:
    rows: list[Row] | None = None
    waiting: list[str] = []
    told = 0
    for place, row in enumerate(draft.rows):
        role = row.get("role")
        if role == "assistant":
            if row.get("metadata"):
                waiting.extend(_emojis(row))
        elif role == "user" and waiting:
            content = row.get("content")
            if isinstance(content, str) or (into_parts and isinstance(content, list)):
                rows = list(draft.rows) if rows is None else rows
                rows[place] = {
                    **row,
                    "content": _before(said(waiting), content),
                    **_parts(row, said(waiting)),
                }
                told += len(waiting)
            waiting = []
    return draft if rows is None else note(draft.with_rows(rows), "tell_reactions", told=told)


def _emojis(row: Row) -> list[str]:
    reactions = listed(mapping(row.get("metadata")).get("reactions"))
    emojis = (mapping(reaction).get("emoji") for reaction in reactions)
    return [emoji for emoji in emojis if isinstance(emoji, str) and emoji]


def _before(text: str, content: Any) -> Any:
    if isinstance(content, list):
        return [{"type": "text", "text": text}, *content]
    return append_text(text, content)


def _parts(row: Row, text: str) -> dict[str, Any]:
    parts = listed(row.get("parts"))
    return {"parts": [{"type": "text", "text": text}, *parts]} if parts else {}
