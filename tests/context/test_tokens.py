"""Counting: once for each content, only what is new, and corrected by what was reported."""

import builtins

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from triptych.context.tokens import counter as counters
from triptych.context.tokens.counter import Tally, TokenCounter, best_counter, learn
from triptych.context.tokens.estimate import estimate_tokens
from triptych.context.tokens.media import image_tokens, media_tokens, second_tokens
from triptych.context.tokens.segments import estimate_segments


def words(text):
    return len(text.split())


class Counted:
    def __init__(self):
        self.texts = []

    def __call__(self, text):
        self.texts.append(text)
        return words(text)


def test_a_content_is_counted_once_however_often_it_stands_there():
    count, cache = Counted(), {}
    TokenCounter(count, cache=cache).tally([{"role": "user", "content": "the same words"}] * 5)
    TokenCounter(count, cache=cache, factor=2.0).text("the same words")
    assert count.texts == ["the same words"]


def test_a_longer_history_costs_only_its_new_rows():
    count = Counted()
    counter = TokenCounter(count)
    rows = [{"role": "user", "content": f"row {number}"} for number in range(50)]
    tally = counter.tally(rows)
    count.texts.clear()
    longer = counter.tally([*rows, {"role": "user", "content": "new one"}], after=tally)
    assert count.texts == ["new one"]
    assert longer.total == tally.total + 6
    assert counter.tally(rows[:10], after=longer).total == 60


def test_all_that_a_model_reads_of_a_row_is_counted():
    counter = TokenCounter(words)
    call = {"id": "k", "identifier": "fs", "apiName": "read", "arguments": '{"a": 1}'}
    assert counter.row({"role": "assistant", "content": "one two", "tools": [call]}) == 2 + 4 + 4
    wire = {"id": "k", "function": {"name": "fs____read", "arguments": {"a": 1}}}
    assert counter.row({"role": "assistant", "content": "", "tool_calls": [wire]}) == 4 + 4
    assert (
        counter.row({"role": "assistant", "content": "x", "reasoning": {"content": "deep thought"}})
        == 1 + 2 + 4
    )
    parts = [{"type": "text", "text": "a b c"}, {"type": "image_url", "image_url": {"detail": "low"}}]
    assert counter.row({"role": "user", "content": parts}) == 3 + 85 + 4
    assert counter.row({}) == 4


def test_a_family_has_its_factor():
    counter = TokenCounter(words, factor=1.5)
    assert counter.text("one two three") == 5
    assert counter.with_factor(1.0).text("one two three") == 3


@pytest.mark.parametrize(
    ("counted", "reported", "factor"),
    [
        (100, 110, 1.1),
        (100, 400, 1.2),
        (100, 20, 0.8),
        (100, 0, 1.0),
        (100, None, 1.0),
        (0, 5, 1.0),
        (1, 900, 1.0),
    ],
)
def test_a_report_corrects_the_factor_a_little_at_a_time(counted, reported, factor):
    assert learn(1.0, counted=counted, reported=reported) == pytest.approx(factor)


def test_reports_bring_the_count_to_the_truth():
    factor, counted = 1.0, 1_000
    for _ in range(12):
        factor = learn(factor, counted=round(counted * factor), reported=1_700)
    assert counted * factor == pytest.approx(1_700, rel=0.01)


def test_the_vocabulary_counts_when_it_is_installed_and_any_text_is_counted():
    count = best_counter()
    assert count("hello world") == 2
    assert count("broken \ud800 text") > 0


def test_without_the_vocabulary_the_estimate_counts(monkeypatch):
    def refuse(name):
        raise ImportError(name)

    monkeypatch.setattr(counters.importlib, "import_module", refuse)
    assert best_counter() is estimate_tokens


@settings(max_examples=100, deadline=None)
@given(st.text())
def test_the_estimate_takes_any_text(text):
    assert (estimate_tokens(text) > 0) == bool(text)
    assert estimate_segments(text) >= 0


@pytest.mark.parametrize("module", [builtins, counters, pytest])
def test_the_estimate_is_near_the_vocabulary_on_words(module):
    text = (module.__doc__ or "") * 20
    real = best_counter()(text)
    assert abs(estimate_tokens(text) - real) < 0.3 * real


def test_pictures_cost_what_the_vendors_say():
    assert image_tokens("openai", 1024, 1024) == 765
    assert image_tokens("openai", 2048, 4096) == 1105
    assert image_tokens("openai", low=True) == 85
    assert image_tokens("anthropic", 1092, 1092) == 1590
    assert image_tokens("anthropic", 4000, 4000) == 3279
    assert image_tokens("google", 300, 300) == 258
    assert image_tokens("google", 1000, 1000) == 4 * 258


def test_sound_and_film_cost_by_the_second():
    assert second_tokens("google", "audio") == 32
    assert media_tokens({"audioList": [{"duration": 3}]}) == 30
    assert media_tokens({"videoList": [{}]}, "google") == 2630
    assert media_tokens({"content": [{"type": "file"}, {"type": "input_audio"}, None]}) == 1500 + 100
    assert media_tokens({"imageList": [{"width": "wide", "height": -1}]}) == 765


def test_an_empty_tally_is_nothing():
    assert TokenCounter().tally([]) == Tally()
