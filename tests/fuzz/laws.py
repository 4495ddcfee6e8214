"""What holds for every history and every profile."""

import json

import msgspec

from triptych import wires
from triptych.errors import UsageError
from triptych.model.foreign import clean_text
from triptych.model.messages import AssistantMessage, ToolMessage, UserMessage
from triptych.model.parts import TextPart
from triptych.wires import CompileCache
from triptych.wires.compile import compile as make
from triptych.wires.repair import repair

ITEMS = {"gemini": "contents", "openai_responses": "input"}


def items_of(payload):
    return payload.body[ITEMS.get(payload.wire, "messages")]


def people_words(messages):
    return [
        clean_text(part.text)
        for message in messages
        if isinstance(message, UserMessage)
        for part in message.parts
        if isinstance(part, TextPart) and part.text.strip()
    ]


def check(messages, profile, *, prefix=True):
    """Compile, and check every law; the payload, or None when it was refused for having no words."""
    stored = list(messages)
    try:
        payload = make(messages, profile.wire, profile=profile)
    except UsageError as problem:
        assert "nothing to send" in str(problem)
        assert not people_words(messages)
        return None
    assert stored == messages
    assert wires.lint(payload.body, wire=profile.wire, profile=profile) == []
    text = json.dumps(payload.body, ensure_ascii=False)
    text.encode("utf-8")
    msgspec.json.encode(payload.report)
    for words in people_words(messages):
        assert json.dumps(words.rstrip(), ensure_ascii=False)[1:-1] in text, words
    once, _ = repair(messages, profile)
    twice, report = repair(once, profile)
    assert twice == once
    assert report == (), report
    assert make(messages, profile.wire, profile=profile) == payload
    if prefix:
        check_prefixes(messages, profile, payload)
    return payload


def anew(messages):
    """Equal messages, as a chat makes them for each of its turns."""
    return [msgspec.structs.replace(message) for message in messages]


def unmarked(value):
    """Items without cache marks: those are few and move on with the conversation, and are no part of what is read."""
    if isinstance(value, dict):
        return {key: unmarked(inner) for key, inner in value.items() if key != "cache_control"}
    if isinstance(value, list):
        return [unmarked(inner) for inner in value if not (isinstance(inner, dict) and "cachePoint" in inner)]
    return value


def check_prefixes(messages, profile, payload):
    """Every request that was sent is a prefix of this one, and a cache changes nothing."""
    cache = CompileCache()
    for place in range(1, len(messages)):
        if not isinstance(messages[place], AssistantMessage):
            continue
        if not isinstance(messages[place - 1], UserMessage | ToolMessage):
            continue
        try:
            earlier = make(anew(messages[:place]), profile.wire, profile=profile, cache=cache)
        except UsageError:
            continue
        before = items_of(earlier)
        assert unmarked(items_of(payload)[: len(before)]) == unmarked(before)
    for _ in range(2):
        again = make(anew(messages), profile.wire, profile=profile, cache=cache)
        assert again.body == payload.body
        assert sorted(map(repr, again.report)) == sorted(map(repr, payload.report))
