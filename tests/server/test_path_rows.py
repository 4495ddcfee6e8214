from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from triptych.model.conversations import Conversation
from triptych.model.ids import CallId, ConversationId, MessageId
from triptych.model.messages import AssistantMessage, ToolMessage, UserMessage
from triptych.model.parts import ReasoningPart, TextPart, ToolCallPart, ToolResultPart
from triptych.repository import Repository
from triptych.server.patches import AppendText, InsertRow, RemoveRow, ReplaceRow, apply_patches
from triptych.server.path_rows import PathRows


def empty():
    return Repository(Conversation(id=ConversationId("c")))


def user(name, parent=None, text="hello"):
    return UserMessage(id=MessageId(name), parent_id=parent, parts=(TextPart(text=text),))


def reply(name, parent, text="", **more):
    return AssistantMessage(id=MessageId(name), parent_id=parent, parts=(TextPart(text=text),), **more)


def test_a_new_message_is_one_inserted_row():
    repository = empty()
    repository.append(user("u"))
    rows = PathRows(repository)
    patches = rows.apply(repository, repository.append(reply("a", "u")))
    assert patches == [InsertRow(index=1, row=rows.rows[1])]


def test_text_that_grows_travels_alone():
    repository = empty()
    repository.append(user("u"))
    repository.append(reply("a", "u", "Once"))
    rows = PathRows(repository)
    changes = repository.update(reply("a", "u", "Once upon"))
    for _ in range(2):
        patches = rows.apply(repository, changes)
        changes = repository.update(reply("a", "u", "Once upon a time"))
    assert patches == [AppendText(message_id="a", part=0, delta=" a time")]


def test_a_second_part_is_a_replaced_row():
    repository = empty()
    repository.append(user("u"))
    repository.append(reply("a", "u", "Once"))
    rows = PathRows(repository)
    fuller = AssistantMessage(id="a", parent_id="u", parts=(TextPart(text="Once"), ReasoningPart(text="why")))
    assert rows.apply(repository, repository.update(fuller)) == [ReplaceRow(id="a", row=rows.rows[1])]


def test_another_branch_replaces_what_follows_the_fork_and_marks_it():
    repository = empty()
    repository.append_many([user("u"), reply("a", "u", "one"), user("w", "a"), reply("b", "w", "two")])
    rows = PathRows(repository)
    other = reply("a2", "u", "other")
    patches = rows.apply(repository, repository.append(other))
    assert patches == [
        RemoveRow(id="b"),
        RemoveRow(id="w"),
        RemoveRow(id="a"),
        InsertRow(index=1, row=rows.rows[1]),
        ReplaceRow(id="u", row=rows.rows[0]),
    ]
    assert rows.rows[1]["branch"] == {"activeBranchIndex": 1, "count": 2, "ids": ["a", "a2"]}
    assert rows.elsewhere(repository) == {
        "a": {"reason": "inactiveBranch", "owner": "u"},
        "w": {"reason": "inactiveBranch", "owner": "a"},
        "b": {"reason": "inactiveBranch", "owner": "w"},
    }


def test_a_tool_result_is_drawn_in_the_row_of_its_call():
    repository = empty()
    call = ToolCallPart(call_id=CallId("k"), name="tide_table")
    repository.append_many([user("u"), AssistantMessage(id="a", parent_id="u", parts=(call,))])
    rows = PathRows(repository)
    result = ToolResultPart(call_id=CallId("k"), content=(TextPart(text="high at noon"),))
    patches = rows.apply(repository, repository.append(ToolMessage(id="t", parent_id="a", parts=(result,))))
    assert [type(patch) for patch in patches] == [ReplaceRow]
    assert rows.rows[1]["tools"][0]["result"] == {"id": "t", "content": "high at noon"}
    assert rows.elsewhere(repository) == {}


STEPS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 1000), st.text("ab\n", max_size=3)), max_size=25)


def operate(repository, step):
    kind, number, text = step
    names = [message.id for message in repository.messages]
    chosen = names[number % len(names)] if names else None
    new = MessageId(f"m{len(names)}-{number}-{len(text)}-{kind}")
    if chosen is None or new in repository:
        return () if chosen else repository.append(user(new, None, text))
    message = repository.get(chosen)
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
    grown = TextPart(text=message.parts[0].text + text)
    return repository.update(
        type(message)(
            id=chosen, parent_id=message.parent_id, active_child_id=message.active_child_id, parts=(grown,)
        )
    )


@settings(max_examples=200, deadline=None)
@given(STEPS)
def test_patches_lead_to_the_rows_that_a_fresh_look_shows(steps):
    repository = empty()
    rows = PathRows(repository)
    shown = rows.rows
    for step in steps:
        shown = apply_patches(shown, rows.apply(repository, operate(repository, step)))
        fresh = PathRows(repository).rows
        assert rows.rows == fresh
        assert [drawn(row) for row in shown] == [drawn(row) for row in fresh]


def drawn(row):
    return row["id"], row["parts"], row.get("branch")
