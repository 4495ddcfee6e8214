"""Tokens and timings: where rows keep them, and how those of several steps add up.

Not here: prices, budgets (``context/budget``), and which steps belong together (``chains``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from triptych.flow.reading import is_object

__all__ = ["Totals", "aggregate", "measures", "other_metadata", "split_metadata"]

_TOKENS: Final = (
    "acceptedPredictionTokens", "cost", "inputAudioTokens", "inputCacheMissTokens", "inputCachedTokens",
    "inputCitationTokens", "inputImageTokens", "inputTextTokens", "inputVideoTokens", "inputToolTokens",
    "inputWriteCacheTokens", "outputAudioTokens", "outputImageTokens", "outputReasoningTokens",
    "outputTextTokens", "rejectedPredictionTokens", "totalInputTokens", "totalOutputTokens", "totalTokens",
)  # fmt: skip
_TIMINGS: Final = ("duration", "latency", "tps", "ttft")
_TOKEN_SET: Final = frozenset(_TOKENS)
_TIMING_SET: Final = frozenset(_TIMINGS)
_MEASURES: Final = _TOKEN_SET | _TIMING_SET | {"usage", "performance"}


def other_metadata(about: Mapping[str, Any]) -> dict[str, Any]:
    """The metadata that is neither tokens nor timings."""
    if _MEASURES.issuperset(about):
        return {}
    return {key: value for key, value in about.items() if key not in _MEASURES}


def measures(about: Mapping[str, Any]) -> dict[str, Any]:
    """The metadata that is tokens and timings only."""
    return {key: value for key, value in about.items() if key in _MEASURES}


def split_metadata(about: Mapping[str, Any]) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """Usage and performance: the nested objects, filled up from the older flat keys; None when empty.

    An object that needs no filling up is the stored one itself: do not change it.
    """
    if not about:
        return None, None
    return _filled(about, "usage", _TOKEN_SET), _filled(about, "performance", _TIMING_SET)


def _filled(about: Mapping[str, Any], name: str, keys: frozenset[str]) -> dict[str, Any] | None:
    nested: Any = about.get(name)
    found: dict[str, Any] = {}
    if nested is not None and nested.__class__ is dict:
        found = nested
    elif is_object(nested):
        found = dict(nested)
    if not keys.isdisjoint(about):
        found = {**found, **{key: about[key] for key in about if key in keys and key not in found}}
    return found or None


class Totals:
    """Sums over the blocks of a group, fed one block at a time.

    Tokens add up; of timings the first ``ttft``, the mean ``tps`` and the summed durations count.
    """

    __slots__ = ("performance", "rates", "usage")

    def __init__(self) -> None:
        self.usage: dict[str, float] = {}
        self.performance: dict[str, Any] = {}
        self.rates: list[float] = [0, 0]

    def add(self, block: Mapping[str, Any]) -> None:
        """Count one block in."""
        usage = block.get("usage")
        if is_object(usage):
            self._add_usage(usage)
        performance = block.get("performance")
        if is_object(performance):
            self._add_performance(performance)

    def _add_usage(self, usage: Mapping[str, Any]) -> None:
        total = self.usage
        for key, value in usage.items():
            if key in _TOKEN_SET and (value.__class__ is int or value.__class__ is float):
                total[key] = total.get(key, 0) + value

    def _add_performance(self, performance: Mapping[str, Any]) -> None:
        total = self.performance
        if "ttft" in performance:
            total.setdefault("ttft", performance["ttft"])
        for key in ("duration", "latency"):
            if _is_number(performance.get(key)):
                total[key] = total.get(key, 0) + performance[key]
        if _is_number(performance.get("tps")):
            self.rates[0] += performance["tps"]
            self.rates[1] += 1
            total["tps"] = self.rates[0] / self.rates[1]

    def with_block(self, block: Mapping[str, Any]) -> dict[str, Any]:
        """The sums as they would be with one block more: ``usage`` and ``performance``, where there are any."""
        sums = Totals()
        sums.usage, sums.performance, sums.rates = dict(self.usage), dict(self.performance), list(self.rates)
        sums.add(block)
        return {
            key: value for key, value in (("usage", sums.usage), ("performance", sums.performance)) if value
        }


def aggregate(blocks: Iterable[Mapping[str, Any]]) -> Totals:
    """The totals over all blocks."""
    totals = Totals()
    for block in blocks:
        totals.add(block)
    return totals


def _is_number(value: Any) -> bool:
    return value.__class__ is int or value.__class__ is float
