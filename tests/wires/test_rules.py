"""Each rule is found where it is broken, with its place; nothing else is."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from triptych import wires
from triptych.errors import UsageError
from triptych.wires import PROFILES, RULES, WIRES

USER = {"role": "user", "content": "q"}
PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}


def chat(*items, **rest):
    return {"messages": list(items), **rest}


def calling(name="c1", tool="f", arguments="{}"):
    function = {"name": tool, "arguments": arguments}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": name, "type": "function", "function": function}],
    }


def answer(name="c1", content="ok"):
    return {"role": "tool", "tool_call_id": name, "content": content}


def claude(*items, **rest):
    return {
        "max_tokens": 10,
        "messages": list(items),
        "tools": [{"name": "f", "input_schema": {"type": "object"}}],
        **rest,
    }


def blocks(role, *content):
    return {"role": role, "content": list(content)}


def use(name="c1", **more):
    return {"type": "tool_use", "id": name, "name": "f", "input": {}, **more}


def used(name="c1"):
    return {"type": "tool_result", "tool_use_id": name, "content": "ok"}


def text(words="x", **more):
    return {"type": "text", "text": words, **more}


def converse(*items, **rest):
    return {"messages": list(items), **rest}


def gemini(*items, **rest):
    return {"contents": list(items), **rest}


def said(role, *parts):
    return {"role": role, "parts": list(parts)}


def big(width):
    import base64

    head = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + width.to_bytes(4, "big") * 2
    source = {"type": "base64", "media_type": "image/png", "data": base64.b64encode(head).decode()}
    return {"type": "image", "source": source}


def reasoning(name="rs_1", **more):
    return {"type": "reasoning", "id": name, "summary": [], **more}


THINKING = {"type": "enabled", "budget_tokens": 2000}
CALL = {"functionCall": {"id": "c1", "name": "f", "args": {}}}
REPLY = {"functionResponse": {"id": "c1", "name": "f", "response": {"output": "ok"}}}
DOCUMENT = {"document": {"format": "pdf", "name": "a/b", "source": {"bytes": ""}}}
BROKEN = [
    ("body.shape", "anthropic", {}),
    ("body.shape", "gemini", {"contents": "x"}),
    ("role.unknown", "openai_chat", chat(USER, {"role": "supervisor", "content": "x"})),
    ("role.unknown", "gemini", gemini(said("assistant", {"text": "x"}))),
    ("system.place", "compatible", chat(USER, {"role": "system", "content": "x"})),
    ("system.place", "no-system", chat({"role": "system", "content": "x"}, USER)),
    ("turn.empty", "openai_chat", chat(USER, {"role": "assistant", "content": ""}, USER)),
    ("turn.empty", "anthropic", claude(blocks("user"))),
    ("text.empty", "anthropic", claude(blocks("user", text(" \n")))),
    ("text.empty", "bedrock", converse(blocks("user", {"text": ""}))),
    ("text.characters", "openai_chat", chat({"role": "user", "content": "\ud800"})),
    ("text.characters", "openai_chat", chat({"role": "user", "content": "a\x00b"})),
    ("turn.alternation", "strict-jinja", chat(USER, USER)),
    ("turn.alternation", "strict-jinja", chat(USER, calling(), answer(), USER)),
    ("turn.alternation", "mistral", chat(USER, calling("abcdefghi"), answer("abcdefghi"), USER)),
    ("turn.first", "strict-jinja", chat({"role": "assistant", "content": "x"}, USER)),
    ("turn.last", "gemini", gemini(said("user", {"text": "q"}), said("model", {"text": "x"}))),
    ("turn.none", "openai_chat", chat({"role": "system", "content": "x"})),
    ("call.unanswered", "openai_chat", chat(USER, calling(), USER)),
    (
        "call.unanswered",
        "anthropic",
        claude(blocks("user", text()), blocks("assistant", use()), blocks("user", text())),
    ),
    (
        "call.unanswered",
        "gemini",
        gemini(said("user", {"text": "q"}), said("model", CALL), said("user", {"text": "q"})),
    ),
    ("result.orphan", "openai_chat", chat(answer(), USER)),
    ("result.orphan", "anthropic", claude(blocks("user", used(), text()))),
    ("result.orphan", "gemini", gemini(said("user", REPLY))),
    ("result.duplicate", "openai_chat", chat(USER, calling(), answer(), answer(), USER)),
    (
        "result.duplicate",
        "anthropic",
        claude(blocks("user", text()), blocks("assistant", use()), blocks("user", used(), used())),
    ),
    (
        "result.place",
        "anthropic",
        claude(blocks("user", text()), blocks("assistant", use()), blocks("user", text(), used())),
    ),
    ("result.content", "compatible", chat(USER, calling(), answer(content=[text()]), USER)),
    (
        "result.text-beside",
        "bedrock-llama",
        converse(
            blocks("user", {"text": "q"}),
            blocks("assistant", {"toolUse": {"toolUseId": "c", "name": "f", "input": {}}}),
            blocks("user", {"toolResult": {"toolUseId": "c", "content": []}}, {"text": "x"}),
        ),
    ),
    (
        "call.text-beside",
        "mistral-v3",
        chat(USER, {**calling("abcdefghi"), "content": "x"}, answer("abcdefghi")),
    ),
    (
        "call.id-duplicate",
        "anthropic",
        claude(blocks("user", text()), blocks("assistant", use(), use()), blocks("user", used())),
    ),
    ("call.id-pattern", "openai_chat", chat(USER, calling("x" * 41), answer("x" * 41), USER)),
    ("call.id-pattern", "mistral", chat(USER, calling("short"), answer("short"))),
    ("call.name", "openai_chat", chat(USER, calling(tool="a b"), answer(), USER)),
    ("call.arguments", "openai_chat", chat(USER, calling(arguments="{"), answer(), USER)),
    ("call.arguments", "ollama", chat(USER, calling(), {"role": "tool", "content": "x"})),
    ("message.name", "openai_chat", chat({**USER, "name": "Ann Smith"})),
    ("message.null", "compatible", chat(USER, calling(), answer(), USER)),
    ("tool.name", "openai_chat", chat(USER, tools=[{"type": "function", "function": {"name": "a b"}}])),
    (
        "tool.name",
        "anthropic",
        claude(blocks("user", text()), tools=[{"name": "f", "input_schema": {"type": "object"}}] * 2),
    ),
    (
        "tool.missing",
        "anthropic",
        claude(blocks("user", text()), blocks("assistant", use()), blocks("user", used()), tools=[]),
    ),
    ("tool.schema", "anthropic", claude(blocks("user", text()), tools=[{"name": "f"}])),
    ("tool.choice", "anthropic", claude(blocks("user", text()), tool_choice={"type": "tool", "name": "g"})),
    (
        "tool.choice",
        "openai_chat",
        chat(USER, tool_choice={"type": "function", "function": {"name": "g"}}),
    ),
    ("tool.choice", "mistral", chat(USER, tool_choice={"type": "function", "function": {"name": "g"}})),
    (
        "tool.choice",
        "openai_responses",
        {"input": [{"role": "user", "content": "q"}], "tool_choice": {"type": "function", "name": "g"}},
    ),
    (
        "tool.choice",
        "gemini",
        {
            "contents": [{"role": "user", "parts": [{"text": "q"}]}],
            "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["g"]}},
        },
    ),
    (
        "tool.choice",
        "bedrock",
        converse(
            blocks("user", {"text": "q"}),
            toolConfig={
                "tools": [{"toolSpec": {"name": "f", "inputSchema": {"json": {"type": "object"}}}}],
                "toolChoice": {"tool": {"name": "g"}},
            },
        ),
    ),
    ("media.place", "openai_chat", chat(USER, calling(), answer(content=[PICTURE]), USER)),
    ("media.place", "deepseek", chat({"role": "user", "content": [text(), PICTURE]})),
    ("media.count", "bedrock", converse(blocks("user", *[{"image": {"format": "png", "source": {}}}] * 21))),
    ("media.size", "anthropic", claude(blocks("user", *[big(2_400)] * 21))),
    ("media.size", "anthropic", claude(blocks("user", big(9_000)))),
    (
        "media.type",
        "anthropic",
        claude(
            blocks(
                "user", {"type": "image", "source": {"type": "base64", "media_type": "image/bmp", "data": ""}}
            )
        ),
    ),
    (
        "media.bytes",
        "anthropic",
        claude(blocks("user", {**big(9), "source": {**big(9)["source"], "media_type": "image/jpeg"}})),
    ),
    ("request.size", "gemini", gemini(said("user", {"text": "x" * 20_000_001}))),
    ("reasoning.pair", "openai_responses", {"input": [USER, reasoning(), USER]}),
    ("reasoning.pair", "openai_responses", {"input": [USER, reasoning()]}),
    (
        "reasoning.fields",
        "openai_responses",
        {"input": [USER, {"type": "reasoning", "id": "rs_1"}, {"role": "assistant", "content": "x"}]},
    ),
    (
        "reasoning.fields",
        "anthropic",
        claude(
            blocks("user", text()),
            blocks("assistant", {"type": "thinking", "thinking": "x"}, text()),
            blocks("user", text()),
        ),
    ),
    (
        "reasoning.refused",
        "openai-responses-plain",
        {"input": [USER, reasoning(), {"role": "assistant", "content": "x"}]},
    ),
    (
        "reasoning.last",
        "anthropic",
        claude(
            blocks("user", text()),
            blocks("assistant", {"type": "redacted_thinking", "data": "x"}),
            blocks("user", text()),
        ),
    ),
    ("reasoning.missing", "deepseek-reasoner", chat(USER, calling(), answer())),
    (
        "reasoning.missing",
        "gemini-3",
        gemini(said("user", {"text": "q"}), said("model", CALL), said("user", REPLY)),
    ),
    (
        "thinking.open-turn",
        "anthropic",
        claude(
            blocks("user", text()),
            blocks("assistant", use()),
            blocks("user", used()),
            thinking=THINKING,
            max_tokens=9000,
        ),
    ),
    ("thinking.budget", "anthropic", claude(blocks("user", text()), thinking=THINKING)),
    ("option.max-tokens", "anthropic", {**claude(blocks("user", text())), "max_tokens": -1}),
    (
        "item.duplicate",
        "openai_responses",
        {"input": [USER, *[{"type": "message", "role": "assistant", "id": "msg_1", "content": "x"}] * 2]},
    ),
    ("item.id", "openai_responses", {"input": [USER, {"role": "assistant", "id": "a:b", "content": "x"}]}),
    ("cache.marks", "anthropic", claude(blocks("user", *[text(cache_control={"type": "ephemeral"})] * 5))),
    ("cache.empty", "anthropic", claude(blocks("user", text("", cache_control={"type": "ephemeral"})))),
    ("prefill.space", "anthropic", claude(blocks("user", text()), blocks("assistant", text("Title: ")))),
    ("prefill.mark", "mistral", chat({**USER, "prefix": True})),
    ("document.text", "bedrock", converse(blocks("user", DOCUMENT))),
    ("part.fields", "gemini", gemini(said("user", {"text": "x", "functionCall": {}}))),
]


@pytest.mark.parametrize(
    ("rule", "name", "body"), BROKEN, ids=lambda value: value if isinstance(value, str) else ""
)
def test_a_broken_rule_is_found(rule, name, body):
    profile = PROFILES.get(name)
    wire = profile.wire if profile is not None and name not in WIRES else name
    found = wires.lint(body, wire=wire, profile=profile if name not in WIRES else None)
    assert rule in [one.rule for one in found]
    assert all(one.source and one.where.startswith("$") for one in found)


def test_every_rule_has_a_body_that_breaks_it():
    assert {rule for rule, _, _ in BROKEN} == set(RULES)


def test_a_violation_carries_the_providers_own_sentence_and_a_patch():
    found = wires.lint(chat(answer(), USER), wire="openai_chat")
    assert "must be a response to a preceeding message" in found[0].rejected_by
    assert found[0].patch == ({"op": "remove", "path": "/messages/0"},)


@pytest.mark.parametrize("wire", WIRES)
def test_a_plain_question_breaks_nothing(wire):
    from triptych.cli.prompt_input import read_prompt

    messages, _ = read_prompt([USER])
    assert wires.lint(wires.compile(messages, wire).body, wire=wire) == []


def test_an_unknown_wire_is_told():
    with pytest.raises(UsageError, match="openai_chat"):
        wires.lint({}, wire="telex")


WORDS = st.sampled_from(
    [
        "role",
        "content",
        "user",
        "assistant",
        "tool",
        "type",
        "text",
        "id",
        "tool_calls",
        "function",
        "name",
        "arguments",
        "tool_use",
        "tool_result",
        "parts",
        "functionCall",
        "functionResponse",
        "toolUse",
        "toolResult",
        "system",
        "reasoning",
        "call_id",
        "function_call",
    ]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=5),
    max_leaves=12,
)
ITEM = st.dictionaries(WORDS, JSON, max_size=6)


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(WIRES),
    st.lists(ITEM | JSON, max_size=4),
    st.dictionaries(
        st.sampled_from(["tools", "system", "thinking", "max_tokens", "toolConfig", "systemInstruction"]),
        JSON,
    ),
)
def test_the_linter_never_fails_whatever_the_body_is(wire, items, rest):
    name = {"gemini": "contents", "openai_responses": "input"}.get(wire, "messages")
    wires.lint({name: items, **rest}, wire=wire)
    wires.lint(items, wire=wire)
