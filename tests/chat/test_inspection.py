import msgspec
import pytest

from triptych.chat.told import told_of
from triptych.context.envelope.forecast import forecast, request_cost
from triptych.context.envelope.marks import with_marks
from triptych.errors import UsageError
from triptych.model.envelope import Envelope
from triptych.model.messages import AssistantMessage, SystemMessage, UserMessage, message_text
from triptych.model.parts import TextPart
from triptych.model.profile import Price, Profile
from triptych.model.references import NoteReference

pytestmark = pytest.mark.anyio


async def told(chat, conversation, text, *notes):
    turn = await chat.send(conversation.id, text, [NoteReference(path=one) for one in notes])
    await chat.finished(conversation.id)
    return turn


async def test_a_past_turn_is_shown_as_it_was_sent(chat, provider, vault):
    conversation = await chat.create()
    turn = await told(chat, conversation, "When?", "launch.md")
    await told(chat, conversation, "Sure?", "launch.md")
    vault.files["launch.md"] = "Something else."
    seen = await chat.inspect(conversation.id, turn.reply_id)
    sent = [message_text(message) for message in provider.requests[0].messages]
    assert [row["content"] for row in seen.messages] == sent
    assert [(one.key, one.form) for one in seen.layers[2].segments] == [("note:launch.md", "full")]
    assert seen.seen.reused_bytes == 0


async def test_what_a_person_was_told_of_a_turn_is_there_after_a_restart(make_chat):
    chat = make_chat()
    conversation = await chat.create()
    first = await told(chat, conversation, "See {[[nowhere]]}", "gone.md")
    await told(chat, conversation, "Thanks")
    await chat.close()
    again = make_chat()
    seen = await again.inspect(conversation.id, first.reply_id)
    assert [one.code for one in seen.diagnostics] == ["variable_unknown", "note_missing"]
    assert (await again.inspect(conversation.id)).diagnostics == ()
    await again.close()


@pytest.mark.parametrize("kept", [None, 1, [{"code": 1}], ["x"]])
def test_what_is_kept_in_another_shape_is_nothing(kept):
    envelope = Envelope(id="e", message_id="m", conversation_id="c", revision=1, detail={"diagnostics": kept})
    assert told_of(envelope) == ()


async def test_the_newest_turn_says_what_a_cache_reuses(chat):
    conversation = await chat.create()
    await told(chat, conversation, "When?", "launch.md")
    await told(chat, conversation, "Sure?", "launch.md")
    seen = await chat.inspect(conversation.id)
    assert seen.seen.first_difference is None
    assert 0.5 < seen.seen.reused_bytes / seen.seen.total_bytes < 1
    assert seen.tokens == seen.history + sum(layer.tokens for layer in seen.layers)


async def test_a_preview_stores_nothing_and_says_what_would_be_sent(chat, store, provider):
    conversation = await chat.create()
    await told(chat, conversation, "When?", "launch.md")
    before = await store.load(conversation.id)
    seen = await chat.preview(conversation.id, "And who?", [NoteReference(path="crew.md")])
    assert "Three people." in seen.messages[-1]["content"]
    assert seen.messages[-1]["content"].endswith("And who?")
    assert await store.load(conversation.id) == before
    await told(chat, conversation, "And who?", "crew.md")
    assert [row["content"] for row in seen.messages] == [
        message_text(one) for one in provider.requests[-1].messages
    ]


async def test_editing_an_old_note_carrier_names_the_break(chat):
    conversation = await chat.create()
    first = await told(chat, conversation, "When?", "launch.md")
    await told(chat, conversation, "Sure?", "launch.md")
    await chat.edit(conversation.id, first.user_id, "On which day?")
    await chat.finished(conversation.id)
    await told(chat, conversation, "Sure?", "launch.md")
    assert (await chat.inspect(conversation.id)).seen.first_difference is None


async def test_nothing_sent_is_a_usage_error(chat):
    conversation = await chat.create()
    with pytest.raises(UsageError):
        await chat.inspect(conversation.id)


async def test_the_report_of_the_run_is_shown(chat):
    conversation = await chat.create()
    await told(chat, conversation, "hello")
    assert isinstance((await chat.inspect(conversation.id)).report, tuple)


def said(kind, name, text="word " * 400):
    return kind(id=name, parts=(TextPart(text=text),))


def marked(messages):
    return [message.id for message in messages if (message.parts[-1].private or {}).get("cache") is not None]


CLAUDE = Profile(name="x", wire="anthropic", family="anthropic", cache_marks=4, cache_minimum=100)
TALK = [
    said(SystemMessage, "s"),
    said(UserMessage, "u1"),
    said(AssistantMessage, "a1"),
    said(UserMessage, "u2"),
    said(AssistantMessage, "a2"),
    said(UserMessage, "u3"),
]


async def test_marks_stand_where_they_pay_and_change_no_text():
    with_them = with_marks(TALK, CLAUDE)
    assert marked(with_them) == ["s", "u2", "u3"]
    assert [message_text(one) for one in with_them] == [message_text(one) for one in TALK]
    assert with_marks(TALK, msgspec.structs.replace(CLAUDE, cache_marks=0)) == tuple(TALK)
    assert marked(with_marks(TALK, msgspec.structs.replace(CLAUDE, cache_marks=1))) == ["u3"]


async def test_nothing_below_the_minimum_is_marked():
    short = [said(SystemMessage, "s", "x"), said(UserMessage, "u", "y")]
    assert marked(with_marks(short, CLAUDE)) == []


async def test_a_long_stretch_has_a_mark_in_between():
    steps = [said(AssistantMessage, f"a{n}") for n in range(30)]
    talk = [said(SystemMessage, "s"), said(UserMessage, "u1"), *steps, said(UserMessage, "u2")]
    assert len(marked(with_marks(talk, CLAUDE))) == 4


async def test_the_forecast_names_the_first_message_that_differs():
    changed = [*TALK[:2], said(AssistantMessage, "a1", "other"), *TALK[3:]]
    seen = forecast(TALK, changed)
    assert (seen.first_difference.message, seen.first_difference.layer) == (2, "history")
    assert seen.first_difference.message_id == "a1"
    assert forecast(TALK, TALK[:3]).first_difference.cause == "removed"


async def test_the_price_counts_what_the_cache_reads_and_nothing_below_the_minimum():
    price = Price(input=3.0, output=15.0, cached_input=0.3, cache_write=3.75)
    profile = msgspec.structs.replace(CLAUDE, price=price)
    seen = forecast(TALK[:4], TALK)
    cost = request_cost(10_000, seen, profile)
    expected = (cost.cached_tokens * 0.3 + (10_000 - cost.cached_tokens) * 3.75) / 1e6
    assert cost.dollars == pytest.approx(expected, abs=1e-6)
    assert request_cost(50, seen, profile).cached_tokens == 0
    assert request_cost(50, seen, CLAUDE).dollars is None
