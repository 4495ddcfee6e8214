"""The request of a turn: the layers of the envelopes on the path, as typed prompt messages.

Each user message is rendered from the envelope revision that its answer names, so history is the same bytes in
every later request. The newest envelope says the system text, the library, where history starts, and the layout: with
``library`` an earlier user message is its words, and what cannot be read again (a selection) stays with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from triptych.context.envelope.held import turn_segments
from triptych.model.envelope import Envelope, LayerName
from triptych.model.ids import BlobDigest, EnvelopeId, MessageId
from triptych.model.messages import AssistantMessage, Message, SystemMessage, ToolMessage, UserMessage
from triptych.model.parts import TextPart
from triptych.views.prompt import to_prompt, with_text

__all__ = ["assemble", "layer_digest", "needed_texts", "path_envelopes", "since_cut"]

SYSTEM_ID = MessageId("system")


def path_envelopes(
    path: Sequence[Message], envelopes: Callable[[MessageId], Sequence[Envelope]]
) -> list[Envelope]:
    """For each user message of a path the revision that its answer names, else the newest; in order."""
    answered = _answered(path)
    found: list[Envelope] = []
    for message in path:
        revisions = envelopes(message.id) if isinstance(message, UserMessage) else ()
        if revisions:
            named = answered.get(message.id)
            found.append(next((one for one in revisions if one.id == named), revisions[-1]))
    return found


def _answered(path: Sequence[Message]) -> dict[MessageId | None, EnvelopeId]:
    return {
        message.parent_id: message.envelope_id
        for message in path
        if isinstance(message, AssistantMessage) and message.envelope_id is not None
    }


def since_cut(path: Sequence[Message], newest: Envelope | None) -> Sequence[Message]:
    """The part of the path that is still sent in the epoch of the newest envelope."""
    cut = (newest.detail or {}).get("cutId") if newest is not None else None
    places = [place for place, message in enumerate(path) if message.id == cut]
    return path[places[0] :] if places else path


def layer_digest(envelope: Envelope, name: LayerName) -> BlobDigest | None:
    """The blob of a layer's text."""
    return next((layer.digest for layer in envelope.layers if layer.name == name), None)


def needed_texts(envelopes: Iterable[Envelope]) -> set[BlobDigest]:
    """The blobs that ``assemble`` reads."""
    layers = [layer for envelope in envelopes for layer in envelope.layers]
    alone = (one.rendered for layer in layers for one in layer.segments if one.rendered is not None)
    return {*(layer.digest for layer in layers), *alone}


def assemble(
    path: Sequence[Message],
    results: Callable[[MessageId], Sequence[ToolMessage]],
    envelopes: Sequence[Envelope],
    texts: Mapping[BlobDigest, str],
) -> list[Message]:
    """System text and library, then every message of the path since the cut, results behind their calls."""
    newest = envelopes[-1] if envelopes else None
    by_message = {envelope.message_id: envelope for envelope in envelopes}
    prompt: list[Message] = [*_head(newest, texts)]
    for message in since_cut(path, newest):
        if isinstance(message, SystemMessage):
            continue
        envelope = by_message.get(message.id)
        plain = newest is not None and newest.layout == "library" and envelope is not newest
        prompt.extend(_said(message, envelope, texts, plain=plain))
        prompt.extend(_answers(results(message.id)))
    return prompt


def _head(newest: Envelope | None, texts: Mapping[BlobDigest, str]) -> list[Message]:
    if newest is None:
        return []
    parts = [text for name in _HEAD if (text := texts.get(layer_digest(newest, name) or BlobDigest(""), ""))]
    return [SystemMessage(id=SYSTEM_ID, parts=(TextPart(text="\n\n".join(parts)),))] if parts else []


_HEAD: tuple[LayerName, ...] = ("system", "previous")


def _said(
    message: Message, envelope: Envelope | None, texts: Mapping[BlobDigest, str], *, plain: bool
) -> list[Message]:
    if isinstance(message, UserMessage) and envelope is not None:
        before = _alone(envelope) if plain else [layer_digest(envelope, "turn")]
        digests = [*before, layer_digest(envelope, "user")]
        shown_texts = [texts.get(digest or BlobDigest(""), "") for digest in digests]
        return [with_text(message, "\n\n".join(text for text in shown_texts if text))]
    shown = to_prompt(message)
    return [] if shown is None else [shown]


def _alone(envelope: Envelope) -> list[BlobDigest | None]:
    return [one.rendered for one in turn_segments([envelope]) if one.rendered is not None]


def _answers(results: Sequence[ToolMessage]) -> list[Message]:
    return [shown for result in results if (shown := to_prompt(result)) is not None]
