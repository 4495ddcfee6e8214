from __future__ import annotations

import time

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.server.fake_chat import conversation_of

from triptych.flow.patches import AppendText, InsertBlock, InsertRow, Patch, ReplaceRow, apply_patches
from triptych.model.conversations import Conversation
from triptych.model.ids import CallId, ConversationId, MessageId
from triptych.model.messages import AssistantMessage, ToolMessage, UserMessage
from triptych.model.parts import ReasoningPart, TextPart, ToolCallPart, ToolResultPart
from triptych.model.status import STREAMING, Complete, Incomplete
from triptych.repository import Repository
from triptych.server.flow_rows import FlowRows


def empty():
    return Repository(Conversation(id=ConversationId("c")))


def user(name, parent=None, text="hello"):
    return UserMessage(id=MessageId(name), parent_id=parent, parts=(TextPart(text=text),))


def reply(name, parent, text="", **more):
    return AssistantMessage(id=MessageId(name), parent_id=parent, parts=(TextPart(text=text),), **more)


def settled(repository):
    rows = FlowRows(repository)
    assert rows.apply(repository, ()) == []
    return rows


def patches_of(rows, repository, changes):
    return [msgspec.json.decode(raw, type=Patch) for raw in rows.apply(repository, changes)]


def test_a_new_message_is_one_inserted_row():
    repository = empty()
    repository.append(user("u"))
    rows = settled(repository)
    (patch,) = patches_of(rows, repository, repository.append(reply("a", "u", "one")))
    assert isinstance(patch, InsertRow)
    assert (patch.row, patch.value["content"]) == (1, "one")


def test_text_that_grows_travels_alone():
    repository = empty()
    repository.append_many([user("u"), reply("a", "u", "Once")])
    rows = settled(repository)
    grown = repository.update(reply("a", "u", "Once upon"))
    assert patches_of(rows, repository, grown) == [AppendText(row=1, message="a", part=0, delta=" upon")]


def test_a_change_that_was_already_seen_changes_nothing():
    repository = empty()
    repository.append_many([user("u"), reply("a", "u", "Once")])
    changes = repository.update(reply("a", "u", "Once upon"))
    rows = settled(repository)
    assert rows.apply(repository, changes) == []


def test_a_second_part_is_a_replaced_row():
    repository = empty()
    repository.append_many([user("u"), reply("a", "u", "Once")])
    rows = settled(repository)
    fuller = AssistantMessage(id="a", parent_id="u", parts=(TextPart(text="Once"), ReasoningPart(text="why")))
    (patch,) = patches_of(rows, repository, repository.update(fuller))
    assert isinstance(patch, ReplaceRow)


def test_another_branch_takes_the_place_of_what_followed_and_names_where_the_arrows_lead():
    repository = empty()
    repository.append_many([user("u"), reply("a", "u", "one"), user("w", "a"), reply("b", "w", "two")])
    rows = settled(repository)
    rows.apply(repository, repository.append(reply("a2", "u", "other")))
    assert [row["id"] for row in rows.rows] == ["u", "a2"]
    assert rows.rows[1]["branch"] == {"activeBranchIndex": 1, "count": 2, "ids": ["a", "a2"]}
    elsewhere = rows.elsewhere(repository)
    assert set(elsewhere) == {"a", "w", "b"}
    assert {place["reason"] for place in elsewhere.values()} == {"inactive_branch"}


def test_an_edited_first_message_is_a_branch_too():
    repository = empty()
    repository.append_many([user("u"), reply("a", "u", "one")])
    rows = settled(repository)
    rows.apply(
        repository, repository.edit(MessageId("u"), (TextPart(text="x"),), new_id=MessageId("v"), now=1)
    )
    assert [row["id"] for row in rows.rows] == ["v"]
    assert rows.rows[0]["branch"] == {"activeBranchIndex": 1, "count": 2, "ids": ["u", "v"]}
    assert set(rows.elsewhere(repository)) == {"u", "a"}


def test_calls_and_their_results_fold_into_one_row_with_the_status_of_its_last_step():
    repository = empty()
    call = ToolCallPart(call_id=CallId("k"), name="tide_table")
    calling = AssistantMessage(id="a", parent_id="u", parts=(call,), status=Complete(reason="toolCalls"))
    repository.append_many([user("u"), calling])
    rows = settled(repository)
    result = ToolResultPart(call_id=CallId("k"), content=(TextPart(text="high at noon"),))
    shown = rows.rows
    changes = repository.append(ToolMessage(id="t", parent_id="a", parts=(result,)))
    shown = apply_patches(shown, patches_of(rows, repository, changes))
    patches = patches_of(rows, repository, repository.append(reply("b", "a", "", status=STREAMING)))
    assert isinstance(patches[0], InsertBlock)
    shown = apply_patches(shown, patches)
    broken = reply("b", "a", "", status=Incomplete(reason="error", error="away"))
    shown = apply_patches(shown, patches_of(rows, repository, repository.update(broken)))
    assert shown == rows.rows == FlowRows(repository).rows
    group = shown[1]
    assert group["role"] == "assistantGroup"
    assert group["children"][0]["tools"][0]["result"]["content"] == "high at noon"
    assert group["status"]["reason"] == "error"


STEPS = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 1000), st.text("ab\n", max_size=3)), max_size=25)


def operate(repository, step):
    kind, number, text = step
    names = [message.id for message in repository.messages]
    chosen = names[number % len(names)] if names else None
    new = MessageId(f"m{len(names)}-{number}-{len(text)}-{kind}")
    if chosen is None or new in repository:
        return () if chosen else repository.append(user(new, None, text))
    if kind == 0:
        return repository.append(user(new, chosen, text))
    if kind == 1:
        return repository.append(reply(new, chosen, text))
    if kind == 2:
        return repository.edit(chosen, (TextPart(text=text + "!"),), new_id=new, now=1)
    if kind == 3:
        return repository.switch(chosen)
    if kind == 4:
        return repository.remove(chosen, splice=bool(number % 2))
    if kind == 5:
        return repository.regenerate(chosen)
    tip = repository.head_id or chosen
    if kind == 6:
        return repository.append(reply(new, tip, text, status=STREAMING))
    spoken = repository.get(tip)
    if not spoken.parts:
        return ()
    grown = msgspec.structs.replace(
        spoken, parts=(TextPart(text=spoken.parts[0].text + text),), updated_at=number
    )
    return repository.update(grown if kind == 7 else msgspec.structs.replace(grown, hidden=not spoken.hidden))


@settings(max_examples=300, deadline=None)
@given(STEPS, st.integers(1, 4))
def test_patches_lead_to_the_rows_that_a_fresh_look_shows(steps, batch):
    repository = empty()
    rows = settled(repository)
    shown = list(rows.rows)
    for start in range(0, len(steps), batch):
        changes = [change for step in steps[start : start + batch] for change in operate(repository, step)]
        shown = apply_patches(shown, patches_of(rows, repository, changes))
        fresh = FlowRows(repository)
        assert timeless(rows.rows) == timeless(fresh.rows)
        assert timeless(shown) == timeless(fresh.rows)
        assert rows.elsewhere(repository) == fresh.elsewhere(repository)


def timeless(rows):
    """A text that grows does not carry the time of its last letter."""
    return [{key: value for key, value in row.items() if key != "updatedAt"} for row in rows]


def test_a_letter_costs_the_same_in_a_long_conversation():
    repository = conversation_of(10_000)
    rows = settled(repository)
    tip = repository.get(repository.head_id)
    began = time.process_time()
    for number in range(100):
        text = tip.parts[0].text + "x" * (number + 1)
        changes = repository.update(msgspec.structs.replace(tip, parts=(TextPart(text=text),)))
        assert len(rows.apply(repository, changes)) == 1
    assert (time.process_time() - began) / 100 < 0.02
