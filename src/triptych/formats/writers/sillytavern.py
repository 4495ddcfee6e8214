"""SillyTavern's JSONL: a header, then a line a message of the shown path; other answers are swipes of their line.

A reply's tool calls stand in a line of their own, as the program writes them. Only answers without anything below
them can be swipes; what follows on another answer has no place.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from triptych.formats.conversation import ImportedConversation, record_paths
from triptych.formats.jsontext import parse_json
from triptych.formats.writers.frame import Changes, Lines, Target, write_with
from triptych.formats.writers.turns import Turn, head_turn, turns_of
from triptych.formats.writers.values import iso_time, media_url, texts_of
from triptych.formats.written import Written
from triptych.model import parts as words
from triptych.model.messages import AssistantMessage, SystemMessage, UserMessage

__all__ = ["write"]

Record = dict[str, Any]
_ROLES = ("system", "user", "assistant")


def write(conversations: Sequence[ImportedConversation]) -> Written:
    """One chat."""
    return write_with(_TARGET, conversations)


def _make(imported: ImportedConversation) -> Lines:
    conversation = imported.conversation
    header = {
        "user_name": "User",
        "character_name": conversation.title or "Assistant",
        "create_date": iso_time(conversation.created_at) or "",
        "chat_metadata": {"integrity": conversation.id},
    }
    turns = turns_of(imported, _ROLES)
    others = _others(turns)
    path = _path(imported, turns)
    return Lines([header, *(line for turn in path for line in _lines(turn, others[turn.message.id]))])


def _path(imported: ImportedConversation, turns: Sequence[Turn]) -> list[Turn]:
    by_id: dict[str, Turn] = {turn.message.id: turn for turn in turns}
    place = head_turn(imported, turns) or (turns[-1].message.id if turns else None)
    path: list[Turn] = []
    while place is not None and place in by_id and len(path) <= len(turns):
        path.append(by_id[place])
        place = by_id[place].parent
    return path[::-1]


def _others(turns: Sequence[Turn]) -> dict[str, list[Turn]]:
    """For each turn the answers beside it that nothing follows on, and itself, in order."""
    beside: dict[str | None, list[Turn]] = {}
    for turn in turns:
        beside.setdefault(turn.parent, []).append(turn)
    return {
        turn.message.id: [
            one for one in siblings if one is turn or (_is_swipe(one, beside) and _is_reply(turn))
        ]
        for siblings in beside.values()
        for turn in siblings
    }


def _is_swipe(turn: Turn, beside: dict[str | None, list[Turn]]) -> bool:
    return _is_reply(turn) and turn.message.id not in beside and not _calls(turn.parts)


def _is_reply(turn: Turn) -> bool:
    return isinstance(turn.message, AssistantMessage)


def _lines(turn: Turn, answers: list[Turn]) -> list[Record]:
    calls = _calls(turn.parts)
    text = "\n\n".join(texts_of(turn.parts))
    said = [] if calls and not text and answers == [turn] else [_line(turn, answers)]
    return [*said, *([_tool_line(turn, calls)] if calls else [])]


def _line(turn: Turn, answers: list[Turn]) -> Record:
    message = turn.message
    record: Record = {
        "name": _name(turn),
        "is_user": isinstance(message, UserMessage),
        "is_system": message.hidden,
        "send_date": iso_time(message.created_at) or "",
        "mes": "\n\n".join(texts_of(turn.parts)),
        "extra": _extra(turn),
    }
    if answers == [turn]:
        return record
    record["swipe_id"] = next(index for index, one in enumerate(answers) if one is turn)
    record["swipes"] = ["\n\n".join(texts_of(one.parts)) for one in answers]
    record["swipe_info"] = [
        {"send_date": iso_time(one.message.created_at) or "", "extra": _extra(one)} for one in answers
    ]
    return record


def _name(turn: Turn) -> str:
    match turn.message:
        case UserMessage():
            return "User"
        case AssistantMessage(model=model):
            return model or "Assistant"
        case _:
            return "Narrator"


def _extra(turn: Turn) -> Record:
    extra: Record = {"type": "narrator"} if isinstance(turn.message, SystemMessage) else {}
    if isinstance(turn.message, AssistantMessage):
        named = {"api": turn.message.provider, "model": turn.message.model}
        extra |= {key: value for key, value in named.items() if value}
    thoughts = [part for part in turn.parts if isinstance(part, words.ReasoningPart)]
    if thoughts:
        extra["reasoning"] = "\n\n".join(part.text for part in thoughts)
        durations = [part.duration for part in thoughts if part.duration is not None]
        extra |= {"reasoning_duration": sum(durations)} if durations else {}
    images = [part for part in turn.parts if isinstance(part, words.ImagePart)]
    urls = [url for part in images if (url := media_url(part.media, part.media_type))]
    extra |= {"image": urls[0]} if urls else {}
    return extra | ({"image_swipes": urls} if len(urls) > 1 else {})


def _calls(parts: Iterable[Any]) -> list[Record]:
    listed = list(parts)
    results = {part.call_id: part for part in listed if isinstance(part, words.ToolResultPart)}
    return [
        {
            "id": part.call_id,
            "displayName": part.name,
            "name": part.name,
            "parameters": part.arguments,
            "result": "\n\n".join(texts_of(results[part.call_id].content)) if part.call_id in results else "",
        }
        for part in listed
        if isinstance(part, words.ToolCallPart)
    ]


def _tool_line(turn: Turn, calls: list[Record]) -> Record:
    return {
        "name": "SillyTavern System",
        "is_user": False,
        "is_system": True,
        "send_date": iso_time(turn.message.created_at) or "",
        "mes": "Tool calls: " + ", ".join(call["name"] for call in calls),
        "extra": {"isSmallSys": True, "tool_invocations": calls},
    }


def _extend(value: Any, imported: ImportedConversation, changes: Changes) -> Any:
    """The old lines, with a new answer as a swipe of the last line, and new lines after it."""
    turns = turns_of(imported, _ROLES)
    path = _path(imported, turns)
    known = {message.id for message in changes.original.messages} - changes.changed
    kept = 0
    while kept < len(path) and path[kept].message.id in known:
        kept += 1
    places = [place[0] for turn in path[:kept] for place in record_paths(turn.message)]
    last = max((place for place in places if isinstance(place, int)), default=0)
    if kept < len(path) and last + 2 == len(value) and _swiped(value, path[kept], turns, known):
        kept, last = kept + 1, last + 1
    rows: list[Any] = value[: last + 1] if _cut(changes, path[:kept]) else list(value)
    return Lines([*rows, *(line for turn in path[kept:] for line in _lines(turn, [turn]))])


def _cut(changes: Changes, kept: Sequence[Turn]) -> bool:
    """Whether lines of the document stand below the place where the shown path leaves it."""
    shown = {turn.message.id for turn in kept}
    head = changes.original.conversation.head_id
    return (
        head is not None
        and head not in shown
        and not any(one.id == head for turn in kept for one in turn.results)
    )


def _swiped(value: list[Any], turn: Turn, turns: Sequence[Turn], known: set[Any]) -> bool:
    """Add a new answer to the last line, when it is one more answer to the same message."""
    beside = [one for one in turns if one.parent == turn.parent and one.message.id in known]
    row, found = parse_json(value[-1]) if isinstance(value[-1], bytes) else (value[-1], ())
    if not beside or found or not isinstance(row, dict) or not isinstance(turn.message, AssistantMessage):
        return False
    if not any(place[0] == len(value) - 1 for one in beside for place in record_paths(one.message)):
        return False
    text, info = "\n\n".join(texts_of(turn.parts)), {"send_date": iso_time(turn.message.created_at) or ""}
    old = {"send_date": row.get("send_date"), "extra": row.get("extra")}
    row["swipes"] = [*(row.get("swipes") or [row.get("mes")]), text]
    row["swipe_info"] = [*(row.get("swipe_info") or [old]), info | {"extra": _extra(turn)}]
    row |= {"swipe_id": len(row["swipes"]) - 1, "mes": text, **info, "extra": _extra(turn)}
    value[-1] = row
    return True


_TARGET = Target(name="sillytavern", make=_make, extend=_extend, matching="order")
