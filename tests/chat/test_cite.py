"""What an answer rests on: a sentence that it shares words with, and what a search found."""

from __future__ import annotations

from triptych.chat.cite import cite, passages
from triptych.context.envelope import Source


def note(body, path="Tides.md"):
    return Source(key=f"note:{path}", kind="note", title="Tides", body=body, facts=(("path", path),))


def hit(body, first, last, path="Tides.md"):
    facts = (("path", path), ("start_line", str(first)), ("end_line", str(last)))
    return Source(key=f"search:{path}:{first}-{last}", kind="search", title="Tides", body=body, facts=facts)


BODY = "# Tides\n\nSaturday is calm.\nHigh water on Saturday is at 07:10."


def test_the_sentence_of_a_note_is_cited_with_its_line():
    found = cite("It is at 07:10.", "When is high water on Saturday?", [note(BODY)])
    assert (found.quote, found.path, found.start_line) == (
        "High water on Saturday is at 07:10.",
        "Tides.md",
        4,
    )


def test_a_sentence_of_a_found_passage_is_cited_where_it_stands_in_the_file():
    found = cite("It is at 07:10.", "When is high water on Saturday?", [hit(BODY, 21, 24)])
    assert (found.start_line, found.end_line) == (24, 24)


def test_an_answer_that_shares_no_words_cites_nothing():
    assert cite("Bread and butter.", "Supper?", [hit(BODY, 1, 4)]) is None


def test_every_found_passage_is_a_source_with_its_lines():
    found = passages([hit("One.", 1, 4), note("Two."), hit("Three.", 7, 9, "Boats.md")])
    assert [(one.path, one.start_line, one.end_line, one.quote) for one in found] == [
        ("Tides.md", 1, 4, None),
        ("Boats.md", 7, 9, None),
    ]


def test_a_passage_that_is_quoted_is_not_named_a_second_time():
    sources = [hit(BODY, 21, 24), hit("Elsewhere.", 30, 31)]
    quoted = cite("It is at 07:10.", "When is high water on Saturday?", sources)
    assert [one.start_line for one in passages(sources, beside=quoted)] == [30]
