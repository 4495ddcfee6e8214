"""The role that the application gives the model: plain system text.

Not here: placeholders in it (``processors.placeholders`` fills system text too).
"""

from __future__ import annotations

from triptych.context.contract import Step
from triptych.context.injectors.blocks import system_block

__all__ = ["system_role"]


def system_role(text: str | None) -> Step:
    """Add the role to the system text."""
    return system_block(text, name="system_role", about="adds the role that the application gives the model")
