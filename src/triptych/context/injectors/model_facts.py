"""What the model is told about itself: its name, how far its knowledge goes, what it can see and hear.

Not here: what the wires need to know of a model (``model.profile``).
"""

from __future__ import annotations

from collections.abc import Mapping

from triptych.context.contract import Step
from triptych.context.injectors.blocks import system_block

__all__ = ["model_facts", "model_facts_text"]

_LABELS = ("You are the model", "Your knowledge ends at", "You can take media")


def model_facts(
    *,
    name: str | None = None,
    model: str | None = None,
    cutoff: str | None = None,
    media: Mapping[str, bool] | None = None,
) -> Step:
    """Tell the model its name, knowledge cutoff and media, as far as they are known."""
    text = model_facts_text(name=name, model=model, cutoff=cutoff, media=media or {})
    return system_block(
        text, name="model_facts", about="tells the model its name, knowledge cutoff and media"
    )


def model_facts_text(
    *,
    name: str | None,
    model: str | None,
    cutoff: str | None,
    media: Mapping[str, bool],
    labels: tuple[str, str, str] = _LABELS,
) -> str | None:
    """One line for each known fact. A model's id alone says nothing to the model, so it needs a name."""
    known = ", ".join(f"{kind}={str(able).lower()}" for kind, able in media.items())
    named = f"{name} ({model})" if model and model != name else name
    facts = (named if name else None, cutoff, known)
    lines = [f"{label}: {fact}" for label, fact in zip(labels, facts, strict=True) if fact]
    return "\n".join(lines) or None
