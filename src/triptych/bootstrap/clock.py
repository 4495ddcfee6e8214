"""The real clock, and names that sort by the time at which they were made."""

from __future__ import annotations

import secrets
import threading
import time

__all__ = ["SystemClock"]

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_TIME_DIGITS = 9


class SystemClock:
    """Epoch milliseconds that never go back while the process lives, whatever the wall clock does."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._latest = 0
        self._named = 0

    def now(self) -> int:
        """Epoch milliseconds, UTC."""
        with self._lock:
            self._latest = max(self._latest, time.time_ns() // 1_000_000)
            return self._latest

    def new_id(self) -> str:
        """20 characters: the time, then chance. Two ids of one process never sort against their order."""
        now = self.now()
        with self._lock:
            self._named = max(self._named + 1, now << 8)
            stamp = self._named
        return _digits(stamp >> 8, _TIME_DIGITS) + _digits(stamp & 0xFF, 2) + _digits(secrets.randbits(45), 9)


def _digits(number: int, width: int) -> str:
    return "".join(_ALPHABET[(number >> shift) & 31] for shift in range(5 * (width - 1), -1, -5))
