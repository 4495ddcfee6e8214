"""How the offered tools are to be used: each tool's own instructions.

Not here: the descriptions that go with the request (``tooling.manifests``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from triptych.context.contract import Step
from triptych.context.draft import Draft
from triptych.context.injectors.blocks import system_block
from triptych.context.injectors.wrapper import block, leaf
from triptych.context.rowwork import listed, mapping
from triptych.context.tooling.names import name_tool

__all__ = ["tool_guidance", "tool_guidance_text"]


def tool_guidance(manifests: Sequence[Mapping[str, Any]]) -> Step:
    """Add the instructions of the tools, for a model that can call them."""

    def text(draft: Draft) -> str | None:
        able = draft.profile is None or draft.profile.tools
        return tool_guidance_text(manifests) if able else None

    return system_block(text, name="tool_guidance", about="adds the instructions of the offered tools")


def tool_guidance_text(manifests: Sequence[Mapping[str, Any]]) -> str | None:
    """The block, or None when no tool has an api or instructions."""
    told = [_tool(one) for one in manifests if listed(one.get("api")) or one.get("systemRole")]
    return block("tools", "\n".join(told)) if told else None


def _tool(manifest: Mapping[str, Any]) -> str:
    identifier = str(manifest.get("identifier"))
    title = mapping(manifest.get("meta")).get("title")
    if manifest.get("systemRole"):
        return block("tool", str(manifest["systemRole"]), name=title or identifier)
    apis = [
        leaf(
            "call",
            str(api.get("description") or ""),
            name=name_tool(identifier, str(api.get("name")), manifest.get("type")),
        )
        for api in map(mapping, listed(manifest.get("api")))
    ]
    return block("tool", "\n".join(apis), name=title or identifier)
