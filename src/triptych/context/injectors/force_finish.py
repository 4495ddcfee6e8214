"""The last step of an answer: the model is told to stop calling tools and to sum up.

It stands at the volatile tail, as a user row: a system row there is refused by several providers.

Not here: taking the tools away (``tooling.step_tools``).
"""

from __future__ import annotations

from triptych.context.contract import Step
from triptych.context.injectors.blocks import tail_block

__all__ = ["force_finish"]

_TEXT = (
    "No more tools can be called now. Answer with what is known so far, and say plainly what could not be done or "
    "found out."
)


def force_finish(*, finish: bool = True, text: str = _TEXT) -> Step:
    """Tell the model to finish, when ``finish``."""
    return tail_block(
        text if finish else None, name="force_finish", about="tells the model to finish without tools"
    )
