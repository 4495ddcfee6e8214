import pytest

from triptych.errors import UsageError
from triptych.model.conversations import Conversation
from triptych.model.envelope import Envelope
from triptych.model.messages import AssistantMessage, SystemMessage, ToolMessage, UserMessage, message_text
from triptych.model.origins import Council
from triptych.model.parts import TextPart
from triptych.repository import ConversationUpdated, MessageAdded, Repository, invariants, stats
from triptych.repository.changes import MessageMoved


def said(kind, name, parent=None, text=None, **more):
    return kind(id=name, parent_id=parent, parts=(TextPart(text=text or name),), **more)


def user(name, parent=None, text=None, **more):
    return said(UserMessage, name, parent, text, **more)


def reply(name, parent, text=None, **more):
    return said(AssistantMessage, name, parent, text, **more)


def result(name, parent):
    return ToolMessage(id=name, parent_id=parent)


def talk(*messages):
    repository = Repository(Conversation(id="c"))
    repository.append_many(messages)
    return repository


def ids(messages):
    return [message.id for message in messages]


def test_appending_makes_the_head_and_says_what_changed():
    repository = Repository(Conversation(id="c"))
    changes = repository.append(user("u1"))
    assert [type(change) for change in changes] == [MessageAdded, ConversationUpdated]
    assert repository.head_id == "u1"


def test_a_tool_result_never_moves_the_head():
    repository = talk(user("u1"), reply("a1", "u1"), result("t1", "a1"))
    assert repository.head_id == "a1"
    assert ids(repository.results("a1")) == ["t1"]
    assert ids(repository.path()) == ["u1", "a1"]


def test_a_tool_result_under_a_user_is_refused_and_nothing_happens():
    repository = talk(user("u1"))
    with pytest.raises(UsageError):
        repository.append(result("t1", "u1"))
    assert len(repository) == 1


def test_appending_many_is_all_or_nothing():
    repository = talk(user("u1"), reply("a1", "u1"))
    before = repository.messages, repository.conversation
    with pytest.raises(UsageError):
        repository.append_many([reply("a2", "u1"), user("u2", "a2"), user("u1", "a2")])
    assert (repository.messages, repository.conversation) == before
    assert repository.path() == list(before[0])


def test_editing_makes_a_sibling_and_the_old_branch_stays():
    repository = talk(user("u1"), reply("a1", "u1"))
    repository.edit("u1", (TextPart(text="better"),), new_id="u1b", now=5)
    assert ids(repository.path()) == ["u1b"]
    assert repository.branches("u1b") == ("u1", "u1b")
    repository.switch("u1")
    assert ids(repository.path()) == ["u1", "a1"]


def test_editing_to_the_same_parts_changes_nothing():
    repository = talk(user("u1"))
    assert repository.edit("u1", (TextPart(text="u1"),), new_id="x", now=1) == ()
    assert len(repository) == 1


def test_regenerating_makes_the_next_reply_a_sibling():
    repository = talk(user("u1"), reply("a1", "u1"), result("t1", "a1"), reply("a2", "a1"))
    repository.regenerate("a2")
    assert repository.head_id == "u1"
    repository.append(reply("b1", "u1"))
    assert repository.branches("a1") == ("a1", "b1")
    assert ids(repository.path()) == ["u1", "b1"]


def test_switching_branch_keeps_the_sibling_subtree_and_its_own_choices():
    repository = talk(user("u1"), reply("a1", "u1"), user("u2", "a1"), user("u3", "a1"), reply("a3", "u3"))
    repository.append(reply("b1", "u1"))
    assert repository.head_id == "b1"
    repository.switch("a1")
    assert ids(repository.path()) == ["u1", "a1", "u3", "a3"]
    repository.switch("u2")
    repository.switch("b1")
    repository.switch("a1")
    assert ids(repository.path()) == ["u1", "a1", "u2"]


def test_removing_a_branch_shows_its_neighbour():
    repository = talk(user("u1"), reply("a1", "u1"), reply("b1", "u1"), user("u2", "b1"))
    repository.remove("b1")
    assert ids(repository.path()) == ["u1", "a1"]
    repository.remove("a1")
    assert ids(repository.path()) == ["u1"]
    repository.remove("u1")
    assert repository.head_id is None


def test_splicing_lets_the_children_take_its_place():
    repository = talk(user("u1"), reply("a1", "u1"), user("u2", "a1"), reply("a2", "u2"))
    repository.remove("a1", splice=True)
    assert ids(repository.path()) == ["u1", "u2", "a2"]
    assert not invariants(repository)


def test_moving_names_the_old_parent_so_that_it_can_be_undone():
    repository = talk(user("u1"), reply("a1", "u1"), user("x"), reply("y", "x"))
    moved = repository.move("x", "a1")[0]
    assert isinstance(moved, MessageMoved)
    assert moved.old_parent_id is None
    assert ids(repository.path()) == ["u1", "a1", "x", "y"]


def test_moving_the_active_branch_away_leaves_no_choice_behind():
    repository = talk(user("u1"), reply("a1", "u1"), reply("a2", "u1"))
    repository.move("a2", None)
    assert not invariants(repository)
    assert repository.active_child("u1") == "a1"


def test_a_message_cannot_hang_below_itself():
    repository = talk(user("u1"), reply("a1", "u1"))
    with pytest.raises(UsageError):
        repository.move("u1", "a1")
    assert not invariants(repository)


def test_truncating_keeps_the_results_of_the_message():
    repository = talk(user("u1"), reply("a1", "u1"), result("t1", "a1"), reply("a2", "a1"), user("u2", "a2"))
    repository.truncate_after("a1")
    assert sorted(ids(repository.messages)) == ["a1", "t1", "u1"]
    assert repository.head_id == "a1"


def test_truncating_leaves_another_branch_active():
    repository = talk(user("u1"), reply("a1", "u1"), user("u2", "a1"), reply("b1", "u1"))
    repository.truncate_after("a1")
    assert ids(repository.path()) == ["u1", "b1"]


def test_clearing_removes_everything():
    repository = talk(SystemMessage(id="s"), user("u1", "s"), reply("a1", "u1"))
    repository.clear()
    assert len(repository) == 0
    assert repository.head_id is None
    assert repository.append(user("again"))


def test_a_fork_is_a_copy_of_the_path_with_new_ids():
    repository = talk(user("u1"), reply("a1", "u1"), result("t1", "a1"), reply("b1", "u1"))
    names = iter("abcdef")
    copy = repository.fork("a1", Conversation(id="d"), lambda: next(names))
    assert [message_text(message) for message in copy.path()] == ["u1", "a1"]
    assert len(copy) == 3
    assert len(repository) == 4
    assert not invariants(copy)


def test_members_of_a_council_and_side_threads_are_no_branches():
    repository = talk(user("u1"), reply("a1", "u1"))
    repository.append(reply("m1", "a1", origin=Council()))
    repository.append(user("side", "a1", thread_id="t"))
    assert repository.head_id == "a1"
    assert ids(repository.path()) == ["u1", "a1"]
    with pytest.raises(UsageError):
        repository.switch("side")


def test_a_revision_of_an_envelope_never_changes():
    repository = talk(user("u1"))
    first = Envelope(id="e1", message_id="u1", conversation_id="c", revision=1)
    assert repository.attach_envelope(first)
    assert repository.attach_envelope(first) == ()
    with pytest.raises(UsageError):
        repository.attach_envelope(Envelope(id="e2", message_id="u1", conversation_id="c", revision=1))
    assert repository.envelopes("u1") == (first,)


def test_loading_mends_what_is_broken_and_says_so():
    repository, found = Repository.load(
        Conversation(id="c", head_id="gone"),
        [
            user("orphan", "nowhere"),
            reply("late", "early"),
            user("early"),
            user("r1", "r2"),
            user("r2", "r1"),
            user("early"),
            user("early", text="other"),
        ],
    )
    assert sorted(one.code for one in found) == [
        "cycle",
        "duplicate_id",
        "duplicate_message",
        "head_missing",
        "parent_missing",
    ]
    assert len(repository) == 6
    assert not invariants(repository)


def test_stats_count_by_role_and_by_face():
    repository = talk(user("u1"), reply("a1", "u1", hidden=True), result("t1", "a1"), reply("b1", "u1"))
    repository.switch("a1")
    counted = stats(repository)
    assert counted.total == 4
    assert counted.by_role == {"user": 1, "assistant": 2, "tool": 1}
    assert (counted.visible, counted.display, counted.prompt) == (3, 1, 3)


def test_a_deep_conversation_needs_no_recursion():
    messages = [user("m0")]
    messages += [(user if n % 2 == 0 else reply)(f"m{n}", f"m{n - 1}") for n in range(1, 20_000)]
    repository = talk(*messages)
    assert len(repository.path()) == 20_000
    repository.remove("m1")
    assert len(repository) == 1


def test_updating_to_the_same_value_changes_nothing():
    repository = talk(user("u1"))
    assert repository.update(user("u1")) == ()
    with pytest.raises(UsageError):
        repository.update(reply("u1", None))
