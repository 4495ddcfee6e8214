"""Which tools are offered: a checker of rules, and a toolbox over manifests.

Not here: what changes from step to step of one answer (``step_tools``).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

import msgspec

from triptych.context.tooling.manifests import NameTool, describe_tools
from triptych.context.tooling.names import name_tool

__all__ = ["Checker", "Offer", "Toolbox", "enable_by_rules"]

Checker = Callable[[Mapping[str, Any]], bool]
"""Whether a tool is on. It is asked with ``{pluginId, manifest, model, provider, context?}``."""


def enable_by_rules(
    rules: Mapping[str, bool],
    *,
    allow_explicit: bool = False,
    platform: Callable[[Mapping[str, Any]], bool | None] | None = None,
) -> Checker:
    """A checker: an explicit activation (when allowed), else what the platform says, else the rule, else off."""

    def enabled(question: Mapping[str, Any]) -> bool:
        context = question.get("context")
        if allow_explicit and isinstance(context, Mapping) and context.get("isExplicitActivation"):
            return True
        asked = {key: question[key] for key in ("manifest", "pluginId", "context") if key in question}
        answer = platform(asked) if platform is not None else None
        return bool(rules.get(str(question.get("pluginId")), False)) if answer is None else answer

    return enabled


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    """The tools for one request, and why others are not among them.

    Attributes:
        tools: function tools, or None when no tool is on.
        enabled: the identifiers that are on, in order.
        manifests: their manifests.
        filtered: (identifier, reason) for the others: ``not_found``, ``disabled`` or ``incompatible``.
    """

    tools: list[dict[str, Any]] | None
    enabled: list[str]
    manifests: list[Mapping[str, Any]]
    filtered: list[tuple[str, str]]


class Toolbox(msgspec.Struct, frozen=True, kw_only=True):
    """Manifests by identifier, and the rules of offering them. A value: changes give a new one."""

    manifests: Mapping[str, Mapping[str, Any]]
    enabled: Checker | None = None
    can_call: Callable[[str, str], bool] | None = None
    defaults: tuple[str, ...] = ()
    name: NameTool = name_tool

    def with_manifest(self, manifest: Mapping[str, Any]) -> Toolbox:
        """The toolbox with this manifest, in place of one of the same identifier."""
        return msgspec.structs.replace(
            self, manifests={**self.manifests, str(manifest.get("identifier")): manifest}
        )

    def without_manifest(self, identifier: str) -> Toolbox:
        """The toolbox without a manifest."""
        rest = {key: value for key, value in self.manifests.items() if key != identifier}
        return msgspec.structs.replace(self, manifests=rest)

    def wanted(
        self, identifiers: Iterable[str], *, skip_defaults: bool = False, without: Collection[str] = ()
    ) -> list[str]:
        """The identifiers to look at: those given and the defaults, each once, in order."""
        if skip_defaults:
            return list(identifiers)
        defaults = (name for name in self.defaults if name not in without)
        return list(dict.fromkeys((*identifiers, *defaults)))

    def offer(
        self,
        identifiers: Iterable[str],
        *,
        model: str,
        provider: str,
        context: Mapping[str, Any] | None = None,
    ) -> Offer:
        """What to offer of these tools to this model."""
        asked = list(identifiers)
        if self.can_call is not None and not self.can_call(model, provider):
            return Offer(
                tools=None, enabled=[], manifests=[], filtered=[(one, "incompatible") for one in asked]
            )
        found: list[Mapping[str, Any]] = []
        enabled: list[str] = []
        filtered: list[tuple[str, str]] = []
        for identifier in asked:
            reason = self._reason(identifier, model, provider, context)
            if reason is None:
                found.append(self.manifests[identifier])
                enabled.append(identifier)
            else:
                filtered.append((identifier, reason))
        tools = [tool for manifest in found for tool in describe_tools(manifest, name=self.name)]
        return Offer(tools=tools if found else None, enabled=enabled, manifests=found, filtered=filtered)

    def _reason(
        self, identifier: str, model: str, provider: str, context: Mapping[str, Any] | None
    ) -> str | None:
        """Why a tool is not offered, or None when it is."""
        manifest = self.manifests.get(identifier)
        if manifest is None:
            return "not_found"
        question = {"manifest": manifest, "model": model, "pluginId": identifier, "provider": provider}
        if context is not None:
            question["context"] = context
        return None if self.enabled is None or self.enabled(question) else "disabled"
