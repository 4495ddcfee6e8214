"""Passing the usual at a glance changes nothing: the passes and the careful checks alone say the same."""

import copy
import random

import msgspec
import pytest
from tests.fuzz.histories import history as history_of

from triptych import wires
from triptych.errors import UsageError
from triptych.wires import PROFILES
from triptych.wires.repair import PASSES, Scope, in_order, repair_piece
from triptych.wires.rules import anthropic, bedrock, gemini, ollama

NAMES = sorted(PROFILES)
ODD = (None, "", " ", 3, [], {}, "call_0", "\ud800", ["x"], {"type": "text", "text": "x"})


def lived(seed):
    """A history of usual groups with an odd one in between."""
    messages = [*history_of(seed), *history_of(seed + 1), *history_of(seed + 2)]
    return [msgspec.structs.replace(message, id=f"m{place}") for place, message in enumerate(messages)]


def through_passes(messages, scope):
    for each in PASSES:
        messages = each(messages, scope)
    return messages


def repaired(messages, profile, work):
    scope = Scope(profile)
    out = work(messages, scope)
    return out, in_order(scope.report, messages), vars(scope.seen)


@pytest.mark.parametrize("name", NAMES)
def test_repairing_at_a_glance_says_what_the_passes_say(name):
    for seed in range(60):
        messages = lived(seed)
        quick = repaired(messages, PROFILES[name], repair_piece)
        assert quick == repaired(messages, PROFILES[name], through_passes), seed


def places(value):
    """Every container in a body with each of its keys."""
    pending = [value]
    while pending:
        held = pending.pop()
        entries = (
            held.items() if isinstance(held, dict) else enumerate(held) if isinstance(held, list) else ()
        )
        for key, inner in entries:
            yield held, key
            pending.append(inner)


def broken(body, chance):
    """The body with something odd at one place, or without what stood there."""
    twin = copy.deepcopy(body)
    held, key = chance.choice(list(places(twin)))
    if chance.random() < 0.3:
        del held[key]
    elif isinstance(held, list) and chance.random() < 0.4:
        held.insert(key, copy.deepcopy(chance.choice(held)))
    else:
        held[key] = copy.deepcopy(chance.choice(ODD))
    return twin


def bodies(profile, chance):
    for seed in range(30):
        try:
            body = wires.compile(lived(seed), profile.wire, profile=profile).body
        except UsageError:
            continue
        yield body
        for _ in range(15):
            yield broken(body, chance)


@pytest.mark.parametrize(
    "name", [name for name in NAMES if PROFILES[name].wire in {"anthropic", "bedrock", "gemini", "ollama"}]
)
def test_the_rules_at_a_glance_say_what_the_careful_checks_say(name, monkeypatch):
    profile = PROFILES[name]
    tried = list(bodies(profile, random.Random(name)))
    quick = [wires.lint(body, wire=profile.wire, profile=profile) for body in tried]
    for module in (anthropic, bedrock, gemini):
        monkeypatch.setattr(module, "pass_usual", lambda items, place, *_: place)
    monkeypatch.setattr(ollama, "_is_usual", lambda *_: False)
    assert quick == [wires.lint(body, wire=profile.wire, profile=profile) for body in tried]
