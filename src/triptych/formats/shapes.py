"""Fields that hold another kind of value than their format has there.

A reader takes what it understands. Where a text, a list or an object was expected and something else stands, it
would be shown as nothing; ``odd_fields`` walks a record beside its shape and makes a finding of each such place.

Not here: the shapes (``spoken``), and what a reader makes of a record.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from triptych.formats.problems import note
from triptych.model.diagnostics import Diagnostic

__all__ = ["ANY", "Shape", "Tagged", "odd_fields"]

ANY = object
"""Whatever it is, the reader shows it or has a finding of its own."""


class Tagged(msgspec.Struct, frozen=True):
    """An object whose shape depends on the text in one of its fields; unknown ones are the reader's matter."""

    key: str
    shapes: Mapping[str, Shape]


Shape = type | list[Any] | dict[str, Any] | tuple[Any, ...] | Tagged
"""``str`` a text; ``[shape]`` a list; ``{key: shape}`` an object (``*`` any key); a tuple: the first of these that
fits, an object when it has one of the fields; ``ANY``."""

_Link = tuple[Any, "str | int"] | None
_Open = tuple[Any, Any, _Link]
"""A value, its shape, and where it stands."""
_KINDS = {str: "a text", list: "a list", dict: "an object", bool: "true", int: "a number", float: "a number"}


def odd_fields(value: Any, shape: Shape, *base: str | int) -> Iterator[Diagnostic]:
    """A finding for each place where something stands that the shape does not have there.

    Args:
        value: a record, or a whole document.
        shape: what should stand where. A field that is missing or empty is never odd.
        base: where the value itself stands.
    """
    above: _Link = None
    for step in base:
        above = (above, step)
    pending: list[_Open] = [(value, shape, above)] if value else []
    while pending:
        held, wanted, link = pending.pop()
        if type(wanted) is not dict or type(held) is not dict:
            wanted = _fitting(held, wanted)
        if wanted is None:
            yield _finding(held, link)
        elif type(wanted) is dict:
            _add_fields(held, wanted, link, pending)
        elif type(wanted) is list:
            pending += [(one, wanted[0], (link, index)) for index, one in enumerate(held) if one]


def _add_fields(held: dict[str, Any], shape: dict[str, Any], link: _Link, pending: list[_Open]) -> None:
    """The filled fields that the shape knows are to be looked at; texts that are texts are done."""
    if "*" in shape:
        pending += [(one, shape["*"], (link, key)) for key, one in held.items() if one]
        return
    for key, inner in shape.items():
        one = held.get(key)
        if one and not (inner is str and type(one) is str):
            pending.append((one, inner, (link, key)))


def _fitting(held: Any, wanted: Any) -> Any:
    """The alternative that the value fits, or None."""
    if type(wanted) is tuple:
        for one in wanted:
            fits = _fitting(held, one) if _alike(held, one) else None
            if fits is not None:
                return fits
        return None
    if type(wanted) is Tagged:
        if type(held) is not dict:
            return None
        tag = held.get(wanted.key)
        return wanted.shapes.get(tag, ANY) if type(tag) is str else ANY
    return wanted if wanted is ANY or type(held) is (str if wanted is str else type(wanted)) else None


def _alike(held: Any, wanted: Any) -> bool:
    """Whether the value can be this alternative: an object is, when it has one of its fields."""
    if type(wanted) is not dict or not wanted:
        return True
    return type(held) is dict and not wanted.keys().isdisjoint(held)


def _finding(held: Any, link: _Link) -> Diagnostic:
    path: list[str | int] = []
    while link is not None:
        link, step = link
        path.append(step)
    where = "/".join(map(str, reversed(path)))
    kind = _KINDS.get(type(held), type(held).__name__)
    return note(
        "odd_field",
        f"Here stands {kind}, which this format does not have here; it is kept but not shown.",
        where,
    )
