"""Finding notes, and keeping the index true."""

import asyncio
import os
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from triptych.errors import StoreError
from triptych.vault import FolderVault
from triptych.vault.search import VaultSearch
from triptych.vault.search.chunks import chunks_of
from triptych.vault.search.watch import keep_fresh

NOTES = {
    "Garden/Tomatoes.md": "---\ntags: [garden/food]\naliases: [love apples]\n---\n# Tomatoes\nSow in March.\n\n## Watering\nWater the tomatoes every second day, early.\n",
    "Garden/Roses.md": "# Roses\nPrune roses in February. See [[Tomatoes]].",
    "Journal/Monday.md": "Watered the tomatoes and the roses today. #diary",
    "日記.md": "# 記録\n機械学習のノートを読みました。消息不明。",
    "Work/Launch.md": "# Launch plan\nThe launch date is 14 May.\nThe party is later.",
    "naïve.md": "Ein naïves Café in Zürich.",
}


def run(work):
    return asyncio.run(work)


@pytest.fixture
def root(tmp_path):
    root = tmp_path / "vault"
    for path, text in NOTES.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return root


def search(root):
    return VaultSearch(FolderVault(root), root.parent / "index.db")


async def paths(one, question, **options):
    return [hit.path for hit in await one.query(question, **options)]


def asked(root, *questions, **options):
    async def work():
        one = search(root)
        await one.index()
        found = [await one.query(question, **options) for question in questions]
        await one.close()
        return found

    return run(work())


def test_a_question_finds_the_note_and_its_lines(root):
    hit = asked(root, "What is the launch date?")[0][0]
    assert (hit.path, hit.title, hit.heading) == ("Work/Launch.md", "Launch", "Launch plan")
    assert (hit.start_line, hit.end_line) == (1, 3)
    lines = NOTES["Work/Launch.md"].split("\n")
    assert hit.text == "\n".join(lines[hit.start_line - 1 : hit.end_line])


def test_lines_count_the_front_matter(root):
    hit = asked(root, "tomatoes")[0][0]
    assert hit.path == "Garden/Tomatoes.md"
    assert (hit.start_line, hit.end_line) == (5, 9)


def test_titles_aliases_tags_and_word_forms_are_found(root):
    alias, tag, nested, form = asked(root, "love apples", "#garden", "#garden/food", "watering tomato")
    assert [hit.path for hit in alias] == ["Garden/Tomatoes.md"]
    assert [hit.path for hit in tag] == ["Garden/Tomatoes.md"] == [hit.path for hit in nested]
    assert form[0].path == "Garden/Tomatoes.md"
    assert "Journal/Monday.md" in [hit.path for hit in form]


def test_substrings_of_unspaced_scripts_are_found(root):
    for hits in asked(root, "機械学習", "消息", "学習", "ノート", "記", "機械学習について教えて"):
        assert [hit.path for hit in hits] == ["日記.md"]
    assert asked(root, "息消") == [[]]


def test_accents_do_not_matter(root):
    for hits in asked(root, "cafe zurich", "NAÏVE"):
        assert [hit.path for hit in hits] == ["naïve.md"]


@pytest.mark.parametrize(
    "question", ["", "?", "x", "zzzz", '"', "a OR b AND", "NEAR(", "*", "#", "title:", "\0", "'; drop", "the"]
)
def test_any_question_is_answered_without_an_error(root, question):
    for hit in asked(root, question)[0]:
        assert hit.path in NOTES


def test_a_search_can_be_kept_within_patterns(root):
    inside = asked(root, "tomatoes roses", within=["Garden/"])[0]
    assert {hit.path for hit in inside} == {"Garden/Tomatoes.md", "Garden/Roses.md"}
    assert asked(root, "tomatoes", within=["Nowhere/"]) == [[]]
    outside = asked(root, "tomatoes roses", without=["Garden/"])[0]
    assert not any(hit.path.startswith("Garden/") for hit in outside)
    assert asked(root, "tomatoes", within=["Garden/"], without=["Garden/"]) == [[]]


def test_only_what_changed_is_read_again(root):
    async def work():
        one = search(root)
        told = []
        first = await one.index(lambda done, all_: told.append((done, all_)))
        assert (first.total, first.indexed, first.removed) == (6, 6, 0)
        assert told == [(6, 6)]
        again = await one.index()
        assert (again.indexed, again.removed) == (0, 0)
        (root / "Work/Launch.md").write_text("The launch date is 21 June now.")
        (root / "Garden/Roses.md").unlink()
        (root / "New.md").write_text("A fresh launch.")
        third = await one.index()
        assert (third.total, third.indexed, third.removed) == (6, 2, 1)
        assert set(await paths(one, "launch")) == {"Work/Launch.md", "New.md"}
        assert (await one.query("launch date"))[0].text == "The launch date is 21 June now."
        assert await paths(one, "prune") == []
        await one.close()

    run(work())


def test_one_file_is_reindexed_or_forgotten(root):
    async def work():
        one = search(root)
        await one.index()
        (root / "Work/Launch.md").write_text("Postponed, said the zebra.")
        await one.reindex("Work/Launch.md")
        assert await paths(one, "zebra") == ["Work/Launch.md"]
        (root / "Work/Launch.md").unlink()
        await one.reindex("Work/Launch.md")
        assert await paths(one, "zebra") == []
        await one.reindex("../outside.md")
        await one.close()

    run(work())


def test_unreadable_notes_are_told_and_the_rest_is_indexed(root):
    (root / "broken.md").write_bytes(b"a\0\x01b")
    (root / "odd.md").write_text("---\na: [\n---\nstill found by pelican")

    async def work():
        one = search(root)
        report = await one.index()
        assert sorted(found.code for found in report.diagnostics) == [
            "front_matter_unreadable",
            "note_binary",
        ]
        assert await paths(one, "pelican") == ["odd.md"]
        assert (await one.index()).indexed == 0
        await one.close()

    run(work())


def test_a_damaged_index_is_made_anew(root):
    place = root.parent / "index.db"
    for damage in (b"this is no index" * 300, b""):
        place.write_bytes(damage)
        assert asked(root, "launch")[0]


def test_an_index_of_another_version_is_made_anew(root):
    import sqlite3

    asked(root, "launch")
    with sqlite3.connect(root.parent / "index.db") as database:
        database.execute("PRAGMA user_version = 99")
    database.close()
    assert asked(root, "launch")[0]


def test_an_index_that_has_no_place_is_an_error_in_a_sentence(root):
    one = VaultSearch(FolderVault(root), root.parent / "nowhere" / "index.db")
    with pytest.raises(StoreError, match="cannot be opened"):
        run(one.index())


def test_excluded_notes_are_not_found_and_other_exclusions_make_the_index_anew(root):
    async def work():
        one = VaultSearch(FolderVault(root), root.parent / "index.db", exclude=["Journal/", "#garden/food"])
        await one.index()
        assert await paths(one, "tomatoes") == ["Garden/Roses.md"]
        await one.close()
        again = search(root)
        assert (await again.index()).indexed == 6
        found = {"Garden/Tomatoes.md", "Garden/Roses.md", "Journal/Monday.md"}
        assert set(await paths(again, "tomatoes")) == found
        await again.close()

    run(work())


def test_asking_and_indexing_may_open_a_new_file_at_once(root):
    async def work():
        several = [search(root) for _ in range(4)]
        await asyncio.gather(*(one.index() for one in several), *(one.query("launch") for one in several))
        for one in several:
            assert await paths(one, "launch date") == ["Work/Launch.md"]
            await one.close()

    run(work())


def test_a_query_may_run_while_the_index_is_written(root):
    async def work():
        one = search(root)
        await one.index()
        for number in range(300):
            (root / f"n{number}.md").write_text(f"filler {number} launch")
        gate = threading.Event()
        writing = asyncio.ensure_future(one.index(lambda done, _all: gate.wait(40) if done < 300 else None))
        await asyncio.sleep(0.05)
        assert await asyncio.wait_for(paths(one, "launch date"), 20)
        gate.set()
        await writing
        await one.close()

    run(work())


def test_linked_and_fresh_notes_come_first(root):
    for name in ("One", "Two"):
        (root / f"{name}.md").write_text("the very same pelican text")
        os.utime(root / f"{name}.md", (1_000_000_000, 1_000_000_000))
    (root / "Linking.md").write_text("[[Two]]")
    assert [hit.path for hit in asked(root, "pelican")[0]] == ["Two.md", "One.md"]
    (root / "Linking.md").unlink()
    os.utime(root / "One.md")
    assert [hit.path for hit in asked(root, "pelican")[0]] == ["One.md", "Two.md"]


def test_no_note_fills_the_list_alone(root):
    long = "\n\n".join(f"## Part {number}\n" + "pelican " * 200 for number in range(8))
    (root / "Long.md").write_text(long)
    (root / "Short.md").write_text("a pelican")
    found = [hit.path for hit in asked(root, "pelican", limit=5)[0]]
    assert found.count("Long.md") == 2
    assert "Short.md" in found


def test_edits_are_heard(root):
    pytest.importorskip("watchfiles")

    async def work():
        one = search(root)
        await one.index()
        watching = asyncio.ensure_future(keep_fresh(one, root))
        await asyncio.sleep(0.5)
        (root / "Work/Launch.md").write_text("an ostrich")
        for _ in range(100):
            if await paths(one, "ostrich"):
                break
            await asyncio.sleep(0.05)
        assert await paths(one, "ostrich") == ["Work/Launch.md"]
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
        await one.close()

    run(work())


LINES = st.sampled_from(["# H", "## Sub", "", "text " * 5, "word", "x" * 90, "```", "- item"])


@settings(max_examples=200, deadline=None)
@given(st.lists(LINES, max_size=40).map("\n".join), st.integers(20, 120))
def test_chunks_are_the_note_and_nothing_else(body, longest):
    lines = body.split("\n")
    chunks = chunks_of(body, longest=longest)
    told = set()
    for chunk in chunks:
        assert len(chunk.text) <= longest
        block = "\n".join(lines[chunk.start_line - 1 : chunk.end_line])
        assert chunk.text in block
        told.update(range(chunk.start_line, chunk.end_line + 1))
    assert all(number in told for number, line in enumerate(lines, 1) if line.strip())
    assert "".join("".join(chunk.text.split()) for chunk in chunks) == "".join(body.split())
    assert [one.start_line for one in chunks] == sorted(one.start_line for one in chunks)
