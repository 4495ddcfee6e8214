"""Counting tokens once: of texts by their digest, of rows by what a model reads of them, of a history by its new part.

    counter = TokenCounter(best_counter(), cache={})
    tally = counter.tally(rows)
    tally = counter.tally(rows + new, after=tally)        # looks at the new rows only

The cache is handed in, so the caller decides how long it lives and whether it is shared. Counts are of the o200k
vocabulary; ``factor`` turns them into the tokens of another family, and ``learn`` corrects it by what a provider
reported.

Not here: what fits (``budget``).
"""

from __future__ import annotations

import hashlib
import importlib
import json
import math
import warnings
from collections.abc import Callable, MutableMapping, Sequence
from functools import partial
from typing import Any

import msgspec

from triptych.context.reuse import common_length
from triptych.context.rowwork import listed, mapping
from triptych.context.tokens.estimate import estimate_tokens
from triptych.context.tokens.media import media_tokens
from triptych.model.rows import Row

__all__ = ["CountText", "Tally", "TokenCounter", "best_counter", "learn"]

CountText = Callable[[str], int]
"""The tokens of a text, in the o200k vocabulary or by an estimate of it."""

_OVERHEAD = 4
"""Tokens around each message (OpenAI's guide to counting: three, and one for the role)."""

_MORE_TO_READ = frozenset({"tools", "tool_calls", "reasoning", "imageList", "videoList", "audioList"})
_SHORT = 24
_SLOWEST = 0.2


class Tally(msgspec.Struct, frozen=True):
    """The counts of a history.

    Attributes:
        rows: the rows that were counted.
        counts: tokens of each row.
        total: their sum.
    """

    rows: tuple[Row, ...] = ()
    counts: tuple[int, ...] = ()
    total: int = 0


class TokenCounter:
    """Counts texts and rows, each content once.

    Args:
        count: how a text is counted.
        cache: token counts by content digest, kept by the caller.
        factor: this family's tokens for one that is counted (``Profile.token_factor``, times what was learnt).
        family: whose rules media are counted by.
    """

    def __init__(
        self,
        count: CountText = estimate_tokens,
        *,
        cache: MutableMapping[bytes, int] | None = None,
        factor: float = 1.0,
        family: str = "openai",
    ) -> None:
        self._count = count
        self._cache: MutableMapping[bytes, int] = {} if cache is None else cache
        self.factor = factor
        self.family = family

    def with_factor(self, factor: float) -> TokenCounter:
        """A counter over the same cache for another family or after a correction; the cache holds plain counts."""
        return TokenCounter(self._count, cache=self._cache, factor=factor, family=self.family)

    def text(self, text: str) -> int:
        """The tokens of a text for this family."""
        return math.ceil(self._plain(text) * self.factor)

    def row(self, row: Row) -> int:
        """The tokens of all that a model reads of a row: text, calls, reasoning, media."""
        content = row.get("content")
        plain = self._plain(content) if isinstance(content, str) else 0
        if not isinstance(content, str) or not _MORE_TO_READ.isdisjoint(row):
            plain += sum(self._plain(text) for text in _other_texts(row))
            return math.ceil(plain * self.factor) + media_tokens(row, self.family) + _OVERHEAD
        return math.ceil(plain * self.factor) + _OVERHEAD

    def tally(self, rows: Sequence[Row], after: Tally | None = None) -> Tally:
        """The counts of all rows; those at the start that were counted before are not looked at again."""
        given = tuple(rows)
        known = after or Tally()
        common = common_length(known.rows, given)
        fresh = tuple(self.row(row) for row in given[common:])
        kept = known.total if common == len(known.rows) else sum(known.counts[:common])
        return Tally(given, known.counts[:common] + fresh, kept + sum(fresh))

    def _plain(self, text: str) -> int:
        data = text.encode("utf-8", "surrogatepass")
        key = data if len(data) <= _SHORT else hashlib.blake2b(data, digest_size=16).digest()
        found = self._cache.get(key)
        if found is None:
            found = self._count(text)
            self._cache[key] = found
        return found


def best_counter() -> CountText:
    """The counter of the o200k vocabulary when ``bpe-openai`` is installed, else the estimate.

    Its bindings are called directly: the package's own encoder refuses long texts.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            bindings: Any = importlib.import_module("bpe_openai._bindings")
        tokenizer = bindings.tokenizer_for_encoding("o200k_base")
    except (ImportError, AttributeError, ValueError):
        return estimate_tokens
    return partial(_exact, tokenizer.count)


def learn(factor: float, *, counted: int, reported: int | None) -> float:
    """The factor after a provider reported input tokens for a request that was counted with ``factor``.

    One report moves it at most by a fifth, and nonsense (zero, nothing, ten times off) not at all.
    """
    if not reported or counted <= 0 or not 0.1 < reported / counted < 10:
        return factor
    ratio = min(max(reported / counted, 1 - _SLOWEST), 1 + _SLOWEST)
    return factor * ratio


def _exact(count: CountText, text: str) -> int:
    try:
        return count(text)
    except UnicodeEncodeError:
        return count(text.encode("utf-8", "replace").decode("utf-8"))


def _other_texts(row: Row) -> list[str]:
    """All words that a model reads of a row, but a content that is a string."""
    content = row.get("content")
    texts: list[str] = []
    for part in listed(content):
        texts.extend(text for text in map(mapping(part).get, ("text", "thinking")) if isinstance(text, str))
    calls = listed(row.get("tool_calls")) or listed(row.get("tools"))
    texts.extend(_call_text(mapping(call)) for call in calls)
    thought = mapping(row.get("reasoning")).get("content")
    if isinstance(thought, str) and not isinstance(content, list):
        texts.append(thought)
    return texts


def _call_text(call: Any) -> str:
    function = mapping(call.get("function"))
    name = function.get("name") or f"{call.get('identifier')}____{call.get('apiName')}"
    given = function.get("arguments") if function else call.get("arguments")
    return f"{call.get('id')} {name} {given if isinstance(given, str) else json.dumps(given, default=str)}"
