"""What a model is told about a tool."""

from __future__ import annotations

from typing import Any

import msgspec

__all__ = ["ToolDefinition"]


class ToolDefinition(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A tool as a model sees it: ``parameters`` is a JSON Schema of an object."""

    name: str
    description: str = ""
    parameters: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])
    strict: bool | None = None
