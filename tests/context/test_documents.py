"""Documents of an agent: where they stand and when they are loaded."""

import pytest

from triptych.context.draft import draft_of
from triptych.context.injectors.documents import (
    agent_documents,
    combine_documents,
    documents_for,
    replace_system,
)


def document(name, **more):
    return {"filename": name, "content": name.upper(), "policyLoad": "always", **more}


def names(documents, place="before-first-user", **facts):
    return [one["filename"] for one in documents_for(documents, [place], **facts)]


def test_documents_stand_where_they_say_and_by_priority():
    documents = [
        document("b"),
        document("a", loadRules={"priority": 1}),
        document("c", loadPosition="context-end"),
        document("d", loadPosition="manual"),
        document("e", policyLoad="disabled"),
    ]
    assert names(documents) == ["a", "b"]
    assert names(documents, "context-end") == ["c"]


@pytest.mark.parametrize(
    ("rules", "message", "loaded"),
    [
        ({"rule": "always"}, None, True),
        ({"rule": "unheard-of"}, None, True),
        ({"rule": "by-keywords", "keywords": ["Release"]}, "the release is near", True),
        ({"rule": "by-keywords", "keywords": ["a", "b"], "keywordMatchMode": "all"}, "a only", False),
        ({"rule": "by-keywords", "keywords": [" "]}, "a", False),
        ({"rule": "by-keywords", "keywords": ["a"]}, None, False),
        ({"rule": "by-regexp", "regexp": "re+l"}, "REEL", True),
        ({"rule": "by-regexp", "regexp": "("}, "x", False),
        ({"rule": "by-regexp"}, "x", False),
    ],
)
def test_rules_look_at_the_users_message(rules, message, loaded):
    assert bool(names([document("a", loadRules=rules)], message=message)) is loaded


@pytest.mark.parametrize(
    ("span", "now", "loaded"),
    [
        ({"from": "2026-03-13T11:00:00Z", "to": "2026-03-13T13:00:00Z"}, "2026-03-13T13:00:00Z", True),
        ({"from": "2026-03-13T11:00:00Z"}, 0, False),
        ({"to": "2026-03-13T11:00:00Z"}, 0, True),
        ({"from": "no time"}, 0, False),
        ({}, "no time", False),
    ],
)
def test_a_span_of_time_has_both_its_ends(span, now, loaded):
    rules = {"rule": "by-time-range", "timeRange": span}
    assert bool(names([document("a", loadRules=rules)], now=now)) is loaded


def test_whole_documents_are_told_and_the_others_listed():
    text = combine_documents(
        [
            document("a"),
            document("b", policyLoadFormat="file", id="1", title='T"'),
            document("c", loadRules={"maxTokens": 1}, content="one two"),
            document("d", policyLoad="progressive", id="9"),
        ]
    )
    assert text.startswith('A\n\n<agent_document id="1" filename="b" title="T&quot;">\nB\n</agent_document>')
    assert "one\n[The rest is left out.]" in text
    assert '<document id="9" title="d" characters="1" />' in text
    assert combine_documents([]) == ""


def test_each_place_is_a_step():
    rows = [{"role": "user", "content": "hi"}]
    draft = draft_of(rows)
    for step in agent_documents(
        [
            document("a", loadPosition="before-system"),
            document("b"),
            document("c", loadPosition="context-end"),
        ]
    ):
        draft = step(draft)
    assert [row["content"] for row in draft.rows] == ["A", "B", "hi", "C"]
    assert draft.tail == 1


def test_a_document_can_stand_in_place_of_the_system_text():
    step = replace_system([document("r", loadPosition="system-replace")])
    assert step(draft_of([{"role": "system", "content": "old", "parts": []}])).rows == (
        {"role": "system", "content": "R"},
    )
    assert step(draft_of([])).rows == ({"role": "system", "content": "R"},)
    draft = draft_of([])
    assert replace_system([])(draft) is draft


def test_a_file_names_only_what_it_has():
    document = {"policyLoad": "always", "policyLoadFormat": "file", "content": "D", "id": "", "title": None}
    text = combine_documents([{**document, "filename": "a.md"}])
    assert text == '<agent_document filename="a.md">\nD\n</agent_document>'
