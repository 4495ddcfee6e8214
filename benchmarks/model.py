"""Decode and encode 10,000 messages with 3.5 parts each, beside pydantic models of the same shape.

Run: python benchmarks/model.py [--json]
"""

from __future__ import annotations

import json
import sys
import time
from typing import Annotated, Any, Literal

import pydantic
from pydantic.alias_generators import to_camel

from triptych.model.codec import decode_messages, encode_messages
from triptych.model.messages import AssistantMessage, ToolMessage, UserMessage
from triptych.model.parts import ReasoningPart, ReferencePart, TextPart, ToolCallPart, ToolResultPart
from triptych.model.references import NoteReference
from triptych.model.status import Complete
from triptych.model.usage import Usage

COUNT = 10_000


def sample(index: int) -> Any:
    """Message ``index``: over four of them, 3.5 parts on average."""
    common = {"id": f"m{index}", "parent_id": f"m{index - 1}" if index else None, "created_at": index}
    words = f"message {index} says a few ordinary words about nothing in particular " * 3
    match index % 4:
        case 0:
            notes = tuple(ReferencePart(reference=NoteReference(path=f"n{n}.md")) for n in range(2))
            return UserMessage(**common, parts=(*notes, TextPart(text=words)))
        case 1 | 3:
            calls = tuple(
                ToolCallPart(call_id=f"c{index}-{n}", name="search", arguments='{"query":"x"}')
                for n in range(2)
            )
            return AssistantMessage(
                **common,
                parts=(ReasoningPart(text=words), TextPart(text=words), *calls),
                status=Complete(reason="toolCalls"),
                model="some-model",
                usage=Usage(input_tokens=100, output_tokens=20),
            )
        case _:
            results = tuple(
                ToolResultPart(call_id=f"c{index - 1}-{n}", content=(TextPart(text=words),)) for n in range(3)
            )
            return ToolMessage(**common, parts=results)


class Base(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True)


class PPart(Base):
    private: dict[str, Any] | None = None
    extra: dict[str, Any] | None = None


class PText(PPart):
    type: Literal["text"] = "text"
    text: str


class PReasoning(PPart):
    type: Literal["reasoning"] = "reasoning"
    text: str = ""
    redacted: bool = False
    duration: int | None = None


class PState(Base):
    state: Literal["ready", "started"] = "ready"


class PCall(PPart):
    type: Literal["toolCall"] = "toolCall"
    call_id: str
    name: str
    arguments: str = ""
    namespace: str | None = None
    server_side: bool = False
    state: PState = PState()


class PResult(PPart):
    type: Literal["toolResult"] = "toolResult"
    call_id: str
    name: str | None = None
    content: tuple[PText, ...] = ()
    is_error: bool = False
    state: Any = None


class PNote(Base):
    kind: Literal["note"] = "note"
    path: str


class PReference(PPart):
    type: Literal["reference"] = "reference"
    reference: PNote


Part = Annotated[PText | PReasoning | PCall | PResult | PReference, pydantic.Discriminator("type")]


class PStatus(Base):
    state: Literal["complete", "incomplete"] = "complete"
    reason: str = "stop"


class PUsage(Base):
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_input_tokens: int | None = None


class PMessage(Base):
    id: str
    parent_id: str | None = None
    created_at: int = 0
    updated_at: int = 0
    active_child_id: str | None = None
    hidden: bool = False
    favorite: bool = False
    agent_id: str | None = None
    group_id: str | None = None
    thread_id: str | None = None
    metadata: dict[str, Any] | None = None
    extra: dict[str, Any] | None = None
    parts: tuple[Part, ...] = ()


class PUser(PMessage):
    role: Literal["user"] = "user"


class PTool(PMessage):
    role: Literal["tool"] = "tool"


class PAssistant(PMessage):
    role: Literal["assistant"] = "assistant"
    status: PStatus = PStatus()
    model: str | None = None
    provider: str | None = None
    usage: PUsage | None = None


PEER = pydantic.TypeAdapter(list[Annotated[PUser | PAssistant | PTool, pydantic.Discriminator("role")]])


def best(work: Any, repeats: int = 7) -> float:
    """The shortest time of some runs, in milliseconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times) * 1000


def main() -> None:
    ours = [sample(index) for index in range(COUNT)]
    data = encode_messages(ours)
    theirs = PEER.validate_json(data)
    figures = {
        "messages": COUNT,
        "parts": sum(len(message.parts) for message in ours) / COUNT,
        "megabytes": round(len(data) / 1e6, 2),
        "decode_ms": best(lambda: decode_messages(data)),
        "pydantic_decode_ms": best(lambda: PEER.validate_json(data)),
        "encode_ms": best(lambda: encode_messages(ours)),
        "pydantic_encode_ms": best(lambda: PEER.dump_json(theirs, by_alias=True, exclude_defaults=False)),
        "pydantic_encode_without_defaults_ms": best(
            lambda: PEER.dump_json(theirs, by_alias=True, exclude_none=True)
        ),
    }
    figures["decode_ratio"] = figures["pydantic_decode_ms"] / figures["decode_ms"]
    figures["encode_ratio"] = figures["pydantic_encode_ms"] / figures["encode_ms"]
    if "--json" in sys.argv:
        print(json.dumps({key: round(value, 3) for key, value in figures.items()}))
        return
    for key, value in figures.items():
        print(f"{key:40} {value:10.2f}")


if __name__ == "__main__":
    main()
