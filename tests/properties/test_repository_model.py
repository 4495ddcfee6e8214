"""The repository against a naive model that does everything by scanning lists."""

import itertools

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from triptych.model.conversations import Conversation
from triptych.model.messages import AssistantMessage, ToolMessage, UserMessage
from triptych.model.parts import TextPart
from triptych.repository import (
    ConversationUpdated,
    MessageAdded,
    MessageMoved,
    MessageRemoved,
    MessageUpdated,
    Repository,
    invariants,
)

ROLES = {"user": UserMessage, "assistant": AssistantMessage, "tool": ToolMessage}


class Naive:
    """Nodes as a list of [id, parent, role]; forks remember their choice in a dict; the head is an id."""

    def __init__(self):
        self.nodes, self.chosen, self.head = [], {}, None

    def node(self, name):
        return next(node for node in self.nodes if node[0] == name)

    def steps(self, parent):
        return [name for name, above, role in self.nodes if above == parent and role != "tool"]

    def path(self, tip):
        found = []
        while tip is not None:
            found.insert(0, tip)
            tip = self.node(tip)[1]
        return found

    def go(self, name):
        self.head = name
        path = self.path(name)
        for parent, child in zip([None, *path], path, strict=False):
            if len(self.steps(parent)) > 1 or parent in self.chosen:
                self.chosen[parent] = child

    def active(self, parent):
        steps = self.steps(parent)
        choice = self.chosen.get(parent)
        return choice if choice in steps else (steps[-1] if steps else None)

    def tip(self, name):
        while (child := self.active(name)) is not None:
            name = child
        return name

    def below(self, name):
        found = {name}
        while True:
            more = {node[0] for node in self.nodes if node[1] in found} - found
            if not more:
                return found
            found |= more

    def drop(self, name):
        parent = self.node(name)[1]
        gone = self.below(name)
        self.nodes = [node for node in self.nodes if node[0] not in gone]
        self.chosen = {key: value for key, value in self.chosen.items() if key not in gone}
        if self.chosen.get(parent) == name:
            del self.chosen[parent]


class Talk(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.real = Repository(Conversation(id="c"))
        self.naive = Naive()
        self.names = (f"m{number}" for number in itertools.count())
        self.mirror = {}

    def names_of(self, *roles):
        return [name for name, _, role in self.naive.nodes if role in roles]

    def replayed(self, changes):
        """A store that applies the changes has the same messages as the repository."""
        for change in changes:
            match change:
                case MessageAdded(message=m) | MessageUpdated(message=m) | MessageMoved(message=m):
                    self.mirror[m.id] = m
                case MessageRemoved(message=m):
                    del self.mirror[m.id]
                case ConversationUpdated(conversation=conversation):
                    assert conversation == self.real.conversation or change is not changes[-1]
                case _:
                    raise AssertionError(change)

    @rule(data=st.data(), role=st.sampled_from(["user", "assistant"]))
    def append(self, data, role):
        parent = data.draw(st.sampled_from([None, self.naive.head, *self.names_of("user", "assistant")]))
        name = next(self.names)
        message = ROLES[role](id=name, parent_id=parent, parts=(TextPart(text=name),))
        self.replayed(self.real.append(message))
        self.naive.nodes.append([name, parent, role])
        self.naive.go(name)

    @precondition(lambda self: self.names_of("assistant"))
    @rule(data=st.data())
    def append_result(self, data):
        parent = data.draw(st.sampled_from(self.names_of("assistant")))
        name = next(self.names)
        self.replayed(self.real.append(ToolMessage(id=name, parent_id=parent)))
        self.naive.nodes.append([name, parent, "tool"])

    @precondition(lambda self: self.names_of("user"))
    @rule(data=st.data())
    def edit(self, data):
        old = data.draw(st.sampled_from(self.names_of("user")))
        name = next(self.names)
        self.replayed(self.real.edit(old, (TextPart(text=name),), new_id=name, now=1))
        self.naive.nodes.append([name, self.naive.node(old)[1], "user"])
        self.naive.go(name)

    @precondition(lambda self: self.names_of("user", "assistant"))
    @rule(data=st.data())
    def switch(self, data):
        name = data.draw(st.sampled_from(self.names_of("user", "assistant")))
        self.replayed(self.real.switch(name))
        self.naive.go(self.naive.tip(name))

    @precondition(lambda self: self.naive.nodes)
    @rule(data=st.data())
    def regenerate(self, data):
        name = data.draw(st.sampled_from(self.names_of("user", "assistant", "tool")))
        self.replayed(self.real.regenerate(name))
        users = [one for one in self.naive.path(name) if self.naive.node(one)[2] == "user"]
        if users:
            self.naive.go(users[-1])
        else:
            self.naive.head = None

    @precondition(lambda self: self.naive.nodes)
    @rule(data=st.data())
    def remove(self, data):
        name = data.draw(st.sampled_from(self.names_of("user", "assistant", "tool")))
        parent = self.naive.node(name)[1]
        steps = self.naive.steps(parent)
        place = steps.index(name) if name in steps else None
        neighbour = None if place is None or len(steps) < 2 else steps[place - 1] if place else steps[1]
        self.replayed(self.real.remove(name))
        self.naive.drop(name)
        if self.naive.head is not None and not any(node[0] == self.naive.head for node in self.naive.nodes):
            if neighbour is not None:
                self.naive.go(self.naive.tip(neighbour))
            elif parent is not None:
                self.naive.go(parent)
            else:
                self.naive.head = None

    @precondition(lambda self: self.names_of("user", "assistant"))
    @rule(data=st.data())
    def splice(self, data):
        name = data.draw(st.sampled_from(self.names_of("user", "assistant")))
        self.replayed(self.real.remove(name, splice=True))
        self.resettle()

    @precondition(lambda self: self.names_of("user", "assistant"))
    @rule(data=st.data())
    def move(self, data):
        name = data.draw(st.sampled_from(self.names_of("user", "assistant")))
        below = self.naive.below(name)
        places = [None, *(one for one in self.names_of("user", "assistant") if one not in below)]
        self.replayed(self.real.move(name, data.draw(st.sampled_from(places))))
        self.resettle()

    @precondition(lambda self: self.names_of("user", "assistant"))
    @rule(data=st.data())
    def truncate(self, data):
        name = data.draw(st.sampled_from(self.names_of("user", "assistant")))
        self.replayed(self.real.truncate_after(name))
        for child in self.naive.steps(name):
            self.naive.drop(child)
        if self.naive.head is not None and not any(node[0] == self.naive.head for node in self.naive.nodes):
            self.naive.go(name)

    @rule()
    def clear(self):
        self.replayed(self.real.clear())
        self.naive = Naive()
        self.mirror = {}

    @precondition(lambda self: self.naive.head is not None or not self.naive.nodes)
    @rule()
    def reload(self):
        """Storing and loading again gives the same tree and the same active path.

        A head of None above existing roots only lasts while the next reply is being created.
        """
        loaded, found = Repository.load(self.real.conversation, self.real.messages)
        assert not found
        assert loaded.path() == self.real.path()
        for message in self.real.messages:
            assert loaded.active_child(message.id) == self.real.active_child(message.id)
        self.real = loaded
        self.resettle()

    def resettle(self):
        """After operations that reorder siblings the naive model takes over the order, not the answers."""
        order = {}
        pending = [None]
        for parent in pending:
            for child in self.real.children(parent):
                order[child] = parent
                pending.append(child)
        roles = {UserMessage: "user", AssistantMessage: "assistant", ToolMessage: "tool"}
        self.naive.nodes = [
            [name, parent, roles[type(self.real.get(name))]] for name, parent in order.items()
        ]
        self.naive.head = self.real.head_id
        self.naive.chosen = {m.id: m.active_child_id for m in self.real.messages if m.active_child_id}
        if self.real.conversation.active_root_id:
            self.naive.chosen[None] = self.real.conversation.active_root_id

    @invariant()
    def agrees(self):
        assert not invariants(self.real)
        assert self.real.head_id == self.naive.head
        assert [message.id for message in self.real.path()] == self.naive.path(self.naive.head)
        assert {message.id: message for message in self.real.messages} == self.mirror
        for name, parent, _ in self.naive.nodes:
            assert self.real.get(name).parent_id == parent
            assert self.real.active_child(name) == self.naive.active(name)


Talk.TestCase.settings = settings(max_examples=120, stateful_step_count=25, deadline=None)
TestTalk = Talk.TestCase
