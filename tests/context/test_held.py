"""What a model has, read off envelopes."""

import msgspec

from triptych.context.envelope import Source, Turn, compose, held_sources, source_digest
from triptych.context.envelope.held import dangling_keys, held_library, source_of_held

NOTE = Source(key="note:a.md", kind="note", title="a", body="words", facts=(("path", "a.md"),))
CHOSEN = Source(key="selection:b", kind="selection", title="b", body="chosen", recoverable=False)


def turn(name, *sources, before=(), **more):
    held = held_sources(before, more.get("layout", "append"))
    made = Turn(
        id=f"e{name}",
        message_id=name,
        conversation_id="c",
        revision=1,
        system="s",
        text="t",
        sources=sources,
        held=held,
        **more,
    )
    return compose(made).envelope


def test_a_source_comes_back_from_its_envelope_and_its_body():
    held = held_sources([turn("one", NOTE, CHOSEN)])
    assert source_of_held(NOTE.key, held[NOTE.key], NOTE.body) == NOTE
    assert source_of_held(CHOSEN.key, held[CHOSEN.key], CHOSEN.body) == CHOSEN


def test_a_reference_holds_only_while_its_carrier_is_there():
    first = turn("one", NOTE)
    second = turn("two", NOTE, before=[first])
    assert held_sources([first, second])[NOTE.key].digest == source_digest(NOTE)
    assert held_sources([second]) == {}
    assert dangling_keys([second]) == [NOTE.key]
    assert dangling_keys([first, second]) == []


def test_in_the_library_layout_naming_a_source_is_enough_but_a_selection_needs_its_turn():
    first = turn("one", NOTE, CHOSEN, layout="library")
    second = turn("two", NOTE, CHOSEN, before=[first], layout="library")
    assert list(held_sources([second], "library")) == [NOTE.key]
    assert list(held_sources([first, second], "library")) == [NOTE.key, CHOSEN.key]


def test_a_frozen_library_counts_as_held_and_as_attached_no_longer():
    envelope = turn("one", previous=(NOTE,), gone={"note:z.md": "z"})
    held = held_library(envelope.layers[1])
    assert [(key, one.attached) for key, one in held.items()] == [(NOTE.key, False)]
    assert held_sources([turn("two", before=[])], start=held) == held


def test_a_dropped_source_stays_held_for_when_it_comes_back():
    first = turn("one", NOTE)
    second = turn("two", before=[first])
    assert [one.form for one in second.layers[2].segments] == ["dropped"]
    held = held_sources([first, second])
    assert not held[NOTE.key].attached
    third = turn("three", NOTE, before=[first, second])
    assert [one.form for one in third.layers[2].segments] == ["kept"]


def test_an_envelope_survives_json_with_all_that_is_held():
    first = turn("one", NOTE, CHOSEN)
    again = msgspec.json.decode(msgspec.json.encode(first), type=type(first))
    assert held_sources([again]) == held_sources([first])
