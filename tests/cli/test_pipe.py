import io
import json
import subprocess
import sys

import pytest

from triptych.cli.pipe import answer_line, find_verb, run, verbs
from triptych.errors import UsageError
from triptych.model.codec import message_to_json
from triptych.model.messages import UserMessage
from triptych.model.parts import TextPart
from triptych.views.display import to_row
from triptych.views.record import to_record

MESSAGE = UserMessage(id="u", created_at=1_704_067_200_000, parts=(TextPart(text="hi"),))


def piped(verb, *lines):
    sink = io.BytesIO()
    run(verb, io.BytesIO(b"\n".join(lines) + b"\n"), sink)
    return [json.loads(line) for line in sink.getvalue().splitlines()]


def test_a_typed_message_and_its_record_give_the_same_row():
    record = to_record(MESSAGE, conversation_id="c", project_id="p", user_id="u")
    import msgspec

    rows = piped("display", json.dumps(message_to_json(MESSAGE)).encode(), msgspec.json.encode(record))
    assert rows == [to_row(MESSAGE), to_row(MESSAGE)]


def test_a_flat_item_is_shown_with_numbers_for_times():
    item = {
        "id": "u",
        "userId": "me",
        "role": "user",
        "content": "hi",
        "createdAt": "2024-01-01T00:00:00.000Z",
    }
    (row,) = piped("display", json.dumps(item).encode())
    assert row["createdAt"] == 1_704_067_200_000
    assert row["parts"] == [{"type": "text", "text": "hi"}]
    assert row["userId"] == "me"


def test_every_line_gets_an_answer_and_blank_ones_none():
    answers = piped("display", b"{}", b"", b"nonsense", b'["a"]', b'{"id":"a","role":"user"}')
    assert len(answers) == 4
    assert answers[1]["error"]["name"] == "JSONDecodeError"
    assert answers[2]["error"]["name"] == "UsageError"
    assert answers[3]["id"] == "a"


def test_input_is_read_as_the_standard_library_reads_it():
    (row,) = piped("display", rb'{"id":"a","role":"user","content":"\ud800\u0000","x":NaN}')
    assert row["content"] == "\ufffd\ufffd"
    assert row["x"] is None


def test_answers_are_ascii_and_hold_no_nan():
    assert (
        answer_line(lambda _: {"x": float("nan"), "y": "ü\ud800"}, b"{}")
        == b'{"x": null, "y": "\\u00fc\\ud800"}\n'
    )


def test_an_unknown_verb_lists_those_that_exist():
    with pytest.raises(UsageError, match="display"):
        find_verb("nope")
    assert "display" in verbs()


def test_the_process_keeps_stderr_empty_and_ends_with_zero():
    done = subprocess.run(
        [sys.executable, "-m", "triptych", "pipe", "display"],
        input=b'oops\n{"id":"a","role":"user","content":"x"}\n',
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr, len(done.stdout.splitlines())) == (0, b"", 2)


def test_usage_errors_end_with_two():
    done = subprocess.run(
        [sys.executable, "-m", "triptych", "pipe", "nope"], capture_output=True, check=False
    )
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
