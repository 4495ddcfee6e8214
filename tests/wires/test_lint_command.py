import json

from typer.testing import CliRunner

from triptych.cli.main import build_app

BROKEN = {
    "model": "m",
    "max_tokens": 10,
    "messages": [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "a:1", "name": "f", "input": {}}]},
        {"role": "user", "content": " "},
    ],
}


def run(*arguments, **more):
    return CliRunner().invoke(build_app(), ["lint", *arguments], **more)


def test_a_broken_payload_is_told_apart_and_exits_with_one(tmp_path):
    file = tmp_path / "request.json"
    file.write_text(json.dumps(BROKEN))
    answer = run(str(file), "--to", "anthropic")
    assert answer.exit_code == 1
    assert "call.unanswered" in answer.output
    assert "`tool_use` ids were found" in answer.output


def test_the_violations_come_as_json(tmp_path):
    file = tmp_path / "request.json"
    file.write_text(json.dumps(BROKEN))
    answer = run(str(file), "--to", "anthropic", "--json")
    found = json.loads(answer.output)
    assert {"call.id-pattern", "call.unanswered", "text.empty", "tool.missing"} <= {
        one["rule"] for one in found
    }
    assert all(one["where"].startswith("$") for one in found)


def test_a_valid_payload_exits_with_nought():
    body = {"messages": [{"role": "user", "content": "q"}]}
    answer = run("-", "--to", "openai-chat", input=json.dumps(body))
    assert answer.exit_code == 0
    assert answer.output == "No rule is broken.\n"


def test_a_profile_adds_its_own_rules():
    body = {"messages": [{"role": "assistant", "content": "hello"}, {"role": "user", "content": "q"}]}
    assert run("-", "--to", "openai-chat", input=json.dumps(body)).exit_code == 0
    answer = run("-", "--to", "openai-chat", "--profile", "strict-jinja", input=json.dumps(body))
    assert "turn.first" in answer.output


def test_the_table_of_rules_needs_no_file():
    assert run("--rules").output.startswith("# The rules of the linter")
