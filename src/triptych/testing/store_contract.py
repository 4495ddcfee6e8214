"""What every store must do, as checks that anybody can run against a store of their own.

Each check is an async function that gets a fresh, empty store and raises ``AssertionError`` with a sentence::

    @pytest.mark.parametrize("check", STORE_CHECKS, ids=lambda check: check.__name__)
    def test_my_store(check):
        asyncio.run(with_my_store(check))
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from random import Random
from typing import Any, Protocol

import msgspec

from triptych.errors import StoreError, TriptychError, UsageError
from triptych.model.conversations import DEFAULT_PROJECT, DEFAULT_USER, Conversation, Project
from triptych.model.digest import digest_bytes
from triptych.model.envelope import Envelope, Layer, Segment
from triptych.model.ids import (
    BlobDigest,
    CallId,
    ConversationId,
    EnvelopeId,
    MessageId,
    ProjectId,
    RunId,
    UserId,
)
from triptych.model.messages import AssistantMessage, Message, ToolMessage, UserMessage
from triptych.model.parts import (
    BlobMedia,
    ImagePart,
    InlineMedia,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    UnknownPart,
    UrlMedia,
)
from triptych.model.status import STREAMING, Incomplete, Streaming
from triptych.ports.blobs import BlobStore
from triptych.ports.conversations import ConversationStore, ProjectStore, StoredConversation
from triptych.ports.feed import ChangeFeed
from triptych.ports.runs import Run, RunStore, Source, SourceStore
from triptych.repository import Change, ConversationUpdated, MessageAdded, MessageUpdated, Repository

__all__ = ["STORE_CHECKS", "AnyStore", "StoreCheck", "random_changes"]


class AnyStore(ConversationStore, ProjectStore, BlobStore, RunStore, SourceStore, ChangeFeed, Protocol):
    """All that a store offers."""


StoreCheck = Callable[[AnyStore], Awaitable[None]]

_ONE = ConversationId("one")
_TWO = ConversationId("two")
_WORK = ProjectId("work")


def _expect(condition: object, sentence: str) -> None:
    if not condition:
        raise AssertionError(sentence)


def _equal(found: object, wanted: object, sentence: str) -> None:
    _expect(found == wanted, f"{sentence}\n  found:  {found!r}\n  wanted: {wanted!r}")


async def _refused(work: Awaitable[object], kind: type[TriptychError], sentence: str) -> None:
    try:
        await work
    except kind:
        return
    raise AssertionError(sentence)


def _said(name: str, parent: str | None = None, text: str = "") -> UserMessage:
    parent_id = None if parent is None else MessageId(parent)
    parts = (TextPart(text=text or f"text of {name}"),)
    return UserMessage(id=MessageId(name), parent_id=parent_id, parts=parts, created_at=1_000)


def _conversation(conversation_id: ConversationId = _ONE, **facts: object) -> Conversation:
    return msgspec.structs.replace(Conversation(id=conversation_id), **facts)


async def _loaded(store: AnyStore, conversation_id: ConversationId = _ONE) -> StoredConversation:
    stored = await store.load(conversation_id)
    if stored is None:
        raise AssertionError(f"The conversation {conversation_id!r} should be there.")
    return stored


def _same_tree(stored: StoredConversation, repository: Repository) -> None:
    _equal(stored.conversation, repository.conversation, "The facts about the conversation are the same.")
    loaded, found = Repository.load(stored.conversation, stored.messages, stored.envelopes)
    _equal((stored.diagnostics, found), ((), ()), "A healthy conversation loads without diagnostics.")
    _equal(_by_id(loaded), _by_id(repository), "The messages are the same.")
    for parent in (None, *(message.id for message in repository.messages)):
        _equal(
            loaded.children(parent), repository.children(parent), f"The order below {parent!r} is the same."
        )
        if parent is not None:
            _equal(loaded.envelopes(parent), repository.envelopes(parent), "The envelopes are the same.")


def _by_id(repository: Repository) -> dict[MessageId, Message]:
    return {message.id: message for message in repository.messages}


async def nothing_is_there_at_first(store: AnyStore) -> None:
    """An unknown conversation is None, its feed is at 0, writing to it is refused."""
    _equal(await store.load(_ONE), None, "An unknown conversation is None.")
    _equal(await store.newest(_ONE), 0, "An unknown feed is at 0.")
    _equal(await store.conversations(DEFAULT_PROJECT, DEFAULT_USER), [], "No conversation is listed.")
    await _refused(
        store.commit(_ONE, [MessageAdded(message=_said("a"))]),
        StoreError,
        "An unknown conversation is refused.",
    )


async def a_new_conversation_is_empty(store: AnyStore) -> None:
    """It is what was handed in; a second one of the same id is refused."""
    conversation = _conversation(title="A title with ‘quotes’ and 漢字", metadata={"b": 1, "a": [None, 2.5]})
    await store.create(conversation)
    _equal(
        await _loaded(store), StoredConversation(conversation=conversation), "A new conversation is empty."
    )
    await _refused(store.create(conversation), UsageError, "An id is used once.")
    await _refused(
        store.create(_conversation(_TWO, project_id=ProjectId("nowhere"))),
        UsageError,
        "A project must be there.",
    )


async def messages_come_back_as_they_went_in(store: AnyStore) -> None:
    """Every kind of part, foreign fields, media rows, times and order of keys."""
    message = UserMessage(
        id=MessageId("a"),
        created_at=1_700_000_000_123,
        updated_at=1_700_000_000_456,
        parts=(
            TextPart(text="line\nzero \x00 width\u200b end"),
            ImagePart(media=UrlMedia(url="https://example.org/a.png"), alt="a"),
            ImagePart(media=InlineMedia(data="aGVsbG8=")),
            UnknownPart(raw={"type": "hologram", "z": 1, "a": {"nested": [True, None]}}),
        ),
        metadata={"z": 1, "a": 2},
        extra={"foreignField": {"kept": True}},
        favorite=True,
        hidden=True,
    )
    reply = AssistantMessage(
        id=MessageId("b"),
        parent_id=message.id,
        parts=(
            ReasoningPart(text="hm", private={"anthropic": {"signature": "c2ln"}}),
            TextPart(text="yes"),
            ToolCallPart(call_id=CallId("c1"), name="look", arguments='{"at":'),
        ),
        model="m",
        provider="p",
    )
    picture = ImagePart(media=BlobMedia(digest=digest_bytes(b"picture"), size=7), media_type="image/png")
    result = ToolMessage(
        id=MessageId("c"),
        parent_id=reply.id,
        parts=(ToolResultPart(call_id=CallId("c1"), content=(TextPart(text="seen"), picture)),),
    )
    await store.create(_conversation())
    await store.commit(_ONE, [MessageAdded(message=one) for one in (message, reply, result)])
    stored = await _loaded(store)
    _equal(stored.messages, (message, reply, result), "Messages come back as they went in.")
    _equal(list(stored.messages[0].metadata or {}), ["z", "a"], "Keys keep their order.")


async def a_repository_comes_back_whole(store: AnyStore) -> None:
    """Random operations of a repository, stored change set by change set: the same tree after each load."""
    for seed in range(3):
        conversation = _conversation(ConversationId(f"random-{seed}"))
        await store.create(conversation)
        repository = Repository(conversation)
        random = Random(seed)  # noqa: S311 # a repeatable walk
        for step in range(40):
            changes = random_changes(repository, random, step)
            if changes:
                await store.commit(conversation.id, changes)
            if step % 8 == 7:
                _same_tree(await _loaded(store, conversation.id), repository)


async def a_change_set_is_all_or_nothing(store: AnyStore) -> None:
    """A set with a bad change leaves no trace, and the next one is numbered as if it had not been."""
    await store.create(_conversation())
    _equal(await store.commit(_ONE, [MessageAdded(message=_said("a"))]), 1, "Sets are counted from 1.")
    before = await _loaded(store)
    for bad in (
        MessageAdded(message=_said("a")),
        MessageAdded(message=_said("c", parent="nobody")),
        MessageUpdated(message=_said("nobody"), before=_said("nobody")),
    ):
        good = MessageAdded(message=_said("b", parent="a"))
        await _refused(store.commit(_ONE, [good, bad]), StoreError, f"This change must be refused: {bad!r}")
    _equal(await _loaded(store), before, "A refused set leaves no trace.")
    _equal(await store.newest(_ONE), 1, "A refused set is not numbered.")
    _equal(await store.commit(_ONE, []), 1, "No changes are no set.")
    _equal(
        await store.commit(_ONE, [MessageAdded(message=_said("b"))]), 2, "The next set has the next number."
    )


async def the_feed_tells_every_change_set(store: AnyStore) -> None:
    """From the start, from the middle, and live; as the very changes that were committed."""
    await store.create(_conversation())
    sets: list[list[Change]] = [[MessageAdded(message=_said(f"m{place}"))] for place in range(5)]
    for changes in sets[:3]:
        await store.commit(_ONE, changes)
    feed = store.follow(_ONE)
    _equal(await _take(feed, 3), list(_numbered(sets[:3], 1)), "The feed starts at the beginning.")
    late = asyncio.ensure_future(_take(store.follow(_ONE, 2), 3))
    for changes in sets[3:]:
        await store.commit(_ONE, changes)
    _equal(await _take(feed, 2), list(_numbered(sets[3:], 4)), "A follower hears what is committed.")
    _equal(await late, list(_numbered(sets[2:], 3)), "A follower may start anywhere.")
    _equal(await store.newest(_ONE), 5, "The newest number is that of the last set.")


async def _take(
    feed: AsyncIterator[tuple[int, tuple[Change, ...]]], many: int
) -> list[tuple[int, tuple[Change, ...]]]:
    async with asyncio.timeout(20):
        return [await anext(feed) for _ in range(many)]


def _numbered(sets: Sequence[Sequence[Change]], first: int) -> list[tuple[int, tuple[Change, ...]]]:
    return [(first + place, tuple(changes)) for place, changes in enumerate(sets)]


async def writers_at_once_do_not_lose_or_mix_numbers(store: AnyStore) -> None:
    """Twenty commits at the same time: twenty numbers, and the feed has them in order."""
    await store.create(_conversation())
    work = [store.commit(_ONE, [MessageAdded(message=_said(f"m{place}"))]) for place in range(20)]
    numbers = await asyncio.gather(*work)
    _equal(sorted(numbers), list(range(1, 21)), "Every set has a number of its own.")
    told = await _take(store.follow(_ONE), 20)
    _equal([number for number, _ in told], list(range(1, 21)), "The feed is in order.")
    _equal(len((await _loaded(store)).messages), 20, "No message is lost.")


async def interrupted_replies_are_settled(store: AnyStore) -> None:
    """What was streaming is Incomplete(interrupted), its text kept; settling twice changes nothing."""
    await store.create(_conversation())
    question = _said("q")
    reply = AssistantMessage(
        id=MessageId("r"), parent_id=question.id, parts=(TextPart(text="half of"),), status=STREAMING
    )
    await store.commit(_ONE, [MessageAdded(message=question), MessageAdded(message=reply)])
    _equal(await store.settle_interrupted(5_000), [_ONE], "The conversation is named.")
    settled = (await _loaded(store)).messages[1]
    wanted = msgspec.structs.replace(reply, status=Incomplete(reason="interrupted"), updated_at=5_000)
    _equal(settled, wanted, "The reply keeps its text and says that it was interrupted.")
    _equal(await store.settle_interrupted(6_000), [], "There is nothing left to settle.")
    told = await _take(store.follow(_ONE, 1), 1)
    _equal(told[0][1], (MessageUpdated(message=settled, before=reply),), "Followers hear of it.")
    _expect(
        not isinstance(reply.status, Incomplete) and isinstance(reply.status, Streaming), "Values are frozen."
    )


async def projects_keep_apart(store: AnyStore) -> None:
    """Lists and counts are those of one project and one user; the default project stays."""
    other = UserId("somebody")
    await store.put_project(Project(id=_WORK, name="Work", created_at=10, include=("plans/", "#work")))
    await store.create(_conversation(_ONE, updated_at=1))
    await store.create(_conversation(_TWO, project_id=_WORK, updated_at=2))
    await store.create(_conversation(ConversationId("three"), user_id=other))
    await store.commit(_TWO, [MessageAdded(message=_said("a")), MessageAdded(message=_said("b", "a"))])
    projects = await store.projects(DEFAULT_USER)
    _equal([one.id for one in projects], [DEFAULT_PROJECT, _WORK], "The default project comes first.")
    _equal(projects[1].include, ("plans/", "#work"), "A project comes back as it went in.")
    before = _conversation(_TWO, project_id=_WORK, updated_at=2)
    await store.commit(_TWO, [_moved_to(before, DEFAULT_PROJECT)])
    _equal(await store.conversations(_WORK, DEFAULT_USER), [], "A conversation may move to another project.")
    await store.commit(_TWO, [_moved_to(msgspec.structs.replace(before, project_id=DEFAULT_PROJECT), _WORK)])
    here = await store.conversations(_WORK, DEFAULT_USER)
    _equal([one.id for one in here], [_TWO], "A list is that of one project.")
    counts = await store.counts(DEFAULT_USER)
    _equal(counts, {DEFAULT_PROJECT: (1, 0), _WORK: (1, 2)}, "Counts are by project.")
    _equal(await store.counts(other), {DEFAULT_PROJECT: (1, 0)}, "Counts are by user.")
    await _refused(
        store.delete_project(DEFAULT_PROJECT), UsageError, "The default project cannot be deleted."
    )
    await store.delete_project(_WORK)
    _equal(await store.load(_TWO), None, "A project takes its conversations along.")
    _equal([one.id for one in await store.projects(DEFAULT_USER)], [DEFAULT_PROJECT], "It is gone.")
    await _loaded(store, ConversationId("three"))


def _moved_to(before: Conversation, project_id: ProjectId) -> Change:
    after = msgspec.structs.replace(before, project_id=project_id)
    return ConversationUpdated(conversation=after, before=before)


async def lists_are_newest_first_and_paged(store: AnyStore) -> None:
    """Pages neither repeat nor skip, even where times are equal."""
    for place in range(7):
        await store.create(_conversation(ConversationId(f"c{place}"), updated_at=place // 3))
    first = await store.conversations(DEFAULT_PROJECT, DEFAULT_USER, limit=4)
    rest = await store.conversations(
        DEFAULT_PROJECT, DEFAULT_USER, limit=4, before=first[-1].updated_at, before_id=first[-1].id
    )
    _equal(
        [one.id for one in (*first, *rest)], [f"c{place}" for place in reversed(range(7))], "All, in order."
    )
    older = await store.conversations(DEFAULT_PROJECT, DEFAULT_USER, before=1)
    _equal([one.id for one in older], ["c2", "c1", "c0"], "Strictly older than a time.")


async def words_are_found_where_they_stand(store: AnyStore) -> None:
    """In titles and in visible prose, whatever the letter case and script; not in hidden messages, not in the JSON."""
    said = {
        "plain": _words('The HERON waits\nby the "weir".'),
        "script": _words("Größe und Maß, Ελλάδα"),
        "hidden": _words("heron", hidden=True),
        "nothing": _words("type text"),
    }
    for place, (name, message) in enumerate(said.items()):
        await store.create(_conversation(ConversationId(name), updated_at=place))
        await store.commit(ConversationId(name), [MessageAdded(message=message)])
    await store.create(_conversation(ConversationId("titled"), title="Heron and reed", updated_at=9))

    async def found(words: str, **more: Any) -> list[str]:
        return [
            one.id for one in await store.conversations(DEFAULT_PROJECT, DEFAULT_USER, words=words, **more)
        ]

    _equal(await found("heron"), ["titled", "plain"], "In title and text, newest first.")
    _equal(await found("heron", limit=1), ["titled"], "As many as were asked for.")
    _equal(await found("heron", before=9), ["plain"], "From after the last seen.")
    _equal(await found('waits\nby the "weir"'), ["plain"], "Quotes and line ends are words like others.")
    _equal(await found("GRÖSSE"), ["script"], "Letters are folded in every script.")
    _equal(await found("ελλάδα"), ["script"], "Letters are folded in every script.")
    _equal(await found("toolCall"), [], "What nobody said is not found.")
    _equal(await found("text"), ["nothing"], "Only what was said counts, not how it is stored.")


def _words(text: str, *, hidden: bool = False) -> UserMessage:
    return UserMessage(id=MessageId("m"), parts=(TextPart(text=text),), hidden=hidden)


async def blobs_are_named_by_content(store: AnyStore) -> None:
    """Putting twice is putting once; missing ones are missing keys."""
    digests = await store.put_blobs([b"one", b"", b"one", b"\x00\xff"])
    _equal(digests, [digest_bytes(body) for body in (b"one", b"", b"one", b"\x00\xff")], "Digests in order.")
    _equal(await store.put_blobs([b"one"]), digests[:1], "Again is the same.")
    missing = BlobDigest("b2:" + "0" * 64)
    found = await store.get_blobs([*digests, missing])
    _equal(found, {digests[0]: b"one", digests[1]: b"", digests[3]: b"\x00\xff"}, "What is there comes back.")
    _equal(await store.put_blobs([]), [], "Nothing is nothing.")


async def deleting_forgets_what_hangs_on_it(store: AnyStore) -> None:
    """Messages, envelopes, runs, sources and feed go; bodies that others use stay."""
    shared, own = await store.put_blobs([b"shared", b"own"])
    for key in (_ONE, _TWO):
        await store.create(_conversation(key))
        await store.commit(key, [MessageAdded(message=_said("a"))])
        await store.commit(key, _enveloped(key, shared))
    run = Run(
        id=RunId("r"),
        conversation_id=_ONE,
        message_id=MessageId("a"),
        provider="p",
        model="m",
        started_at=1,
        payload=own,
    )
    await store.put_run(run)
    await store.put_source(Source(conversation_id=_ONE, format="f", source_id="s", digest=own))
    await store.delete(_ONE)
    _equal(await store.load(_ONE), None, "It is gone.")
    _equal(await store.runs(_ONE), [], "Its runs are gone.")
    _equal(await store.source("f", "s"), None, "Its source is gone, so it may be imported again.")
    _equal(await store.newest(_ONE), 0, "Its feed is gone.")
    _expect(shared in await store.get_blobs([shared]), "Bodies that others use stay.")
    _equal(len((await _loaded(store, _TWO)).envelopes), 1, "The other conversation is whole.")
    await store.delete(_ONE)


def _enveloped(key: ConversationId, digest: BlobDigest) -> list[Change]:
    repository, _ = Repository.load(_conversation(key, head_id=MessageId("a")), [_said("a")])
    segment = Segment(key="note:a.md", kind="note", digest=digest)
    layer = Layer(name="turn", digest=digest, fingerprint="f", segments=(segment,))
    envelope = Envelope(
        id=EnvelopeId("e"), message_id=MessageId("a"), conversation_id=key, revision=1, layers=(layer,)
    )
    return list(repository.attach_envelope(envelope))


async def runs_and_sources_are_replaced(store: AnyStore) -> None:
    """A run is put when it starts and again when it ends; a source by its name in the other program."""
    await store.create(_conversation())
    late, early = (
        Run(
            id=RunId(name),
            conversation_id=_ONE,
            message_id=MessageId("a"),
            provider="p",
            model="m",
            started_at=start,
        )
        for name, start in (("late", 20), ("early", 10))
    )
    ended = msgspec.structs.replace(late, ended_at=30, outcome={"tokens": 7}, report=({"pass": "x"},))
    for run in (late, early, ended):
        await store.put_run(run)
    _equal(await store.runs(_ONE), [early, ended], "Runs are replaced by id, oldest first.")
    source = Source(conversation_id=_ONE, format="f", source_id="s", digest=digest_bytes(b"1"))
    changed = msgspec.structs.replace(source, digest=digest_bytes(b"2"), detail={"title": "t"})
    await store.put_source(source)
    await store.put_source(changed)
    _equal(await store.source("f", "s"), changed, "A source is replaced by its name.")
    _equal(await store.source("other", "s"), None, "Formats keep apart.")


STORE_CHECKS: tuple[StoreCheck, ...] = (
    nothing_is_there_at_first,
    a_new_conversation_is_empty,
    messages_come_back_as_they_went_in,
    a_repository_comes_back_whole,
    a_change_set_is_all_or_nothing,
    the_feed_tells_every_change_set,
    writers_at_once_do_not_lose_or_mix_numbers,
    interrupted_replies_are_settled,
    projects_keep_apart,
    lists_are_newest_first_and_paged,
    words_are_found_where_they_stand,
    blobs_are_named_by_content,
    deleting_forgets_what_hangs_on_it,
    runs_and_sources_are_replaced,
)


def random_changes(repository: Repository, random: Random, step: int) -> tuple[Change, ...]:
    """One random operation on a repository, as its changes; used to walk through every kind of change."""
    known = [message.id for message in repository.messages]
    if not known or random.random() < 0.4:
        return repository.append(_random_message(repository, random, step))
    chosen = random.choice(known)
    match random.randrange(7):
        case 0:
            return _attempt(lambda: repository.remove(chosen, splice=random.random() < 0.5))
        case 1:
            target = random.choice([None, *known])
            return _attempt(lambda: repository.move(chosen, target, random.randrange(4)))
        case 2:
            return _attempt(lambda: repository.switch(chosen))
        case 3:
            return repository.regenerate(chosen)
        case 4:
            return repository.describe(title=f"title {step}", updated_at=step)
        case 5:
            return _attempt(lambda: _random_envelope(repository, chosen, step))
        case _:
            updated = msgspec.structs.replace(repository.get(chosen), favorite=True, updated_at=step)
            return _attempt(lambda: repository.update(updated))


def _attempt(operation: Callable[[], tuple[Change, ...]]) -> tuple[Change, ...]:
    try:
        return operation()
    except UsageError:
        return ()


def _random_message(repository: Repository, random: Random, step: int) -> Message:
    known = list(repository.messages)
    parent = random.choice([None, *known]) if random.random() < 0.5 else (known[-1] if known else None)
    parent_id = None if parent is None else parent.id
    key = MessageId(f"m{step}")
    if isinstance(parent, AssistantMessage) and random.random() < 0.3:
        return ToolMessage(id=key, parent_id=parent_id, parts=(ToolResultPart(call_id=CallId("c")),))
    parts = (TextPart(text=f"text {random.random()}"),)
    if random.random() < 0.5:
        return AssistantMessage(id=key, parent_id=parent_id, parts=parts)
    return UserMessage(id=key, parent_id=parent_id, parts=parts)


def _random_envelope(repository: Repository, message_id: MessageId, step: int) -> tuple[Change, ...]:
    envelope = Envelope(
        id=EnvelopeId(f"e{step}"),
        message_id=message_id,
        conversation_id=repository.conversation.id,
        revision=len(repository.envelopes(message_id)) + 1,
    )
    return repository.attach_envelope(envelope)
