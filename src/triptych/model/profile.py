"""What is known about a model, a family of models or a server: facts as data, dated and sourced.

Not here: the table of the facts itself (``wires.profiles``; ``providers.profiles`` lays a user's own facts over
it), and the rules that read them (``wires``).
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

__all__ = ["MediaLimits", "Price", "Profile", "WireName"]

WireName = Literal["openai_chat", "openai_responses", "anthropic", "gemini", "bedrock", "mistral", "ollama"]


class Price(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """US dollars for a million tokens."""

    input: float
    output: float
    cached_input: float | None = None
    cache_write: float | None = None


class MediaLimits(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """How much media a request may carry; None means that no limit is known.

    Attributes:
        images: pictures in the whole request.
        message_images: pictures in one message.
        message_documents: documents in one message.
        pixels: the longest side of a picture.
        many_images: above this number of pictures, ``many_pixels`` is the longest side of each.
        image_bytes: bytes of one picture.
        document_bytes: bytes of one document.
        request_bytes: bytes of the whole request body.
    """

    images: int | None = None
    message_images: int | None = None
    message_documents: int | None = None
    pixels: int | None = None
    many_images: int | None = None
    many_pixels: int | None = None
    image_bytes: int | None = None
    document_bytes: int | None = None
    request_bytes: int | None = None


class Profile(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """Facts that a request has to respect.

    Attributes:
        name: how the profile is called (``openai``, ``strict-jinja`` …).
        wire: the message format that is spoken.
        family: whose private parts it understands (``anthropic``, ``openai``, ``google`` …).
        window: tokens of input and output together; None when unknown.
        max_output: tokens of a reply at most.
        token_factor: this family's tokens for one token of the o200k vocabulary.
        roles: the roles that may occur in the message list.
        alternation: user and assistant have to take turns (neighbours of one role are merged).
        system: where system text goes: ``field``, ``first`` (one first message), ``anywhere``, ``none``.
        system_role: the word for it in the message list: ``system`` or ``developer``.
        first_user: the first message that is not system text has to be the user's.
        prefill: the last message may be the assistant's.
        call_id_pattern: regular expression that a tool call id has to match whole.
        call_id_length: characters that it may have at most.
        call_ids: the wire carries tool call ids at all (without them, results go by order).
        tool_name_pattern: likewise for tool names.
        message_name_pattern: likewise for the ``name`` of a message; None: it is never sent.
        media: the kinds of media that a user message may hold: ``image``, ``audio``, ``video``, ``file``.
        tool_media: the kinds that a tool result may hold.
        assistant_media: the kinds that an assistant message may hold.
        url_media: the kinds that may be given by their address (all others only by their bytes).
        provider_media: the kinds that may be given by the id of an uploaded file.
        media_types: media types that are read; empty: any of the kinds.
        limits: how much media fits.
        tools: tools may be offered and their calls replayed.
        tools_required: a request whose history holds calls has to define tools.
        user_after_results: a user message may follow tool results (else a reply has to stand between them).
        text_beside_results: text may stand in the same message as tool results.
        text_beside_calls: text may stand in the same message as tool calls.
        calls_last: a turn with tool calls ends in a call.
        null_content: an assistant message with calls and no text has null content (else an empty string).
        reasoning: what happens to a model's own earlier reasoning: ``none`` (the model has none and its items
            are refused), ``drop`` (left out), ``keep`` (sent back when it is of this family), ``required``
            (turns with tool calls have to have it).
        reasoning_signed: only reasoning with a signature or its encrypted form may go back.
        placeholder_signature: stands on the first call of a step that has no signature of this family.
        parallel_calls: several calls in one turn are understood.
        cache_minimum: tokens below which nothing is cached.
        cache_marks: explicit cache marks in one request at most.
        models: shell patterns of the model names that it is about; the longest match wins.
        source: where the facts were read.
        dated: on which day (ISO 8601).
        facts: whatever else is known, by name.
    """

    name: str
    wire: WireName
    family: str
    window: int | None = None
    max_output: int | None = None
    token_factor: float = 1.0
    roles: tuple[str, ...] = ("system", "user", "assistant", "tool")
    alternation: bool = False
    system: Literal["field", "first", "anywhere", "none"] = "anywhere"
    system_role: str = "system"
    first_user: bool = False
    prefill: bool = False
    call_id_pattern: str | None = None
    call_id_length: int | None = None
    call_ids: bool = True
    tool_name_pattern: str = "^[a-zA-Z0-9_-]{1,64}$"
    message_name_pattern: str | None = None
    media: tuple[str, ...] = ()
    tool_media: tuple[str, ...] = ()
    assistant_media: tuple[str, ...] = ()
    url_media: tuple[str, ...] = ()
    provider_media: tuple[str, ...] = ()
    media_types: tuple[str, ...] = ()
    limits: MediaLimits = MediaLimits()
    tools: bool = True
    tools_required: bool = False
    user_after_results: bool = True
    text_beside_results: bool = True
    text_beside_calls: bool = True
    calls_last: bool = False
    null_content: bool = True
    reasoning: Literal["none", "drop", "keep", "required"] = "drop"
    reasoning_signed: bool = False
    placeholder_signature: str | None = None
    parallel_calls: bool = True
    cache_minimum: int | None = None
    cache_marks: int = 0
    price: Price | None = None
    models: tuple[str, ...] = ()
    source: str = ""
    dated: str = ""
    facts: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])
