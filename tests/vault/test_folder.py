"""Reading a folder of notes, whatever lies in it."""

import asyncio
import os

import pytest

from triptych.errors import UsageError
from triptych.vault import FolderVault
from triptych.vault import folder as folder_module


def run(work):
    return asyncio.run(work)


def write(root, files):
    for path, text in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text if isinstance(text, bytes) else text.encode())
    return FolderVault(root)


@pytest.fixture
def vault(tmp_path):
    root = tmp_path / "vault"
    root.mkdir()
    return write(
        root,
        {
            "Garden.md": "---\ntags: [plants, home/green]\ncount: 3\n---\n# Garden\nSee [[Tools|the tools]] #todo\n",
            "Work/Plan.md": "# Plan\nintro ![[Garden#Beds]]\n## Steps\none\n### First\ndeep\n## Later\nend ^last\n",
            "Work/Tools.md": "tools #todo/soon",
            "Home/Tools.md": "other tools",
            ".obsidian/app.json": "{}",
            ".secret.md": "no",
            "pictures/a.png": b"\x89PNG\r\n\x1a\n....",
        },
    )


def codes(found):
    return [one.code for one in found]


def test_notes_are_listed_by_path_without_hidden_ones(vault):
    notes = run(vault.notes())
    assert [note.path for note in notes] == ["Garden.md", "Home/Tools.md", "Work/Plan.md", "Work/Tools.md"]
    assert (notes[0].title, notes[0].tags) == ("Garden", ("plants", "home/green", "todo"))
    assert notes[0].size > 0
    assert notes[0].modified_at > 1_600_000_000_000


def test_a_note_is_read_with_its_front_matter_links_and_embeds(vault):
    note, found = run(vault.read("Garden.md"))
    assert found == ()
    assert note.front_matter == {"tags": ["plants", "home/green"], "count": 3}
    assert note.body == "# Garden\nSee [[Tools|the tools]] #todo\n"
    assert note.links == ("Tools",)
    plan, _ = run(vault.read("Work/Plan.md"))
    embed = plan.embeds[0]
    assert (embed.link, plan.body[embed.start : embed.end]) == ("Garden#Beds", "![[Garden#Beds]]")


def test_a_note_is_never_stale(vault):
    run(vault.read("Garden.md"))
    (vault.root / "Garden.md").write_text("new")
    assert run(vault.read("Garden.md"))[0].body == "new"


def test_the_list_sees_changed_new_and_deleted_notes(vault):
    run(vault.notes())
    (vault.root / "Garden.md").write_text("now #fresh and longer than before" * 10)
    (vault.root / "New.md").write_text("new")
    (vault.root / "Home/Tools.md").unlink()
    notes = run(vault.notes())
    assert [note.path for note in notes] == ["Garden.md", "New.md", "Work/Plan.md", "Work/Tools.md"]
    assert notes[0].tags == ("fresh",)


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("nothing.md", "note_missing"),
        ("Work", "note_unreadable"),
        ("../outside.md", "note_outside"),
        ("Work/../../outside.md", "note_outside"),
        ("/etc/passwd", "note_outside"),
        ("~/x.md", "note_outside"),
        ("", "note_outside"),
        ("a\0b.md", "note_outside"),
        (".obsidian/app.json", "note_missing"),
        ("x" * 5000, "note_unreadable"),
        ("Garden.md/x", "note_missing"),
        ("pictures/a.png", "note_binary"),
    ],
)
def test_what_cannot_be_read_is_a_diagnostic(vault, path, code):
    (vault.root.parent / "outside.md").write_text("secret")
    note, found = run(vault.read(path))
    assert note is None
    assert codes(found) == [code]


def test_symlinks_that_lead_out_are_neither_listed_nor_read(vault):
    outside = vault.root.parent / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("secret")
    (vault.root / "link.md").symlink_to(outside / "secret.md")
    (vault.root / "folder").symlink_to(outside)
    (vault.root / "inside.md").symlink_to(vault.root / "Garden.md")
    (vault.root / "loop").symlink_to(vault.root)
    (vault.root / "dangling.md").symlink_to(vault.root / "gone.md")
    listed = [note.path for note in run(vault.notes())]
    assert "inside.md" in listed
    assert not {"link.md", "folder/secret.md", "dangling.md"} & set(listed)
    assert not [path for path in listed if path.startswith("loop/")]
    for path in ("link.md", "folder/secret.md"):
        assert codes(run(vault.read(path))[1]) == ["note_outside"]
        assert codes(run(vault.read_bytes(path))[1]) == ["note_outside"]
    assert run(vault.read("inside.md"))[0].body.startswith("# Garden")


def test_a_pipe_does_not_hang_the_reader(vault):
    os.mkfifo(vault.root / "pipe.md")
    assert codes(run(vault.read("pipe.md"))[1]) == ["note_unreadable"]
    assert "pipe.md" not in [note.path for note in run(vault.notes())]


def test_a_huge_note_is_refused_and_the_others_are_listed(vault, monkeypatch):
    monkeypatch.setattr(folder_module, "LARGEST_NOTE", 1000)
    (vault.root / "huge.md").write_text("x" * 1001)
    assert codes(run(vault.read("huge.md"))[1]) == ["note_too_big"]
    assert "huge.md" in [note.path for note in run(vault.notes())]


def test_other_encodings_are_read(vault):
    (vault.root / "utf16.md").write_bytes("schön".encode("utf-16"))
    (vault.root / "bom.md").write_bytes(b"\xef\xbb\xbf---\ntags: x\n---\nbody")
    (vault.root / "old.md").write_bytes("schön".encode("cp1252"))
    assert run(vault.read("utf16.md"))[0].body == "schön"
    assert run(vault.read("bom.md"))[0].info.tags == ("x",)
    note, found = run(vault.read("old.md"))
    assert (note.body, codes(found)) == ("schön", ["encoding_guessed"])


def test_bytes_of_an_image(vault):
    assert run(vault.read_bytes("pictures/a.png")) == (b"\x89PNG\r\n\x1a\n....", ())


def test_links_mean_the_nearest_file(vault):
    def resolve(link, source=None):
        return run(vault.resolve(link, source))

    assert resolve("Tools", "Work/Plan.md") == "Work/Tools.md"
    assert resolve("Tools", "Home/x.md") == "Home/Tools.md"
    assert resolve("[[tools#Part|alias]]", "Garden.md") == "Home/Tools.md"
    assert resolve("Work/Tools") == "Work/Tools.md"
    assert resolve("../Garden.md", "Work/Plan.md") == "Garden.md"
    assert resolve("../../outside", "Work/Plan.md") is None
    assert resolve("#Steps", "Work/Plan.md") == "Work/Plan.md"
    assert resolve("a.png") == "pictures/a.png"
    assert resolve("nowhere") is None
    assert resolve("") is None


def test_links_do_not_mind_how_a_letter_is_composed(vault):
    (vault.root / "Cafe\u0301.md").write_text("x")
    assert run(vault.resolve("caf\u00e9")) == "Cafe\u0301.md"


def test_folders_and_tags_report_what_they_find(vault):
    notes, found = run(vault.folder("Work"))
    assert ([note.path for note in notes], found) == (["Work/Plan.md", "Work/Tools.md"], ())
    assert len(run(vault.folder("/"))[0]) == 4
    assert codes(run(vault.folder("Wor"))[1]) == ["folder_empty"]
    for path in ("work", "/WORK/", "./Work", "Work//"):
        assert run(vault.folder(path))[0] == notes


def test_of_two_folders_that_differ_by_letter_case_the_one_that_is_named_is_meant(tmp_path):
    for name in ("p/a.md", "P/b.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    if len(list(tmp_path.iterdir())) == 2:
        assert [one.path for one in run(FolderVault(tmp_path).folder("P"))[0]] == ["P/b.md"]


def test_a_path_is_one_path_however_it_is_written(vault):
    paths = ["Work/Plan.md", "Work//Plan.md", "./Work/Plan.md", "Work/Plan.md/", "Work/Plan"]
    assert {run(vault.resolve(path)) for path in paths} == {"Work/Plan.md"}
    assert [note.path for note in run(vault.tagged("#TODO"))[0]] == ["Garden.md", "Work/Tools.md"]
    assert [note.path for note in run(vault.tagged("home"))[0]] == ["Garden.md"]
    notes, found = run(vault.tagged("nobody"))
    assert (notes, codes(found)) == ([], ["tag_unknown"])


def test_a_selection_says_what_was_included_excluded_and_unmatched(vault):
    chosen = run(vault.select(["#todo", "Work/", "nowhere/"], ["[[Plan]]"]))
    assert [note.path for note in chosen.included] == ["Garden.md", "Work/Tools.md"]
    assert chosen.excluded == ("Work/Plan.md",)
    assert chosen.unmatched == ("nowhere/",)
    assert run(vault.select([])).included == ()


def test_a_section_and_a_block_of_a_note(vault):
    assert run(vault.heading("Work/Plan.md", "steps"))[0] == "## Steps\none\n### First\ndeep"
    assert run(vault.block("Work/Plan.md", "last"))[0] == "end"
    assert codes(run(vault.heading("Work/Plan.md", "Nothing"))[1]) == ["heading_missing"]
    assert codes(run(vault.block("Work/Plan.md", "^nope"))[1]) == ["block_missing"]
    assert codes(run(vault.heading("nothing.md", "x"))[1]) == ["note_missing"]


def test_ignored_files_are_not_there(vault):
    ignoring = FolderVault(vault.root, ignore=["Work/", "#plants"])
    assert [note.path for note in run(ignoring.notes())] == ["Home/Tools.md"]
    assert codes(run(ignoring.read("Work/Plan.md"))[1]) == ["note_ignored"]
    assert codes(run(ignoring.read("Garden.md"))[1]) == ["note_ignored"]


def test_a_folder_that_is_none_is_bad_use(tmp_path):
    with pytest.raises(UsageError, match="no folder"):
        FolderVault(tmp_path / "nothing")


def test_a_vault_that_vanishes_is_empty(vault):
    for place in sorted(vault.root.rglob("*"), reverse=True):
        place.rmdir() if place.is_dir() else place.unlink()
    vault.root.rmdir()
    assert run(vault.notes()) == []
    assert codes(run(vault.read("Garden.md"))[1]) == ["note_missing"]
