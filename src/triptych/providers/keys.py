"""Keys: read from the environment or from a file that only its owner can read; shown nowhere.

``NAME`` in the environment wins; otherwise ``NAME_FILE`` names a file. A key is sent in one header and scrubbed
from whatever a server says back.
"""

from __future__ import annotations

import stat
from collections.abc import Mapping
from pathlib import Path

from triptych.errors import UsageError

__all__ = ["Secret", "find_key", "need_key"]

_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_SHORTEST_SCRUBBED = 6


class Secret:
    """A key that does not show itself when it is printed, logged or compared in a failing test."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def __repr__(self) -> str:
        return "Secret(…)"

    def reveal(self) -> str:
        """The key itself, for the one header that carries it."""
        return self._value

    def scrub(self, text: str) -> str:
        """The text without the key."""
        return text.replace(self._value, "…") if len(self._value) >= _SHORTEST_SCRUBBED else text


def find_key(names: tuple[str, ...], env: Mapping[str, str]) -> Secret | None:
    """The first key that is set under one of these names, or None."""
    for name in names:
        if value := env.get(name, "").strip():
            return _checked(value, name)
        if path := env.get(f"{name}_FILE", "").strip():
            return _checked(_read_private(Path(path).expanduser(), name), name)
    return None


def need_key(names: tuple[str, ...], env: Mapping[str, str], *, vendor: str) -> Secret:
    """The key, or a ``UsageError`` that says where to put it."""
    key = find_key(names, env)
    if key is None:
        raise UsageError(
            f"{vendor} needs a key: set {names[0]}, or put the key into a file that only you can read"
            f" (chmod 600) and set {names[0]}_FILE to its path."
        )
    return key


def _read_private(path: Path, name: str) -> str:
    try:
        mode = path.stat().st_mode
        text = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as problem:
        reason = getattr(problem, "strerror", None) or "it is no text"
        raise UsageError(f"The key file that {name}_FILE names cannot be read: {reason}.") from problem
    if mode & _OTHERS:
        raise UsageError(
            f"The key file that {name}_FILE names can be read by others: run chmod 600 on it first."
        )
    if not text:
        raise UsageError(f"The key file that {name}_FILE names is empty.")
    return text


def _checked(value: str, name: str) -> Secret:
    """A key goes into a header: it must be printable ASCII in one line."""
    if not (value.isascii() and value.isprintable() and " " not in value):
        raise UsageError(f"The key in {name} holds characters that no key has; copy it again.")
    return Secret(value)
