"""From a user message to the request that answers it: sources, plan, envelope, prompt.

What the model already has is read off the envelopes on the path, so edits, regenerations, branch switches and
deletions come out right, and a reload changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from triptych.chat.bench import Bench, read_texts
from triptych.chat.directives import directives_of
from triptych.chat.epoch import plan_turn
from triptych.chat.plan import shorten_sources
from triptych.chat.references import resolve_references
from triptych.chat.told import with_told
from triptych.context.envelope import Source, Turn, compose
from triptych.context.envelope.assemble import assemble, needed_texts, path_envelopes
from triptych.context.envelope.blocks import full_block
from triptych.model.diagnostics import Diagnostic
from triptych.model.envelope import Envelope
from triptych.model.ids import BlobDigest, EnvelopeId
from triptych.model.messages import Message, SystemMessage, UserMessage, message_text
from triptych.model.parts import ReferencePart
from triptych.views.rows import shown_path

__all__ = ["Prepared", "prepare_turn"]


class Prepared(msgspec.Struct, frozen=True, kw_only=True):
    """A turn that is ready to be sent."""

    envelope: Envelope
    messages: tuple[Message, ...]
    sources: tuple[Source, ...]
    texts: dict[BlobDigest, str]
    diagnostics: tuple[Diagnostic, ...]


async def prepare_turn(bench: Bench, user: UserMessage, *, envelope_id: EnvelopeId, now: int) -> Prepared:
    """Read what is attached, plan, compose the envelope, assemble the prompt. Nothing is stored yet."""
    repository = bench.opened.repository
    references = [part.reference for part in user.parts if isinstance(part, ReferencePart)]
    sources, noted = await resolve_references(references, bench.reach)
    path = shown_path(repository, user.id)
    before = path_envelopes(path[:-1], repository.envelopes)
    texts = await read_texts(bench, needed_texts(before))
    words, imported = message_text(user), _imported(path)
    own_texts = (bench.system, *map(full_block, bench.shared), imported, words, *directives_of(user))
    own = sum(bench.counter.text(text) for text in own_texts if text)
    shared = {source.key: source.body for source in bench.shared}
    there = [source for source in sources if shared.get(source.key) == source.body]
    rest = [source for source in sources if shared.get(source.key) != source.body]
    cut, cuts = shorten_sources(rest, own, bench.room, bench.counter)
    shortened = [*there, *cut]
    turn = Turn(
        id=envelope_id,
        message_id=user.id,
        conversation_id=repository.conversation.id,
        revision=len(repository.envelopes(user.id)) + 1,
        system=bench.system,
        shared=bench.shared,
        imported=imported,
        text=words,
        sources=tuple(shortened),
        directives=directives_of(user),
        layout=bench.layout,
        created_at=now,
        count=bench.counter.text,
    )
    planned, left = await plan_turn(bench, turn, path, before)
    composed = compose(planned)
    messages = assemble(path, repository.results, [*before, composed.envelope], texts | composed.texts)
    told = (*bench.noted, *noted, *cuts, *left)
    return Prepared(
        envelope=with_told(composed.envelope, told),
        messages=tuple(messages),
        sources=tuple(shortened),
        texts=composed.texts,
        diagnostics=told,
    )


def _imported(path: Sequence[Message]) -> str:
    """The system texts of an imported tree."""
    texts = [message_text(message) for message in path if isinstance(message, SystemMessage)]
    return "\n\n".join(text for text in texts if text)
