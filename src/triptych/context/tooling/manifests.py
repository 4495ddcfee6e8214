"""Manifests of tools: which are valid, and what the model is told of them.

A manifest is a mapping with ``identifier`` and ``api``: a list of mappings with ``name``, ``description`` and
``parameters`` (JSON Schema).

Not here: which tools are offered (``enablement``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from triptych.context.rowwork import listed, mapping
from triptych.context.tooling.names import name_tool

__all__ = ["describe_tools", "is_manifest", "normalize_parameters", "split_manifests"]

NameTool = Callable[[str, str, Any], str]


def is_manifest(value: Any) -> bool:
    """Whether a value is a manifest: a mapping with a name as identifier and at least one api."""
    known = mapping(value)
    identifier = known.get("identifier")
    return isinstance(identifier, str) and bool(identifier) and bool(listed(known.get("api")))


def split_manifests(values: Iterable[Any]) -> tuple[list[Any], list[Any]]:
    """The valid manifests, and the others."""
    every = list(values)
    return [one for one in every if is_manifest(one)], [one for one in every if not is_manifest(one)]


def describe_tools(manifest: Mapping[str, Any], *, name: NameTool = name_tool) -> list[dict[str, Any]]:
    """The manifest's apis as function tools, under their wire names."""
    identifier, kind = str(manifest.get("identifier")), manifest.get("type")
    return [
        _described(api, name(identifier, str(api.get("name")), kind)) for api in map(mapping, _apis(manifest))
    ]


def normalize_parameters(parameters: Any) -> Any:
    """The schema with ``required: []`` when an object schema has no such list; some providers insist on it."""
    known = mapping(parameters)
    if known.get("type") != "object" or isinstance(known.get("required"), list):
        return parameters
    return {**known, "required": []}


def _apis(manifest: Mapping[str, Any]) -> list[Any]:
    return listed(manifest.get("api"))


def _described(api: Mapping[str, Any], name: str) -> dict[str, Any]:
    function: dict[str, Any] = {"name": name}
    if "description" in api:
        function["description"] = api["description"]
    if "parameters" in api:
        function["parameters"] = normalize_parameters(api["parameters"])
    return {"function": function, "type": "function"}
