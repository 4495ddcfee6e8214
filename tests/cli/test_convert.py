import json
import re

import pytest
from tests.formats.test_notebook_edits import talk
from typer.testing import CliRunner

from triptych.cli.main import build_app
from triptych.errors import UsageError
from triptych.formats.read import read
from triptych.formats.triptych_jsonl import write

PLAIN = CliRunner()


def run(*words):
    return PLAIN.invoke(build_app(), [str(word) for word in words], catch_exceptions=False)


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_bytes(write([talk()]).data)
    return path


def test_a_file_becomes_another_programs_file_and_the_losses_are_said(source, tmp_path):
    made = run("convert", source, tmp_path / "out.json", "--to", "openai_chat")
    assert made.exit_code == 0
    assert made.stdout.strip() == str(tmp_path / "out.json")
    assert "lost: message of e" in made.stderr
    rows = json.loads((tmp_path / "out.json").read_text())
    assert [row["role"] for row in rows] == ["user", "assistant", "user", "assistant"]


def test_the_format_is_told_by_the_ending(source, tmp_path):
    run("convert", source, tmp_path / "out.md")
    assert (tmp_path / "out.md").read_text().startswith("---\ntriptych: 1\n")
    run("convert", tmp_path / "out.md", tmp_path / "back.jsonl")
    (again,), _ = read(tmp_path / "back.jsonl")
    assert (again.conversation, again.messages) == (talk().conversation, talk().messages)


def test_json_prints_one_object_and_nothing_else(source, tmp_path):
    made = run("convert", source, tmp_path / "out.md", "--json")
    value = json.loads(made.stdout)
    assert value == {"files": [str(tmp_path / "out.md")], "conversations": 1, "losses": [], "warnings": {}}
    assert made.stderr == ""


def test_a_file_that_is_there_is_not_replaced(source, tmp_path):
    (tmp_path / "out.md").write_text("mine")
    with pytest.raises(UsageError, match="--force"):
        run("convert", source, tmp_path / "out.md")
    assert (tmp_path / "out.md").read_text() == "mine"
    run("convert", source, tmp_path / "out.md", "--force")
    assert (tmp_path / "out.md").read_text() != "mine"


def test_an_ending_that_says_nothing_needs_a_format(source, tmp_path):
    with pytest.raises(UsageError, match="--to"):
        run("convert", source, tmp_path / "out.json")


def test_several_conversations_become_files_in_a_folder(tmp_path):
    import msgspec

    several = [
        msgspec.structs.replace(talk(), conversation=msgspec.structs.replace(talk().conversation, id=made))
        for made in ("c1", "c2")
    ]
    (tmp_path / "in.jsonl").write_bytes(write(several).data)
    with pytest.raises(UsageError, match="name a folder"):
        run("convert", tmp_path / "in.jsonl", tmp_path / "out.md")
    run("convert", tmp_path / "in.jsonl", tmp_path / "notes", "--to", "notebook")
    assert sorted(one.name for one in (tmp_path / "notes").iterdir()) == ["Old 2.md", "Old.md"]
    run("convert", tmp_path / "in.jsonl", tmp_path / "all.json", "--to", "openwebui")
    assert len(json.loads((tmp_path / "all.json").read_text())) == 2


def test_what_is_no_chat_is_a_usage_error(tmp_path):
    (tmp_path / "x.txt").write_text("nothing")
    with pytest.raises(UsageError, match="could be read"):
        run("convert", tmp_path / "x.txt", tmp_path / "out.md")


def test_an_imported_conversation_is_exported_as_it_came(tmp_path):
    chat = [
        {"role": "user", "content": "hello", "odd": {"b": 1, "a": 2}},
        {"role": "assistant", "content": "hi"},
    ]
    (tmp_path / "chat.json").write_text(json.dumps(chat))
    data = tmp_path / "data"
    run("import", tmp_path / "chat.json", "--data", data)
    listed = run("list", "--data", data).stdout
    made = re.split(r"\s+", listed)[0]
    run("export", made, "--format", "openai_chat", "--out", tmp_path / "back.json", "--data", data)
    assert (tmp_path / "back.json").read_bytes() == (tmp_path / "chat.json").read_bytes()
    run("export", "--all", "--format", "notebook", "--out", tmp_path / "notes", "--data", data)
    assert len(list((tmp_path / "notes").glob("*.md"))) == 1


def test_export_wants_names_or_all(tmp_path):
    with pytest.raises(UsageError, match="--all"):
        run("export", "--data", tmp_path)
    with pytest.raises(UsageError, match="no conversation"):
        run("export", "nope", "--data", tmp_path, "--out", tmp_path / "x.md")
