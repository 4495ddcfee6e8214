import asyncio
from typing import ClassVar

import msgspec
import pytest

from triptych import wires
from triptych.chat.seat import Seat
from triptych.errors import StoreError, UsageError
from triptych.model.events import Failure, PartDelta, PartStart
from triptych.model.messages import AssistantMessage, UserMessage, message_text
from triptych.model.parts import ErrorPart, SourcePart, TextPart
from triptych.model.references import NoteReference
from triptych.model.status import Complete, Incomplete
from triptych.repository import MessageAdded, invariants
from triptych.stores.memory import MemoryStore
from triptych.testing.scripted import ScriptedProvider

pytestmark = pytest.mark.anyio


async def told(chat, conversation_id, text, *notes):
    turn = await chat.send(conversation_id, text, [NoteReference(path=note) for note in notes])
    await chat.finished(conversation_id)
    return turn


async def texts(chat, conversation_id):
    return [message_text(message) for message in (await chat.open(conversation_id)).path()]


def asked(provider, number=-1):
    return [
        (message.__struct_config__.tag, message_text(message))
        for message in provider.requests[number].messages
    ]


async def test_a_turn_is_stored_sent_and_answered(chat, store, provider):
    conversation = await chat.create()
    turn = await told(chat, conversation.id, "hello")
    assert await texts(chat, conversation.id) == ["hello", "answer 1"]
    stored = await store.load(conversation.id)
    assert [message.id for message in stored.messages] == [turn.user_id, turn.reply_id]
    reply = stored.messages[1]
    assert reply.status == Complete()
    assert reply.envelope_id == stored.envelopes[0].id
    assert asked(provider)[-1] == ("user", "hello")


async def test_the_users_message_is_on_disk_before_the_model_is_called(make_chat, store):
    seen = []

    class Looking(ScriptedProvider):
        async def send(self, payload):
            (conversation,) = await store.conversations("default", "local")
            seen.extend((await store.load(conversation.id)).messages)
            async for event in super().send(payload):
                yield event

    chat = make_chat(open_provider=lambda name: (Looking(["yes"]), name))
    conversation = await chat.create()
    await told(chat, conversation.id, "hello")
    assert isinstance(seen[0], UserMessage)
    assert isinstance(seen[1], AssistantMessage)
    await chat.close()


async def test_a_turn_compiles_only_what_the_turn_before_did_not(chat, provider):
    conversation = await chat.create()
    await told(chat, conversation.id, "When?", "launch.md")
    await told(chat, conversation.id, "Sure?")
    await told(chat, conversation.id, "Really?", "launch.md")
    before, last = provider.requests[-2:]
    assert before.messages == last.messages[: len(before.messages)]
    kept = last.cache.find(list(last.messages), provider.profile("scripted"))
    assert len(kept.source) == len(last.messages) - 2
    alone = wires.compile(
        last.messages, "openai_chat", profile=provider.profile("scripted"), model=last.model
    )
    assert provider.sent[-1].body == alone.body


async def test_the_title_comes_from_the_first_question(chat):
    conversation = await chat.create()
    await told(chat, conversation.id, "What   is\nthis?")
    await told(chat, conversation.id, "And that?")
    assert (await chat.open(conversation.id)).conversation.title == "What is this?"


async def test_an_attached_note_is_in_the_prompt_once(chat, provider):
    conversation = await chat.create()
    await told(chat, conversation.id, "When?", "launch.md")
    await told(chat, conversation.id, "Sure?", "launch.md", "launch.md")
    first, second = asked(provider, 0), asked(provider, 1)
    assert "The launch date is 4 May." in first[-1][1]
    assert first[-1][1].endswith("When?")
    assert second[: len(first)] == first
    assert sum("4 May" in text for _, text in second) == 1
    assert "unchanged" in second[-1][1]


async def test_a_changed_note_is_sent_as_what_changed(chat, provider, vault):
    long = "\n".join(f"Line {n} says nothing new." for n in range(60))
    vault.files["long.md"] = long
    conversation = await chat.create()
    await told(chat, conversation.id, "one", "long.md")
    vault.files["long.md"] = long.replace("Line 30 says", "Line 30 shouts")
    await told(chat, conversation.id, "two", "long.md")
    last = asked(provider)[-1][1]
    assert "shouts" in last
    assert len(last) < len(long) / 3


async def test_a_missing_note_is_told_to_both_and_the_turn_goes_on(chat, provider):
    conversation = await chat.create()
    watch = chat.watch(conversation.id)
    waiting = asyncio.ensure_future(anext(watch))
    await asyncio.sleep(0)
    await told(chat, conversation.id, "When?", "nowhere.md")
    found = list((await waiting).diagnostics)
    while not found:
        found = list((await anext(watch)).diagnostics)
    assert found[0].code == "note_missing"
    assert "note_context_error" in asked(provider)[-1][1]
    assert (await texts(chat, conversation.id))[-1] == "answer 1"


async def test_the_sentence_behind_the_answer_is_shown(make_chat):
    chat = make_chat(open_provider=lambda name: (ScriptedProvider(["The launch date is 4 May."]), name))
    conversation = await chat.create()
    turn = await told(chat, conversation.id, "When is the launch?", "launch.md")
    reply = (await chat.open(conversation.id)).get(turn.reply_id)
    assert isinstance(reply.parts[-1], SourcePart)
    assert (reply.parts[-1].path, reply.parts[-1].start_line) == ("launch.md", 1)
    assert reply.parts[-1].quote == "The launch date is 4 May."
    await chat.close()


async def test_stopping_keeps_what_there_is_and_stops_the_model(make_chat):
    provider = ScriptedProvider(["one two three four five six seven eight"], delay=0.05)
    chat = make_chat(open_provider=lambda name: (provider, name))
    conversation = await chat.create()
    turn = await chat.send(conversation.id, "go")
    await asyncio.sleep(0.12)
    assert await chat.stop(conversation.id)
    reply = (await chat.open(conversation.id)).get(turn.reply_id)
    assert reply.status == Incomplete(reason="stopped")
    assert message_text(reply).startswith("one")
    assert provider.stopped
    assert not await chat.stop(conversation.id)
    await chat.close()


async def test_stopping_does_not_wait_for_a_silent_model(make_chat):
    chat = make_chat(open_provider=lambda name: (ScriptedProvider(["late"], delay=60), name))
    conversation = await chat.create()
    await chat.send(conversation.id, "go")
    await asyncio.sleep(0.01)
    await asyncio.wait_for(chat.stop(conversation.id), 20)
    await chat.close()


async def test_a_failure_is_a_status_and_the_partial_reply_stays(make_chat):
    broken = [
        PartStart(index=0, part=TextPart(text="")),
        PartDelta(index=0, text="half"),
        Failure(message="gone"),
    ]
    chat = make_chat(open_provider=lambda name: (ScriptedProvider([broken]), name))
    conversation = await chat.create()
    turn = await told(chat, conversation.id, "go")
    reply = (await chat.open(conversation.id)).get(turn.reply_id)
    assert reply.status == Incomplete(reason="error", error="gone")
    assert reply.parts == (TextPart(text="half"), ErrorPart(message="gone"))
    await chat.close()


async def test_only_one_reply_at_a_time_is_written(make_chat):
    chat = make_chat(open_provider=lambda name: (ScriptedProvider(["slow answer"], delay=5), name))
    conversation = await chat.create()
    await chat.send(conversation.id, "one")
    with pytest.raises(UsageError, match="stop it first"):
        await chat.send(conversation.id, "two")
    await chat.close()
    assert await texts(chat, conversation.id) == ["one", ""]


async def test_regenerating_answers_beside_the_earlier_answer_with_fresh_notes(chat, provider, vault):
    conversation = await chat.create()
    turn = await told(chat, conversation.id, "When?", "launch.md")
    vault.files["launch.md"] = "The launch date is 9 June.\n"
    again = await chat.regenerate(conversation.id, turn.reply_id)
    await chat.finished(conversation.id)
    repository = await chat.open(conversation.id)
    assert repository.branches(again.reply_id) == (turn.reply_id, again.reply_id)
    assert "9 June" in asked(provider)[-1][1]
    assert "4 May" not in asked(provider)[-1][1]
    assert len(repository.envelopes(turn.user_id)) == 2
    assert repository.get(turn.reply_id).envelope_id != repository.get(again.reply_id).envelope_id


async def test_a_path_is_rendered_with_the_revision_that_its_answer_was_given(chat, provider, vault):
    conversation = await chat.create()
    turn = await told(chat, conversation.id, "When?", "launch.md")
    vault.files["launch.md"] = "The launch date is 9 June.\n"
    await chat.regenerate(conversation.id, turn.reply_id)
    await chat.finished(conversation.id)
    await chat.switch(conversation.id, turn.reply_id)
    await told(chat, conversation.id, "Sure?")
    assert "4 May" in asked(provider)[1][1] or "4 May" in asked(provider)[-3][1]
    assert not any("9 June" in text for _, text in asked(provider))


async def test_editing_asks_again_and_keeps_what_was_attached(chat, provider):
    conversation = await chat.create()
    turn = await told(chat, conversation.id, "When?", "launch.md")
    edited = await chat.edit(conversation.id, turn.user_id, "On which day?")
    await chat.finished(conversation.id)
    assert await texts(chat, conversation.id) == ["On which day?", "answer 2"]
    assert "4 May" in asked(provider)[-1][1]
    assert await chat.edit(conversation.id, edited.user_id, "On which day?") is None


async def test_a_question_can_be_said_otherwise_without_an_answer_and_be_answered_later(chat, provider):
    conversation = await chat.create()
    first = await chat.send(conversation.id, "When?", [NoteReference(path="launch.md")])
    await chat.finished(conversation.id)
    assert await chat.edit(conversation.id, first.user_id, "On which day?", answer=False) is None
    (asked,) = (await chat.open(conversation.id)).path()
    assert (message_text(asked), len(provider.requests)) == ("On which day?", 1)
    await chat.regenerate(conversation.id, asked.id)
    await chat.finished(conversation.id)
    assert message_text(provider.requests[-1].messages[-1]).endswith("On which day?")
    assert "The launch date is 4 May." in message_text(provider.requests[-1].messages[-1])


async def test_of_two_notes_with_one_title_the_one_that_is_dropped_is_named_by_its_path(
    chat, provider, vault
):
    vault.files |= {"north/plan.md": "Snow.", "south/plan.md": "Sand."}
    conversation = await chat.create()
    both = [NoteReference(path="north/plan.md"), NoteReference(path="south/plan.md")]
    for attached in (both, both[:1]):
        await chat.send(conversation.id, "Which?", attached)
        await chat.finished(conversation.id)
    said = message_text(provider.requests[-1].messages[-1])
    assert "<unchanged>north/plan.md</unchanged>" in said
    assert "<no_longer_attached>south/plan.md</no_longer_attached>" in said


async def test_a_deleted_carrier_is_carried_again_in_full(chat, provider):
    conversation = await chat.create()
    first = await told(chat, conversation.id, "When?", "launch.md")
    second = await told(chat, conversation.id, "Sure?", "launch.md")
    assert "4 May" not in asked(provider)[-1][1]
    await chat.remove(conversation.id, first.user_id, splice=True)
    await chat.regenerate(conversation.id, second.reply_id)
    await chat.finished(conversation.id)
    assert "4 May" in asked(provider)[-1][1]


async def test_reloading_changes_no_byte_of_the_next_request(make_chat, provider, vault):
    one = make_chat()
    conversation = await one.create()
    await told(one, conversation.id, "a", "launch.md")
    await told(one, conversation.id, "b", "launch.md", "crew.md")
    await told(one, conversation.id, "c")
    kept = asked(provider)
    turn = (await one.open(conversation.id)).path()[-1]
    await one.close()
    other = make_chat()
    await other.regenerate(conversation.id, turn.id)
    await other.finished(conversation.id)
    assert asked(provider) == kept
    await other.close()


async def test_a_full_window_lets_the_oldest_turns_leave_in_one_step(make_chat, provider):
    small = msgspec.structs.replace(provider.profile("m"), window=400, max_output=50)
    narrow = ScriptedProvider([f"answer number {n} " * 6 for n in range(40)], profile=small)
    chat = make_chat(open_provider=lambda name: (narrow, name))
    conversation = await chat.create()
    cuts = 0
    for number in range(20):
        await told(chat, conversation.id, f"question number {number} " * 6)
        request = asked(narrow)
        assert sum(len(text) // 4 + 1 for _, text in request) <= 350
        previous = asked(narrow, -2) if number else []
        cuts += request[: len(previous)] != previous
    assert 1 <= cuts <= 6
    await chat.close()


async def test_a_note_that_is_too_long_is_cut_and_said_so(make_chat, provider, vault):
    vault.files["long.md"] = "word " * 4_000
    small = msgspec.structs.replace(provider.profile("m"), window=500, max_output=50)
    narrow = ScriptedProvider(["ok"], profile=small)
    chat = make_chat(open_provider=lambda name: (narrow, name))
    conversation = await chat.create()
    watch = chat.watch(conversation.id)
    waiting = asyncio.ensure_future(anext(watch))
    await asyncio.sleep(0)
    await told(chat, conversation.id, "go", "long.md")
    assert "source_cut" in {one.code for one in (await waiting).diagnostics}
    assert "cut here" in asked(narrow)[-1][1]
    await chat.close()


async def test_a_disk_that_refuses_is_told_and_memory_is_read_again(make_chat):
    class Full(MemoryStore):
        full = False

        async def commit(self, conversation_id, changes):
            if self.full:
                raise StoreError("The disk is full.")
            return await super().commit(conversation_id, changes)

    store = Full()
    chat = make_chat(store=store)
    conversation = await chat.create()
    await told(chat, conversation.id, "one")
    store.full = True
    with pytest.raises(StoreError):
        await chat.send(conversation.id, "two")
    store.full = False
    assert await texts(chat, conversation.id) == ["one", "answer 1"]
    await told(chat, conversation.id, "three")
    assert not invariants(await chat.open(conversation.id))
    await chat.close()


async def test_watchers_get_batches_and_a_slow_one_slows_nobody(chat):
    conversation = await chat.create()
    watch = chat.watch(conversation.id)
    waiting = asyncio.ensure_future(anext(watch))
    await asyncio.sleep(0)
    await told(chat, conversation.id, "one")
    await told(chat, conversation.id, "two")
    batch = await waiting
    added = [change.message.id for change in batch.changes if isinstance(change, MessageAdded)]
    assert len(added) >= 1
    rest = await anext(watch) if len(added) < 4 else None
    added += [
        change.message.id for change in (rest.changes if rest else ()) if isinstance(change, MessageAdded)
    ]
    assert len(added) == 4
    await watch.aclose()


async def test_a_watch_ends_when_the_conversation_is_deleted(chat):
    conversation = await chat.create()
    seen = []

    async def look():
        seen.extend([change_set async for change_set in chat.watch(conversation.id)])

    looking = asyncio.ensure_future(look())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    await chat.delete(conversation.id)
    await asyncio.wait_for(looking, 20)
    with pytest.raises(UsageError):
        await chat.open(conversation.id)


async def test_idle_conversations_leave_memory_and_come_back(make_chat):
    chat = make_chat()
    made = [(await chat.create()).id for _ in range(40)]
    for conversation_id in made:
        await told(chat, conversation_id, f"in {conversation_id}")
    assert len(chat._desk) <= 20
    assert await texts(chat, made[0]) == [f"in {made[0]}", "answer 1"]
    await chat.close()


async def test_projects_have_histories_of_their_own(chat):
    from triptych.model.conversations import Project

    await chat.put_project(Project(id="garden", name="Garden"))
    mine = await chat.create("garden")
    other = await chat.create()
    assert [one.id for one in await chat.conversations("garden")] == [mine.id]
    assert [one.id for one in await chat.conversations()] == [other.id]
    await told(chat, mine.id, "hello")
    counted = await chat.stats("garden")
    assert counted.messages_by_project["garden"] == 2
    await chat.delete_project("garden")
    with pytest.raises(UsageError):
        await chat.open(mine.id)


async def test_warming_reads_the_note_ahead_and_stores_nothing(chat, provider, store):
    conversation = await chat.create()
    await chat.warm(conversation.id, [NoteReference(path="launch.md")])
    assert len(provider.warmed) == 1
    assert (await store.load(conversation.id)).messages == ()
    await told(chat, conversation.id, "When?", "launch.md")
    warm, sent = (message_text(request.messages[-1]) for request in provider.requests)
    assert sent.startswith(warm.rstrip())


async def test_a_second_opening_supersedes_the_first_and_sends_wait(make_chat, store):
    class Slow(MemoryStore):
        waits: ClassVar = {}

        async def load(self, conversation_id):
            await asyncio.sleep(self.waits.get(conversation_id, 0))
            return await super().load(conversation_id)

    slow = Slow()
    chat = make_chat(store=slow)
    first, second = (await chat.create()).id, (await chat.create()).id
    slow.waits = {first: 0.05, second: 0.02}
    seat = Seat(chat)
    opening = asyncio.ensure_future(seat.open(first))
    await asyncio.sleep(0)
    again = asyncio.ensure_future(seat.open(second))
    await asyncio.sleep(0)
    await seat.send("for the second")
    await chat.finished(second)
    assert (await texts(chat, second))[0] == "for the second"
    assert await opening is None
    assert await again is not None
    await chat.close()


async def test_an_unknown_model_is_refused_before_anything_is_stored(make_chat, store):
    def unknown(name):
        raise UsageError(f"no {name}")

    chat = make_chat(open_provider=unknown)
    conversation = await chat.create()
    with pytest.raises(UsageError):
        await chat.send(conversation.id, "hello")
    assert (await store.load(conversation.id)).messages == ()


async def test_nothing_to_send_is_refused(chat):
    conversation = await chat.create()
    with pytest.raises(UsageError):
        await chat.send(conversation.id, "  ")
