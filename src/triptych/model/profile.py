"""What is known about a model, a family of models or a server: facts as data, dated and sourced.

Not here: the table of the facts itself (``providers.profiles``), and the rules that read them (``wires``).
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

__all__ = ["Price", "Profile", "WireName"]

WireName = Literal["openai_chat", "openai_responses", "anthropic", "gemini", "bedrock", "mistral", "ollama"]


class Price(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """US dollars for a million tokens."""

    input: float
    output: float
    cached_input: float | None = None
    cache_write: float | None = None


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
        alternation: user and assistant have to take turns.
        system: where system text goes: ``field``, ``first`` (one first message), ``anywhere``, ``none``.
        call_id_pattern: regular expression that a tool call id has to match whole.
        tool_name_pattern: likewise for tool names.
        media: the kinds of media that may be sent.
        source: where the facts were read, and on which day.
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
    call_id_pattern: str | None = None
    call_id_length: int | None = None
    tool_name_pattern: str = "^[a-zA-Z0-9_-]{1,64}$"
    media: tuple[str, ...] = ()
    tools: bool = True
    prefill: bool = False
    reasoning: Literal["none", "drop", "keep", "required"] = "drop"
    cache_minimum: int | None = None
    cache_marks: int = 0
    price: Price | None = None
    source: str = ""
    dated: str = ""
    facts: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])
