"""The recorded failures (`cases`) through the pipe, judged by checks that know nothing of our linter."""

import base64
import json
import re
from itertools import pairwise

import pytest
from tests.conformance.vectors import HERE, files, load

from triptych.cli.pipe.payload import handle
from triptych.wires import WIRES

pytestmark = [
    pytest.mark.conformance,
    pytest.mark.skipif(not HERE, reason="../shared/vectors is not there"),
]

EXTRA = ("S07", "S15", "S18", "X08", "X12")
WAY = {
    "P29": {"options": {"thinking": {"type": "enabled", "budget_tokens": 2048}}},
    "P36": {"profile": "openai-responses-plain"},
    "P38": {"profile": "gemini-3"},
    "P40": {"profile": "strict-jinja"},
    "P41": {"profile": "strict-jinja"},
    "P42": {"profile": "strict-jinja"},
    "P43": {"profile": "strict-jinja"},
    "P45": {"profile": "compatible"},
    "P54": {"profile": "compatible"},
    "T01": {"truncate": {"last": 4}},
    "T02": {"truncate": {"tokens": 40}},
    "T07": {"truncate": {"tokens": 30}},
    "T08": {"truncate": {"last": 1}},
    "T09": {"truncate": {"last": 4}},
    "T11": {"truncate": {"last": 4}},
    "T14": {"truncate": {"last": 4}},
    "T16": {"truncate": {"last": 4}},
    "T22": {"truncate": {"tokens": 2000}},
}
ELSEWHERE = {
    "T06": "nothing but system text is no request (the error is checked below)",
    "T18": "an estimate of tokens, in tests/wires/test_truncate.py",
    "T20": "compaction, in the context room",
}


def cases():
    paths = files("cases") if HERE else []
    return [path for path in paths if path.stem[0] in "PT" or path.stem in EXTRA]


def generated(case):
    """The histories that a case describes instead of holding them."""
    if case["id"] == "P48":
        picture = png(2400, 1200)
        count = 21
    elif case["id"] == "P49":
        picture = base64.b64encode(png_bytes(100, 100) + b"\0" * 786_432).decode()
        count = 40
    else:
        return case["messages"]
    messages = []
    for number in range(count):
        image = {"type": "image", "mediaType": "image/png", "data": picture}
        messages.append(
            {"id": f"u{number}", "role": "user", "parts": [{"type": "text", "text": "see"}, image]}
        )
        messages.append({"id": f"a{number}", "role": "assistant", "content": "ok"})
    return messages[:-1]


def png_bytes(width, height):
    return (
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
        + width.to_bytes(4, "big")
        + height.to_bytes(4, "big")
        + b"\x08\x02\0\0\0"
    )


def png(width, height):
    return base64.b64encode(png_bytes(width, height)).decode()


def prepared(case):
    messages = generated(case)
    if case["id"] in {"S07", "S18", "X08"}:
        messages = [*messages, {"id": "next", "role": "user", "content": "hello"}]
    if case["id"] == "T21":
        messages = [message for message in messages if message["role"] != "tool"]
    if case["id"] == "P62":
        messages = [{**message, "tools": []} for message in messages if message["role"] != "tool"]
    return messages


def turns(body):
    """Any body as turns of one shape: (role, pieces)."""
    if "contents" in body:
        return [
            (item["role"].replace("model", "assistant"), [gemini(part) for part in item["parts"]])
            for item in body["contents"]
        ]
    if "input" in body:
        return [responses(item) for item in body["input"]]
    return [message(item) for item in body["messages"]]


def gemini(part):
    if "functionCall" in part:
        call = part["functionCall"]
        return ("call", call["id"], call["name"], call["args"], part.get("thoughtSignature"))
    if "functionResponse" in part:
        return ("result", part["functionResponse"]["id"], json.dumps(part["functionResponse"]["response"]))
    return ("text", part["text"]) if "text" in part else ("image", part)


def responses(item):
    kind = item.get("type", "message")
    if kind == "function_call":
        return ("assistant", [("call", item["call_id"], item["name"], item["arguments"], None)])
    if kind == "function_call_output":
        return ("tool", [("result", item["call_id"], item["output"])])
    if kind == "reasoning":
        return ("assistant", [("reasoning", item)])
    return message(item)


def message(item):
    content = item.get("content")
    pieces = [("text", content)] if isinstance(content, str) else [block(part) for part in content or ()]
    if item["role"] == "tool":
        return ("tool", [("result", item.get("tool_call_id"), content)])
    for call in item.get("tool_calls", ()):
        function = call["function"]
        pieces.append(("call", call.get("id"), function["name"], function["arguments"], None))
    return (item["role"], [piece for piece in pieces if piece != ("text", "") or not item.get("tool_calls")])


def block(part):
    if part.get("type") == "tool_use":
        return ("call", part["id"], part["name"], part["input"], None)
    if part.get("type") == "tool_result":
        return ("result", part["tool_use_id"], json.dumps(part["content"]))
    if "toolUse" in part:
        return ("call", part["toolUse"]["toolUseId"], part["toolUse"]["name"], part["toolUse"]["input"], None)
    if "toolResult" in part:
        return ("result", part["toolResult"]["toolUseId"], json.dumps(part["toolResult"]["content"]))
    if part.get("type") in {"thinking", "redacted_thinking"}:
        return ("thinking", part)
    return ("text", part["text"]) if "text" in part else ("image", part)


def pairs(seen):
    """Every call has one result directly behind its turn, every result a call."""
    waiting: list[str] = []
    for role, pieces in seen:
        results = [piece for piece in pieces if piece[0] == "result"]
        if waiting and not results and role != "assistant":
            return False
        for result in results:
            if result[1] in waiting:
                waiting.remove(result[1])
            elif result[1] is None and waiting:
                waiting.pop(0)
            else:
                return False
        if any(piece[0] != "result" for piece in pieces) and results and pieces[0][0] != "result":
            return False
        new = [piece[1] for piece in pieces if piece[0] == "call"]
        waiting += new
    return not waiting


class Checks:
    """One method for each word of the check vocabulary."""

    def __init__(self, case, answer):
        self.case, self.answer = case, answer
        self.body = answer["payload"]
        self.turns = turns(self.body)
        self.pieces = [piece for _, pieces in self.turns for piece in pieces]
        self.calls = [piece for piece in self.pieces if piece[0] == "call"]
        self.text = json.dumps(self.body, ensure_ascii=False)

    def pairs(self):
        assert pairs(self.turns)

    def ids_unique(self):
        ids = [call[1] for call in self.calls]
        items = [item["id"] for item in self.body.get("input", ()) if "id" in item]
        assert len(set(ids)) == len(ids)
        assert len(set(items)) == len(items)

    def id_re(self, pattern):
        assert all(re.fullmatch(pattern, call[1]) for call in self.calls)

    def id_max(self, size):
        assert all(len(call[1]) <= int(size) for call in self.calls)

    def name_re(self, pattern):
        names = [item["name"] for item in self.body.get("messages", ()) if "name" in item]
        assert all(re.fullmatch(pattern, name) for name in [*names, *(call[2] for call in self.calls)])

    def json_args(self):
        for call in self.calls:
            held = json.loads(call[3]) if isinstance(call[3], str) else call[3]
            assert isinstance(held, dict)

    def alt(self):
        roles = [
            role
            for role, pieces in self.turns
            if role not in {"system", "developer", "tool"} and not any(piece[0] == "call" for piece in pieces)
        ]
        if all(role != "tool" for role, _ in self.turns):
            roles = [role for role, _ in self.turns if role not in {"system", "developer"}]
        assert all(one != other for one, other in pairwise(roles)), roles

    def first_user(self):
        assert next(role for role, _ in self.turns if role not in {"system", "developer"}) == "user"

    def last_user(self):
        users = [m for m in prepared(self.case) if m["role"] == "user"]
        assert json.dumps(users[-1]["content"], ensure_ascii=False)[1:-1] in self.text

    def sys_first(self):
        places = [place for place, (role, _) in enumerate(self.turns) if role in {"system", "developer"}]
        assert places in ([], [0])

    def no_empty(self):
        assert all(piece[1].strip() for piece in self.pieces if piece[0] == "text")
        assert all(pieces for _, pieces in self.turns)

    def no_trailing_ws(self):
        role, pieces = self.turns[-1]
        assert role == "assistant"
        assert pieces[-1][1] == pieces[-1][1].rstrip()

    def thinking_intact(self):
        kinds = {"thinking", "redacted_thinking"}
        given = [part for m in self.case["messages"] for part in m.get("parts", ()) if part["type"] in kinds]
        assert [piece[1] for piece in self.pieces if piece[0] == "thinking"] == given

    def sig_intact(self):
        given = [tool.get("thoughtSignature") for m in self.case["messages"] for tool in m.get("tools", ())]
        assert [call[4] for call in self.calls] == given

    def reasoning_pairs(self):
        for place, (_, pieces) in enumerate(self.turns):
            if pieces[0][0] == "reasoning":
                assert place + 1 < len(self.turns)
                assert self.turns[place + 1][0] == "assistant"

    def no_image_in_tool(self):
        for role, pieces in self.turns:
            if role == "tool":
                assert isinstance(pieces[0][2], str)
        assert "image_url" in self.text

    def tool_string(self):
        assert [piece[2] for piece in self.pieces if piece[0] == "result"] == ["09:22\nUTC"]

    def keep(self, words):
        assert words in self.text or words.replace("_", " ") in self.text

    def drop(self, words):
        assert words.replace("_", " ") not in self.text

    def no_lone_surrogate(self):
        self.text.encode("utf-8")

    def no_nul(self):
        assert "\\u0000" not in self.text

    def report(self):
        assert self.answer["report"]

    def idempotent(self):
        assert (
            handle({"to": self.case["provider"], "messages": self.body["messages"]})["payload"] == self.body
        )

    def count(self, number):
        results = [pieces for _, pieces in self.turns if any(piece[0] == "result" for piece in pieces)]
        assert [sum(piece[0] == "result" for piece in pieces) for pieces in results] == [int(number)]

    def image_limit(self):
        assert 0 < sum(piece[0] == "image" for piece in self.pieces) <= 20

    def byte_limit(self):
        assert len(json.dumps(self.body)) <= 32_000_000
        assert any(piece[0] == "image" for piece in self.turns[-1][1])

    def roundtrip(self):
        if self.case["id"] == "P63":
            assert self.body["messages"][0]["content"] == self.case["messages"][0]["content"]
        if self.case["id"] == "P34":
            expected = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "e"}
            assert expected in self.body["input"]

    def no_exec(self):
        assert "output limit" in self.text

    def no_crash(self):
        assert self.body


@pytest.mark.parametrize("path", cases(), ids=lambda path: path.stem)
def test_a_recorded_failure_does_not_happen(path):
    case = load(path)
    if case["id"] in ELSEWHERE:
        pytest.skip(ELSEWHERE[case["id"]])
    wires = [case["provider"]] if case["provider"] != "none" else list(WIRES)
    for wire in wires:
        answer = handle({"to": wire, "messages": prepared(case), **WAY.get(case["id"], {})})
        assert answer["violations"] == []
        checks = Checks({**case, "provider": wire}, answer)
        for check in case["checks"]:
            name, _, value = check.partition(":")
            getattr(checks, name)(*([value] if value else []))


def test_every_history_goes_to_every_wire():
    ran = 0
    for path in files("cases"):
        case = load(path)
        if not any(message.get("role") == "user" for message in case["messages"]):
            continue
        for wire in WIRES:
            answer = handle({"to": wire, "messages": case["messages"]})
            assert answer["violations"] == []
            ran += 1
    print(f"{ran} payloads of {len(files('cases'))} cases")
    assert ran >= 500


def test_system_text_alone_is_an_error():
    from triptych.errors import UsageError

    with pytest.raises(UsageError, match="nothing to send"):
        handle({"to": "openai-chat", "messages": load(files("cases", pattern="T06.json")[0])["messages"]})
