"""What goes in and out over HTTP, beside the model's own values: camelCase JSON, unknown fields refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec

from triptych.model.conversations import Conversation, Project
from triptych.model.diagnostics import Diagnostic
from triptych.model.references import Reference
from triptych.ports.search import SearchHit
from triptych.ports.vault import NoteInfo

__all__ = [
    "ConversationChange",
    "ConversationList",
    "ConversationQuery",
    "ConversationView",
    "EditRequest",
    "EventQuery",
    "FavoriteRequest",
    "ImportQuery",
    "Imported",
    "InspectionQuery",
    "LinkQuery",
    "ModelInfo",
    "ModelList",
    "NewConversation",
    "NoteList",
    "ProjectList",
    "ProjectValues",
    "RemoveQuery",
    "ResolvedLink",
    "SearchQuery",
    "SendRequest",
    "Status",
    "Stopped",
    "TurnStarted",
    "WarmRequest",
]

Title = Annotated[str, msgspec.Meta(max_length=500)]
Text = Annotated[str, msgspec.Meta(max_length=4_000_000)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
Directive = Annotated[str, msgspec.Meta(min_length=1, max_length=2000)]
References = Annotated[tuple[Reference, ...], msgspec.Meta(max_length=500)]


class _In(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    pass


class _Out(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    pass


class ConversationQuery(_In, frozen=True, kw_only=True):
    """Which conversations: of one project, newest change first; ``before`` = ``updatedAt`` of the last seen.

    With ``words``, only those in whose title or messages they stand.
    """

    project_id: Name = "default"
    limit: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 100
    before: Annotated[int, msgspec.Meta(ge=0, le=2**53)] | None = None
    words: Title = ""


class NewConversation(_In, frozen=True, kw_only=True):
    """A conversation to be started."""

    project_id: Name = "default"
    title: Title = ""
    model: Name | None = None


class ConversationChange(_In, frozen=True, kw_only=True):
    """A new title, another model from the next turn on; what is missing stays as it is."""

    title: Title | None = None
    model: Name | None = None


class SendRequest(_In, frozen=True, kw_only=True):
    """What the person says, and what they attached.

    ``directives`` are asked of this answer beside the words ("answer in French"); ``dated`` adds today's date (UTC).
    """

    text: Text
    references: References = ()
    directives: Annotated[tuple[Directive, ...], msgspec.Meta(max_length=20)] = ()
    dated: bool = False


class FavoriteRequest(_In, frozen=True, kw_only=True):
    """Whether a message is a favourite."""

    favorite: bool


class EditRequest(_In, frozen=True, kw_only=True):
    """The same said otherwise; without ``references``, those of the message stay. Without ``answer`` it only stands."""

    text: Text
    references: References | None = None
    answer: bool = True


class WarmRequest(_In, frozen=True, kw_only=True):
    """What will be attached to the next message: the model may read it ahead of the question."""

    references: References


class EventQuery(_In, frozen=True, kw_only=True):
    """``after``: the id of the last event seen, for readers that cannot set ``Last-Event-ID``."""

    after: Annotated[str, msgspec.Meta(max_length=100)] | None = None


class InspectionQuery(_In, frozen=True, kw_only=True):
    """Which turn: that of this message; the newest without it."""

    message_id: Name | None = None


class RemoveQuery(_In, frozen=True, kw_only=True):
    """``splice``: take out the message alone, and let what follows it take its place."""

    splice: bool = False


class SearchQuery(_In, frozen=True, kw_only=True):
    """Words of a title, a path or a tag."""

    q: Annotated[str, msgspec.Meta(max_length=500)] = ""
    limit: Annotated[int, msgspec.Meta(ge=1, le=200)] = 50


class ImportQuery(_In, frozen=True, kw_only=True):
    """The name of the file, and the project that new conversations go to."""

    name: Annotated[str, msgspec.Meta(max_length=1000)] = "export"
    project_id: Name = "default"


class LinkQuery(_In, frozen=True, kw_only=True):
    """A ``[[wikilink]]`` or a relative path, and the note that it stands in."""

    link: Annotated[str, msgspec.Meta(max_length=2000)]
    source: Annotated[str, msgspec.Meta(max_length=2000)] | None = None


class ResolvedLink(_Out, frozen=True, kw_only=True):
    """Where a link leads; null: nowhere."""

    path: str | None


class ProjectValues(_In, frozen=True, kw_only=True):
    """A project as a client says it; times and owner are the server's."""

    id: Name
    name: Title = ""
    instructions: Text = ""
    model: Name | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    parameters: dict[str, Any] | None = None


class ConversationList(_Out, frozen=True, kw_only=True):
    """Conversations of one project, newest change first."""

    conversations: Sequence[Conversation]


class ConversationView(_Out, frozen=True, kw_only=True):
    """A conversation as it is drawn.

    Attributes:
        rows: display rows, in order.
        elsewhere: every message that is in no row, with the reason and its owner.
        number: the change set after which this was true.
        running: a reply is being written.
        diagnostics: what was mended in the conversation, and what there is to say about its newest turn.
    """

    conversation: Conversation
    rows: Sequence[Mapping[str, Any]]
    elsewhere: dict[str, dict[str, Any]]
    diagnostics: Sequence[Diagnostic] = ()
    number: int = 0
    running: bool = False


class TurnStarted(_Out, frozen=True, kw_only=True):
    """The person's message is on disk; a model is at work on the reply. Nulls: there was nothing to answer."""

    conversation_id: str
    user_id: str | None
    reply_id: str | None


class Stopped(_Out, frozen=True, kw_only=True):
    """Whether there was something to stop."""

    stopped: bool


class NoteList(_Out, frozen=True, kw_only=True):
    """Notes of the vault, without their bodies; ``hits`` are pieces of notes whose text answers a search."""

    notes: Sequence[NoteInfo]
    hits: Sequence[SearchHit] = ()


class ProjectList(_Out, frozen=True, kw_only=True):
    """All projects, oldest first."""

    projects: Sequence[Project]


class Imported(_Out, frozen=True, kw_only=True):
    """What was in a file, and what of it is new here.

    Attributes:
        format: the program that wrote it; None when nothing could be read.
        title: the same for people.
        branches: places where a conversation goes on in more than one way.
        hidden: messages that its program did not show either.
        created: conversations that were not here before.
        extended: conversations that were here and have something new.
        added: messages that are new in the store.
        conversation_id: the conversation, when there is just one.
        warnings: how often each finding was made, by its code.
        skipped: what was left out: where, and why.
    """

    format: str | None
    title: str = ""
    conversations: int
    messages: int
    branches: int = 0
    hidden: int = 0
    created: int = 0
    extended: int = 0
    added: int
    conversation_id: str | None = None
    warnings: dict[str, int] = msgspec.field(default_factory=dict[str, int])
    skipped: Sequence[tuple[str, str]] = ()


class ModelInfo(_Out, frozen=True, kw_only=True):
    """A model that can be chosen; ``note`` is what a person should know about it."""

    id: str
    name: str = ""
    note: str = ""


class ModelList(_Out, frozen=True, kw_only=True):
    """The models, the one in use first."""

    models: Sequence[ModelInfo]


class Status(_Out, frozen=True, kw_only=True):
    """How things stand.

    Attributes:
        model: the one in use.
        vault: the name of the folder of notes; None when there is none.
        imports: files of other programs can be imported.
        searches: the text of all notes can be looked through.
    """

    name: Literal["triptych"] = "triptych"
    version: str
    model: ModelInfo | None
    vault: str | None
    notes: int
    imports: bool
    searches: bool
    diagnostics: Sequence[Diagnostic] = ()
