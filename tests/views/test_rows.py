import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from triptych.flow import walk
from triptych.model.conversations import Conversation
from triptych.model.messages import AssistantMessage, ToolMessage, UserMessage
from triptych.model.origins import Council
from triptych.model.parts import TextPart, ToolCallPart, ToolResultPart
from triptych.repository import Repository
from triptych.views.rows import inactive, shown_path, to_rows


def call(name):
    return ToolCallPart(call_id=name, name="look", arguments="{}")


@st.composite
def talks(draw):
    """Conversations as our own program makes them: turns, tools, edits, regenerations, switches."""
    talk, names = Repository(Conversation(id="c")), (f"m{n:03}" for n in itertools.count())
    times = itertools.count(1)

    def made(kind, parent, *parts):
        return kind(id=next(names), parent_id=parent, parts=parts, created_at=next(times))

    for step in draw(st.lists(st.integers(0, 5), max_size=14)):
        head = talk.head_id
        steps = [one for one in talk.messages if not isinstance(one, ToolMessage)]
        chosen = draw(st.sampled_from(steps)) if steps else None
        if step <= 1 or chosen is None:
            user = made(UserMessage, head, TextPart(text="q"))
            talk.append(user)
            talk.append(made(AssistantMessage, user.id, TextPart(text="a")))
        elif step == 2:
            user = made(UserMessage, head, TextPart(text="q"))
            asks = made(AssistantMessage, user.id, call("c1"), call("c2"))
            talk.append_many([user, asks])
            for name in draw(st.permutations(["c1", "c2"])):
                talk.append(made(ToolMessage, asks.id, ToolResultPart(call_id=name)))
            talk.append(made(AssistantMessage, asks.id, TextPart(text="so")))
        elif step == 3:
            talk.regenerate(chosen.id)
            talk.append(made(AssistantMessage, talk.head_id, TextPart(text="again")))
        elif step == 4 and isinstance(chosen, UserMessage):
            talk.edit(chosen.id, (TextPart(text=next(names)),), new_id=next(names), now=next(times))
        else:
            talk.switch(chosen.id)
    return talk


@given(talks())
@settings(max_examples=300, deadline=None)
def test_flow_walks_the_path_of_the_repository(talk):
    walked = [step.id for step in walk(to_rows(talk)).path]
    spoken = [one for one in walked if not isinstance(talk.get(one), ToolMessage)]
    assert spoken == [message.id for message in talk.path()]


@given(talks())
@settings(max_examples=100, deadline=None)
def test_every_message_is_on_the_path_or_elsewhere(talk):
    walked = walk(to_rows(talk))
    on_path = {one for step in walked.path for one in (step.id, *step.results)}
    places = [on_path, set(walked.elsewhere), set(inactive(talk))]
    assert set.union(*places) == {message.id for message in talk.messages}
    assert sum(map(len, places)) == len(talk)


def test_while_a_further_reply_is_being_created_no_old_branch_is_shown():
    talk = Repository(Conversation(id="c"))
    talk.append(UserMessage(id="u", created_at=1))
    talk.append(AssistantMessage(id="a", parent_id="u", created_at=2))
    talk.append(AssistantMessage(id="b", parent_id="u", created_at=3))
    talk.regenerate("a")
    assert [step.id for step in walk(to_rows(talk)).path] == ["u"]


def test_a_council_is_part_of_what_a_model_reads():
    talk = Repository(Conversation(id="c"))
    talk.append(UserMessage(id="u", created_at=1))
    talk.append(AssistantMessage(id="a", parent_id="u", created_at=2))
    talk.append(AssistantMessage(id="m", parent_id="a", created_at=3, origin=Council()))
    assert [message.id for message in shown_path(talk)][:2] == ["u", "a"]
