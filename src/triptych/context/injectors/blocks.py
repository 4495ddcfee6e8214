"""Steps that inject a given text at one of the places. Every other injector is a text and one of these.

A text may be a string, or a function of the draft (a step must stay pure, so it may look at the draft only).

Not here: the places themselves (``places``), texts for particular facts (the other files of this folder).
"""

from __future__ import annotations

from collections.abc import Callable

from triptych.context.contract import Contract, Step
from triptych.context.draft import Draft, note
from triptych.context.injectors.places import at_tail, before_first_user, in_last_user, in_system

__all__ = ["Text", "last_user_block", "preface_block", "system_block", "tail_block"]

Text = str | None | Callable[[Draft], str | None]
"""A text to inject; None and the empty text inject nothing."""


def system_block(
    text: Text, *, name: str = "system_block", about: str = "adds text to the system text"
) -> Step:
    """Add a text to the system text."""
    return _block(name, text, lambda draft, said: in_system(draft, said, name), writes="system", about=about)


def preface_block(
    text: Text, *, name: str = "preface_block", about: str = "adds text before the first user message"
) -> Step:
    """Add a text to the block before the first user message."""
    return _block(name, text, before_first_user, writes="preface", about=about)


def last_user_block(
    text: Text, *, name: str = "last_user_block", about: str = "adds text to the last user message"
) -> Step:
    """Add a text to the last user message. One turn later it is not there any more: prefer ``tail_block``."""
    return _block(
        name, text, in_last_user, reads="user.each", writes="user.last", moves_prefix=True, about=about
    )


def tail_block(
    text: Text, *, name: str = "tail_block", about: str = "adds text to the volatile tail"
) -> Step:
    """Add a text to the volatile tail."""
    return _block(
        name,
        text,
        lambda draft, said: at_tail(draft, said, name),
        reads="results",
        writes="tail",
        about=about,
    )


def _block(
    name: str,
    text: Text,
    put: Callable[[Draft, str], Draft],
    *,
    writes: str,
    about: str,
    reads: str = "history",
    moves_prefix: bool = False,
) -> Step:
    def run(draft: Draft) -> Draft:
        said = text(draft) if callable(text) else text
        if not isinstance(said, str) or not said.strip():
            return draft
        after = put(draft, said)
        return after if after is draft else note(after, name, injected=True, length=len(said))

    return Step(
        Contract(
            name=name,
            reads=frozenset({reads}),
            writes=frozenset({writes}),
            moves_prefix=moves_prefix,
            idempotent=False,
            about=about,
        ),
        run,
    )
