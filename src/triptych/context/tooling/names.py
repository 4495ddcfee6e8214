"""Names of tools on the wire: made of an identifier and an api, and read back.

A name is ``identifier____api`` and, for a kind other than the usual, ``____kind``. Parts with characters that
providers refuse, and parts of names that would be too long, become ``MD5HASH_`` and twelve hex digits; reading
back looks for the part among the known ones that has this hash. ``ToolNames`` makes names that are injective
over a set of tools: two different tools never share one.

Not here: describing tools (``manifests``).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from triptych.context.rowwork import listed, mapping, present

__all__ = ["LENGTH", "ToolNames", "name_tool", "resolve_calls"]

LENGTH = 64
"""The longest name that OpenAI and Anthropic take (their tool name patterns end in ``{1,64}``)."""

_JOINT = "____"
_HASHED = "MD5HASH_"
_PLAIN = re.compile(r"[A-Za-z0-9_-]+")
_USUAL = ("builtin", "default", "")


def name_tool(identifier: str, api: str, kind: str | None = "builtin", *, length: int = LENGTH) -> str:
    """The wire's name of a tool. ``length`` is the longest allowed; 0 allows any."""
    suffix = "" if kind is None or kind in _USUAL else _JOINT + _plain(kind)
    parts = [_plain(identifier), _plain(api)]
    for index, whole in ((1, api), (0, identifier)):
        if length and len(_JOINT.join(parts) + suffix) >= length:
            parts[index] = _hashed(whole)
    return _JOINT.join(parts) + suffix


def resolve_calls(
    calls: Iterable[Any],
    manifests: Mapping[str, Any],
    offered: Collection[str] | None = None,
    *,
    length: int = LENGTH,
) -> list[dict[str, Any]]:
    """The calls of a model as calls of tools: ``{id, identifier, apiName, arguments, type}``.

    A name without its identifier is recovered when exactly one manifest (among the offered names, when given)
    has such an api; otherwise the call is left out. An unknown hash or tool passes through as written. ``length``
    is the longest name that was allowed when the offered names were made.
    """
    names = _offer_of(offered, length)
    found = (_resolved(mapping(call), manifests, names) for call in calls)
    return [call for call in found if call is not None]


class ToolNames:
    """Names for a set of tools, each of its own, and back.

    Two tools whose names would be the same (or would hash the same) get different ones: the later is told
    apart by a number. Reading back is a look-up, so it is exact for every name that this object made.
    """

    def __init__(self, tools: Iterable[tuple[str, str, str | None]], *, length: int = LENGTH) -> None:
        self._length = length
        self._by_name: dict[str, tuple[str, str, str | None]] = {}
        self._by_tool: dict[tuple[str, str, str | None], str] = {}
        for tool in tools:
            if tool not in self._by_tool:
                name = self._free(tool)
                self._by_name[name] = tool
                self._by_tool[tool] = name

    def name(self, identifier: str, api: str, kind: str | None = "builtin") -> str | None:
        """The name of a tool of the set, or None."""
        return self._by_tool.get((identifier, api, kind))

    def tool(self, name: str) -> tuple[str, str, str | None] | None:
        """The tool (identifier, api, kind) of a name of the set, or None."""
        return self._by_name.get(name)

    def _free(self, tool: tuple[str, str, str | None]) -> str:
        name = name_tool(*tool, length=self._length)
        if name not in self._by_name and (not self._length or len(name) <= self._length):
            return name
        whole = _hashed("\0".join(str(part) for part in tool))
        number = 0
        while (name := f"{whole}_{number}" if number else whole) in self._by_name:
            number += 1
        return name


def _plain(part: str) -> str:
    return _hashed(part) if part and not _PLAIN.fullmatch(part) else part


def _hashed(part: str) -> str:
    digest = hashlib.md5(part.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()
    return f"{_HASHED}{digest[:12]}"


_Offered = Callable[[str, str, Any], bool]
"""Whether a tool (identifier, api, kind) was offered."""


def _offer_of(offered: Collection[str] | None, length: int) -> _Offered:
    return lambda identifier, api, kind: (
        offered is None or name_tool(identifier, api, kind, length=length) in offered
    )


def _resolved(
    call: Mapping[str, Any], manifests: Mapping[str, Any], offered: _Offered
) -> dict[str, Any] | None:
    function = mapping(call.get("function"))
    name = function.get("name")
    identifier, api, suffix = _split(name if isinstance(name, str) else "")
    if not api:
        owner = _owner(identifier, manifests, offered)
        if owner is None:
            return None
        identifier, api = owner, identifier
    identifier = _unhashed(identifier, manifests)
    manifest = mapping(manifests.get(identifier))
    api = _unhashed(api, _apis(manifest))
    kind = suffix if suffix is not None else manifest.get("type")
    resolved = {
        "apiName": api,
        **{name: held[name] for name, held in (("arguments", function), ("id", call)) if name in held},
        "identifier": identifier,
        "type": "builtin" if kind is None else kind,
    }
    signature = call.get("thoughtSignature")
    return {**resolved, "thoughtSignature": signature} if present(signature) else resolved


def _split(name: str) -> tuple[str, str, str | None]:
    parts = name.split(_JOINT)
    return parts[0], parts[1] if len(parts) > 1 else "", parts[2] if len(parts) > 2 else None


def _owner(api: str, manifests: Mapping[str, Any], offered: _Offered) -> str | None:
    known = ((identifier, mapping(manifest)) for identifier, manifest in manifests.items())
    owners = [
        identifier
        for identifier, manifest in known
        if api in _apis(manifest) and offered(identifier, api, manifest.get("type"))
    ]
    return owners[0] if len(owners) == 1 else None


def _apis(manifest: Mapping[str, Any]) -> list[str]:
    names = (mapping(api).get("name") for api in listed(manifest.get("api")))
    return [name for name in names if isinstance(name, str)]


def _unhashed(part: str, known: Iterable[str]) -> str:
    if not part.startswith(_HASHED):
        return part
    return next((whole for whole in known if _hashed(whole) == part), part)
