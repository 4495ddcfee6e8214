"""The table of every step of the context pipeline with its contract, and the original's names for them."""

from __future__ import annotations

from triptych.context.reference import render_reference


def build() -> str:
    """The page."""
    return render_reference()
