"""Whatever stands where only one provider, a person's settings or a foreign program writes: compiling is total."""

import re

import msgspec
import pytest

from triptych.errors import UsageError
from triptych.model.messages import Message
from triptych.model.parts import EXTRA
from triptych.model.tools import ToolDefinition
from triptych.wires import PROFILES
from triptych.wires import compile as compiled

BAD = "\x00\ud800"
UNSENDABLE = re.compile("[\x00\ud800-\udfff]")
ODD = ([], {}, {"a": []}, 7, None, True, "odd")
CACHE = {"cache": {"ttl": "5m"}, "anthropic": {"cache_control": {"ttl": "1h"}}}
PICTURE = {"type": "image", "mediaType": "image/png"}
ROWS = [
    {"role": "system", "id": "s", "parts": [{"type": "text", "text": "Be kind.", "private": CACHE}]},
    {
        "role": "user",
        "id": "u",
        EXTRA: {"name": "anna"},
        "parts": [
            {"type": "text", "text": "look", "private": {"anthropic": {"cache_control": {"ttl": "1h"}}}},
            {
                **PICTURE,
                "media": {"kind": "url", "url": "https://example.org/a.png"},
                "name": "a",
                "alt": "b",
            },
            {**PICTURE, "media": {"kind": "inline", "data": "iVBORw0KGgo="}, EXTRA: {"detail": "high"}},
            {**PICTURE, "media": {"kind": "provider", "family": "openai", "fileId": "file-1"}},
            {"type": "file", "mediaType": "application/pdf", "media": {"kind": "inline", "data": "JVBERi0="}},
            {"type": "file", "mediaType": "text/x", "name": "n", "text": "t"},
        ],
    },
    {
        "role": "assistant",
        "id": "a",
        "parts": [
            {"type": "reasoning", "text": "hm", "private": {"anthropic": {"signature": "Eq=="}}},
            {
                "type": "reasoning",
                "text": "hm",
                "private": {"openai": {"id": "rs_1", "encrypted_content": "ab"}},
            },
            {"type": "text", "text": "yes", "private": {"openai": {"id": "msg_1", "phase": "commentary"}}},
            {
                "type": "toolCall",
                "callId": "srv",
                "name": "search",
                "arguments": '{"a": 1}',
                "serverSide": True,
                "private": {"anthropic": {"type": "server_tool_use"}},
            },
            {
                "type": "toolResult",
                "callId": "srv",
                "name": "search",
                "content": [],
                "private": {
                    "anthropic": {"type": "web_search_tool_result", "tool_use_id": "srv", "content": []}
                },
            },
            {
                "type": "toolCall",
                "callId": "c1",
                "name": "find",
                "arguments": '{"q": "x"}',
                "private": {"google": {"thoughtSignature": "AAAA"}},
            },
            {
                "type": "toolCall",
                "callId": "c2",
                "name": "find",
                "arguments": "{}",
                "state": {"state": "denied", "reason": "not now"},
            },
        ],
    },
    {
        "role": "tool",
        "id": "t",
        "parts": [
            {
                "type": "toolResult",
                "callId": "c1",
                "name": "find",
                "content": [
                    {"type": "text", "text": "found"},
                    {**PICTURE, "media": {"kind": "inline", "data": "iVBORw0KGgo="}},
                ],
            }
        ],
    },
    {"role": "assistant", "id": "b", "parts": [{"type": "text", "text": "so"}]},
    {
        "role": "tool",
        "id": "t2",
        "parts": [{"type": "toolResult", "callId": "c2", "content": [{"type": "text", "text": "late"}]}],
    },
    {
        "role": "user",
        "id": "u2",
        "parts": [{"type": "text", "text": "go on"}, {"type": "unknown", "raw": {"text": "w"}}],
    },
]
TOOLS = [{"name": "find", "description": "finds", "parameters": {"type": "object", "properties": {"q": {}}}}]
OPTIONS = {
    "stop": ["end"],
    "tool_choice": {"type": "function", "function": {"name": "find"}},
    "response_schema": {"type": "object", "title": "t"},
    "thinking": {"type": "enabled", "budget_tokens": 2_000},
}
FREE = {"private", EXTRA, "metadata", "raw"}


def places(value, path=()):
    """Every place in a JSON value, by its path."""
    yield path
    entries = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, inner in entries:
        yield from places(inner, (*path, key))


def at(value, path):
    for key in path:
        value = value[key]
    return value


def changed(value, path, fresh):
    """The value with something else at one place."""
    if not path:
        return fresh
    twin = value.copy()
    twin[path[0]] = changed(value[path[0]], path[1:], fresh)
    return twin


def read(rows):
    try:
        return msgspec.convert(rows, list[Message])
    except (msgspec.ValidationError, UnicodeEncodeError):
        return None


def strings(value):
    """Every text in a JSON value, keys among them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from strings(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from strings(inner)


def body_of(messages, profile, tools=TOOLS, options=OPTIONS):
    try:
        return compiled(
            messages,
            profile.wire,
            profile=profile,
            tools=msgspec.convert(tools, list[ToolDefinition]),
            options=options,
            model="m",
        ).body
    except UsageError:
        return {}


def check_characters(body):
    assert not [text for text in strings(body) if UNSENDABLE.search(text)]


def test_the_sample_history_can_be_read():
    assert read(ROWS) is not None


@pytest.mark.parametrize("name", sorted(PROFILES))
def test_any_value_of_a_foreign_field_is_read_totally(name):
    for path in places(ROWS):
        if FREE.intersection(path[:-1]):
            for odd in ODD:
                messages = read(changed(ROWS, path, odd))
                if messages is not None:
                    body_of(messages, PROFILES[name])


@pytest.mark.parametrize("name", sorted(PROFILES))
def test_no_body_holds_a_character_that_cannot_be_sent_wherever_it_is_stored(name):
    for path in places(ROWS):
        held = at(ROWS, path)
        if isinstance(held, str):
            messages = read(changed(ROWS, path, held + BAD))
            if messages is not None:
                check_characters(body_of(messages, PROFILES[name]))
        elif isinstance(held, dict) and FREE.intersection(path):
            check_characters(body_of(read(changed(ROWS, path, {**held, BAD: BAD})), PROFILES[name]))


@pytest.mark.parametrize("name", sorted(PROFILES))
def test_no_body_takes_over_a_bad_character_of_arguments_tools_or_options(name):
    profile, messages = PROFILES[name], read(ROWS)
    for arguments in ('{"\\u0000": 1}', '{"\\ud800": {"a\\ud800": "\\u0000"}}', f'{{"{BAD}": 1}}', BAD):
        rows = changed(ROWS, (2, "parts", 5, "arguments"), arguments)
        check_characters(body_of(read(rows), profile))
    for path in places(TOOLS):
        held = at(TOOLS, path)
        if isinstance(held, str) and path[-1] != "type":
            check_characters(body_of(messages, profile, tools=changed(TOOLS, path, held + BAD)))
        elif isinstance(held, dict) and "parameters" in path:
            check_characters(body_of(messages, profile, tools=changed(TOOLS, path, {**held, BAD: 1})))
    for path in places(OPTIONS):
        held = at(OPTIONS, path)
        if isinstance(held, str):
            check_characters(body_of(messages, profile, options=changed(OPTIONS, path, held + BAD)))
        elif isinstance(held, dict) and path:
            check_characters(body_of(messages, profile, options=changed(OPTIONS, path, {**held, BAD: 1})))


@pytest.mark.parametrize("name", sorted(PROFILES))
def test_a_choice_of_tool_that_names_none_is_no_crash(name):
    for odd in ODD:
        for option in ("tool_choice", "thinking"):
            body_of(read(ROWS), PROFILES[name], options={option: odd})
