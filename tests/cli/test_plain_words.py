import asyncio
import json
import socket
from pathlib import Path

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput
from typer.testing import CliRunner

from triptych.bootstrap.settings import Settings
from triptych.bootstrap.wiring import open_store
from triptych.cli.main import build_app, main
from triptych.cli.stored import conversations_of
from triptych.cli.terminal import talk
from triptych.errors import UsageError

VAULT = Path(__file__).parents[2] / "examples/vault"


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setenv("TRIPTYCH_DATA", str(tmp_path))

    def ran(*words):
        return CliRunner().invoke(build_app(), [str(word) for word in words])

    return ran


def closed_address():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{taken.getsockname()[1]}/v1"


def test_the_version_is_printed(run):
    assert run("--version").stdout.startswith("triptych ")


def test_a_failed_answer_says_why_in_json_and_prints_nothing_else(run):
    model = ("--model", "openai:x", "--base-url", closed_address())
    told = run("ask", "Hello?", "--json", *model)
    assert told.exit_code == 1
    assert json.loads(told.stdout)["failure"].startswith("Nothing answers at")
    assert run("ask", "Hello?", *model).stdout == ""


def test_an_answer_that_did_not_fail_says_so_in_json(run):
    told = json.loads(run("ask", "Hello?", "--json", "--model", "scripted").stdout)
    assert (told["answer"], told["failure"]) == ("Hello?", None)


def test_what_there_is_to_say_about_an_answer_names_its_place(run):
    run("projects", "set", "boats", "--include", "Nowhere")
    told = run("ask", "Hello?", "--model", "scripted", "--vault", VAULT, "--project", "boats")
    assert "Nowhere" in told.stderr


def test_nothing_to_show_is_said_beside_the_output(run):
    listed = run("list")
    assert (listed.exit_code, listed.stdout) == (0, "")
    assert "no conversation" in listed.stderr
    searched = run("search", "zzqq", "--vault", VAULT)
    assert (searched.exit_code, searched.stdout) == (0, "")
    assert "Nothing in the notes" in searched.stderr
    assert run("list", "--json").stderr == ""


def test_the_name_of_a_file_says_how_a_conversation_is_exported(run, tmp_path):
    run("ask", "Hello?", "--model", "scripted")
    assert run("export", "--all", "--out", tmp_path / "all.jsonl").exit_code == 0
    assert (tmp_path / "all.jsonl").read_text().startswith('{"triptych":1')
    assert run("export", "--all", "--out", tmp_path / "notes").exit_code == 0
    assert [one.name for one in (tmp_path / "notes").iterdir()] == ["Hello.md"]


def test_a_repaired_copy_replaces_nothing_unless_it_is_told_to(run, tmp_path):
    rows = [{"id": "a", "role": "user", "content": "x", "parentId": None, "createdAt": 1}]
    (tmp_path / "in.json").write_text(json.dumps(rows))
    (tmp_path / "out.json").write_text("mine")
    words = ("doctor", tmp_path / "in.json", "--repair", "--out", tmp_path / "out.json")
    assert isinstance(run(*words).exception, UsageError)
    assert (tmp_path / "out.json").read_text() == "mine"
    assert run(*words, "--force").exit_code == 0
    assert [row["id"] for row in json.loads((tmp_path / "out.json").read_text())] == ["a"]


def test_a_taken_port_is_a_plain_sentence(run):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        told = run("serve", "--model", "scripted", "--port", taken.getsockname()[1])
    assert isinstance(told.exception, UsageError)
    assert "is taken" in str(told.exception)


@pytest.mark.parametrize(("typed", "kept"), [("/quit\r", []), ("Hello?\r/quit\r", ["Hello?"])])
def test_a_talk_in_which_nothing_was_said_is_not_kept(tmp_path, typed, kept):
    settings = Settings(data=tmp_path, model="scripted")

    async def titles():
        async with open_store(settings) as store:
            return [one.title for one in await conversations_of(store, "default")]

    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        keys.send_text(typed)
        asyncio.run(talk(settings, "default", None))
    assert asyncio.run(titles()) == kept


def test_conversations_are_listed_by_what_was_said_in_them(run):
    for words in ("Where do the gulls sleep?", "Which varnish for oak?"):
        run("ask", words, "--model", "scripted")
    assert "gulls" in run("list", "GULLS").stdout
    assert "varnish" not in run("list", "GULLS").stdout
    told = run("list", "zeppelin")
    assert (told.exit_code, told.stdout) == (0, "")
    assert "'zeppelin'" in told.stderr


def test_a_sentence_that_asks_gets_no_second_mark(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["triptych", "lst"])
    with pytest.raises(SystemExit):
        main()
    assert "Did you mean 'list'? See" in capsys.readouterr().err
