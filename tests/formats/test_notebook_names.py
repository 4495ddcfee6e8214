import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from triptych.errors import UsageError
from triptych.formats.notebook.names import LONGEST, candidate_paths, clean_name, file_name, shorten
from triptych.model.conversations import Conversation


def talk(title, **fields):
    return Conversation(id="0192-abc", title=title, created_at=1_700_000_000_000, **fields)


SCRIPTS = [
    "Größe",
    "привет, мир",
    "記憶" * 60,
    "नमस्ते दुनिया",
    "😀👩‍👩‍👧‍👦" * 20,
    "שלום",
    "ไทย" * 40,
    "e\u0301" * 90,
]


@pytest.mark.parametrize("title", SCRIPTS)
def test_every_script_has_a_name(title, tmp_path):
    name = file_name(talk(title))
    assert len(name.encode()) <= LONGEST
    assert name[0] == __import__("unicodedata").normalize("NFC", title)[0]
    assert name.endswith("2023-11-14.md")
    (tmp_path / name).write_text("x")
    assert [one.name for one in tmp_path.iterdir()] == [name]


@given(st.text(max_size=300), st.text(max_size=40), st.integers(0, 2**45))
@settings(max_examples=300, deadline=None)
def test_any_title_has_a_name_that_any_system_takes(title, project, time):
    conversation = Conversation(id="c", title=title, project_id=project or "p", created_at=time)
    for path, _ in zip(
        candidate_paths(conversation, folder="chats", project=project), range(3), strict=False
    ):
        for piece in path.split("/"):
            assert piece
            assert len(piece.encode()) <= LONGEST
            assert not set(piece) & set('\\:*?"<>|\0\n\r')
            assert not piece.startswith((".", " "))
            assert not piece.endswith((".", " "))
        assert path.endswith(".md")


def test_a_family_is_not_cut_apart():
    assert shorten("a👩‍👩‍👧b", 12) == "a"
    assert shorten("e\u0301e\u0301", 4) == "e\u0301"


@pytest.mark.parametrize(
    ("title", "name"),
    [("CON", "_CON"), ("aux.x", "_aux.x"), ("..", "Untitled"), ("a/b: c", "a b c"), ("[x] #y ^z", "x y z")],
)
def test_names_that_some_system_refuses_are_changed(title, name):
    assert clean_name(title) == name


def test_the_template_is_filled_in_everywhere_and_letter_by_letter():
    assert (
        file_name(talk("$& {date}"), template="{title} {title} {time} {id}")
        == "$& {date} $& {date} 221320 0192-abc.md"
    )


def test_an_unknown_variable_is_a_usage_error():
    with pytest.raises(UsageError, match="topic"):
        file_name(talk("x"), template="{topic}")


def test_a_project_has_its_own_folder_and_a_taken_name_a_number():
    paths = list(candidate_paths(talk("Plan", project_id="p1"), folder="chats", project="Garden/2026"))
    assert paths[:2] == ["chats/Garden 2026/Plan 2023-11-14.md", "chats/Garden 2026/Plan 2023-11-14 2.md"]
    assert paths[-1] == "chats/Garden 2026/0192-abc.md"
    assert next(candidate_paths(talk("Plan"))) == "Plan 2023-11-14.md"
