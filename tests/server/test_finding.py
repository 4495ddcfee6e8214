from __future__ import annotations

from triptych.ports.vault import NoteInfo
from triptych.server.finding import find_notes


def note(path, *tags, modified_at=0):
    title = path.rpartition("/")[2].removesuffix(".md")
    return NoteInfo(path=path, title=title, size=1, modified_at=modified_at, tags=tags)


NOTES = [
    note("Boats/Old heron.md"),
    note("Heron.md"),
    note("Heron pond/Reeds.md"),
    note("Marsh.md", "heron"),
    note("Tides.md", modified_at=5),
]


def test_the_beginning_of_a_title_comes_before_the_middle_a_tag_and_a_path():
    assert [one.path for one in find_notes(NOTES, "HER", 9)] == [
        "Heron.md",
        "Boats/Old heron.md",
        "Marsh.md",
        "Heron pond/Reeds.md",
    ]


def test_every_word_has_to_occur():
    assert [one.path for one in find_notes(NOTES, "heron reed", 9)] == ["Heron pond/Reeds.md"]


def test_without_words_the_last_changed_come_first():
    assert find_notes(NOTES, " ", 1)[0].path == "Tides.md"
