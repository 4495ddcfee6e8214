"""``triptych doctor`` on files."""

import json

import pytest

from triptych.cli.commands.doctor import doctor, read_topic
from triptych.errors import DataError, UsageError

STALE = [
    {"id": "u1", "role": "user", "content": "hi", "createdAt": 1, "metadata": {"activeBranchIndex": 2}},
    {"id": "a1", "role": "assistant", "content": "one", "createdAt": 2, "parentId": "u1"},
    {"id": "a2", "role": "assistant", "content": "two", "createdAt": 3, "parentId": "u1"},
]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "topic.json"
    path.write_text(json.dumps({"messages": STALE, "title": "kept"}), encoding="utf-8")
    return path


def test_it_says_what_is_hidden_why_and_what_would_bring_it_back(file, capsys):
    doctor(file)
    said = capsys.readouterr().out
    assert "being created of u1: a1, a2" in said
    assert "stale-branch-index at u1: a1, a2" in said
    assert "choose branch 1 below u1" in said


def test_the_answer_can_be_json(file, capsys):
    doctor(file, as_json=True)
    answer = json.loads(capsys.readouterr().out)
    assert answer["hiddenCount"] == 2
    assert answer["elsewhere"]["a1"] == {"reason": "being_created", "owner": "u1"}


def test_a_repaired_copy_keeps_the_rest_of_the_document_and_is_healthy(file, tmp_path, capsys):
    out = tmp_path / "mended.json"
    doctor(file, repair=True, out=out)
    mended = json.loads(out.read_text(encoding="utf-8"))
    assert mended["title"] == "kept"
    assert json.loads(file.read_text(encoding="utf-8"))["messages"] == STALE
    capsys.readouterr()
    doctor(out)
    assert "Nothing to repair." in capsys.readouterr().out


def test_a_repair_never_overwrites_its_source(file):
    with pytest.raises(UsageError, match="--out"):
        doctor(file, repair=True)
    with pytest.raises(UsageError, match="--out"):
        doctor(file, repair=True, out=file)


def test_one_row_a_line_is_read_and_written_back_so(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in STALE) + "\n", encoding="utf-8")
    assert read_topic(path).rows == STALE
    out = tmp_path / "out.jsonl"
    doctor(path, repair=True, out=out)
    assert len(out.read_text(encoding="utf-8").splitlines()) == 3


def test_a_line_that_is_not_json_is_named(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"id": "a"}\nnonsense\n', encoding="utf-8")
    with pytest.raises(DataError, match="line 2"):
        read_topic(path)


def test_a_repaired_list_of_rows_is_a_list_again(tmp_path):
    path, out = tmp_path / "rows.json", tmp_path / "mended.json"
    path.write_text(json.dumps(STALE), encoding="utf-8")
    doctor(path, repair=True, out=out)
    mended = json.loads(out.read_text(encoding="utf-8"))
    assert [row["id"] for row in mended] == ["u1", "a1", "a2"]
    assert mended[0]["metadata"]["activeBranchIndex"] == 1
