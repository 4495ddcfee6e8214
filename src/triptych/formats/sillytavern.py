"""SillyTavern chats: JSONL, a header line and then one line a message, with alternatives (swipes) inside a line.

Each alternative is a message of its own; what follows hangs off the shown one. The shown text (``mes``) is the
truth where it differs from the chosen alternative. Ids are made from the text and the place, so that a new
alternative adds one message and renames none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from triptych.formats.assemble import Origin, assemble, made_id
from triptych.formats.conversation import ImportedConversation
from triptych.formats.making import (
    arguments_text,
    as_dict,
    as_list,
    as_text,
    make_call,
    make_message,
    make_result,
    media_from_url,
    media_type_of,
    result_content,
    source_note,
    text_parts,
    time_of,
)
from triptych.formats.problems import problem
from triptych.formats.shapes import odd_fields
from triptych.formats.sniff import Sample
from triptych.formats.source import SourceFile, read_lines
from triptych.formats.spoken import SILLYTAVERN
from triptych.formats.streaming import Line, stream_lines
from triptych.model import parts as words
from triptych.model.diagnostics import Diagnostic
from triptych.model.ids import MessageId
from triptych.model.messages import Message, Role

__all__ = ["matches", "read"]


def matches(sample: Sample) -> bool:
    """A header with ``chat_metadata``, or lines with ``mes``."""
    rows = [line for line in sample.lines if isinstance(line, dict)]
    return any(
        "chat_metadata" in row or ("user_name" in row and "character_name" in row) or _is_message(row)
        for row in rows
    )


def _is_message(row: dict[str, Any]) -> bool:
    return "mes" in row and ("is_user" in row or "name" in row)


def read(file: SourceFile) -> Iterator[ImportedConversation | Diagnostic]:
    """The chat that the file holds."""
    found: list[Diagnostic] = []
    chat = _Chat(found)
    for line in stream_lines(read_lines(file), found):
        chat.take(line)
    if not chat.messages:
        yield from found
        yield problem("W_CONVERSATION_SKIPPED", file.name)
        return
    metadata = as_dict(chat.header.get("chat_metadata"))
    stem = file.name.rpartition("/")[2].removesuffix(".jsonl")
    character = as_text(chat.header.get("character_name"))
    origin = Origin(
        format="sillytavern",
        id=as_text(metadata.get("integrity")) or None,
        name=file.name,
        document=file.read(),
        lines=True,
        title=stem or character,
        created_at=time_of(chat.header.get("create_date"), "any", "header", found),
        metadata={"character": character} if character not in ("", "unused") else None,
    )
    imported = assemble(origin, chat.messages, found, pointer=chat.shown, fallback="last")
    first = chat.first_shown
    conversation = msgspec.structs.replace(
        imported.conversation, active_root_id=MessageId(first) if first else None
    )
    yield msgspec.structs.replace(imported, conversation=conversation)


class _Chat:
    """What was read of a chat so far; ``shown`` is the message that the next line follows."""

    def __init__(self, found: list[Diagnostic]) -> None:
        self.found = found
        self.header: dict[str, Any] = {}
        self.messages: list[Message] = []
        self.shown: str | None = None
        self.first_shown: str | None = None
        self._started = False
        self._names: set[str] = set()

    def take(self, line: Line) -> None:
        """Read the header or a message with its alternatives."""
        record = line.value
        where = f"line {line.index + 1}"
        first, self._started = not self._started, True
        if not isinstance(record, dict):
            self.found.append(problem("W_BAD_LINE", where))
        elif first and not _is_message(record):
            self._open(record)
        elif "mes" not in record and "swipes" not in record:
            self.found.append(problem("W_UNKNOWN_RECORD", where))
        else:
            if first:
                self.found.append(problem("W_MISSING_FIELD", where, fields=["chat_metadata"]))
            self._speak(record, line.index, where)

    def _open(self, header: dict[str, Any]) -> None:
        self.header = header
        origin = as_dict(header.get("chat_metadata")).get("main_chat")
        if origin:
            self.found.append(problem("W_BRANCH_EXTERNAL", "header", file=origin))

    def _speak(self, record: dict[str, Any], index: int, where: str) -> None:
        self.found.extend(odd_fields(record, SILLYTAVERN, index))
        extra = as_dict(record.get("extra"))
        linked = [*as_list(extra.get("branches")), *filter(None, [extra.get("bookmark_link")])]
        if linked:
            self.found.append(problem("W_BRANCH_EXTERNAL", where, files=linked))
        options, chosen = _alternatives(record, where, self.found)
        parent = self.shown
        made: list[str] = []
        for number, option in enumerate(options):
            message = self._message(record, option, number == chosen, parent, (index, number))
            self.messages.append(message)
            made.append(message.id)
        self.shown = made[chosen]
        self.first_shown = self.first_shown or self.shown
        if len(made) > 1 and parent is not None:
            self._choose(parent, self.shown)

    def _choose(self, parent: str, child: str) -> None:
        place = next(place for place, message in enumerate(self.messages) if message.id == parent)
        self.messages[place] = msgspec.structs.replace(self.messages[place], active_child_id=MessageId(child))

    def _message(
        self,
        record: dict[str, Any],
        option: dict[str, Any],
        shown: bool,
        parent: str | None,
        place: tuple[int, int],
    ) -> Message:
        extra = as_dict(record.get("extra")) if shown else as_dict(option.get("extra"))
        stamp = record.get("send_date") if shown else option.get("send_date")
        text = as_text(option.get("mes"))
        name = self._free(made_id(parent or "", as_text(record.get("name")), text))
        path = (place[0],) if shown else (place[0], "swipes", place[1])
        note = source_note(path, swipe=place[1])
        called = as_list(extra.get("tool_invocations")) if shown else []
        if called:
            note = source_note(path, role="tool")
        spoken = "" if called and record.get("is_system") is True else text
        return make_message(
            "assistant" if called else _role(record, extra),
            name,
            [*_parts(spoken, extra, name, self.found), *_calls(called, name, self.found)],
            parent_id=parent,
            created_at=time_of(stamp, "any", name, self.found),
            agent_id=as_text(record.get("original_avatar")) or None,
            metadata=note | ({"name": record["name"]} if as_text(record.get("name")) else {}),
            model=as_text(extra.get("model")) or None,
            provider=as_text(extra.get("api")) or None,
        )

    def _free(self, wanted: str) -> str:
        name, number = wanted, 1
        while name in self._names:
            number += 1
            name = f"{wanted}~{number}"
        self._names.add(name)
        return name


def _alternatives(
    record: dict[str, Any], where: str, found: list[Diagnostic]
) -> tuple[list[dict[str, Any]], int]:
    """The alternatives of a line, as ``{mes, send_date, extra}``, and the number of the shown one."""
    text = as_text(record.get("mes"))
    swipes, infos = as_list(record.get("swipes")), as_list(record.get("swipe_info"))
    if not swipes:
        return [{"mes": text}], 0
    options: list[dict[str, Any]] = []
    for number, swipe in enumerate(swipes):
        info = as_dict(infos[number]) if number < len(infos) else {}
        said = as_text(swipe) or as_text(as_dict(swipe).get("message")) or as_text(as_dict(swipe).get("mes"))
        options.append({"mes": said, "send_date": info.get("send_date"), "extra": info.get("extra")})
    chosen = record.get("swipe_id")
    if chosen is None:
        chosen = next((number for number, one in enumerate(options) if one["mes"] == text), None)
    if not isinstance(chosen, int) or isinstance(chosen, bool) or not 0 <= chosen < len(options):
        found.append(problem("W_SWIPE_INDEX", where, index=chosen, swipes=len(options)))
        return [*options, {"mes": text}], len(options)
    if "mes" in record and options[chosen]["mes"] != text:
        found.append(problem("W_SWIPE_MISMATCH", where, index=chosen))
        options[chosen] = {**options[chosen], "mes": text}
    return options, chosen


def _role(record: dict[str, Any], extra: dict[str, Any]) -> Role:
    if extra.get("type") == "narrator":
        return "system"
    return "user" if record.get("is_user") is True else "assistant"


def _calls(called: list[Any], name: str, found: list[Diagnostic]) -> list[Any]:
    """A line of the program itself that says which tools ran, with what they answered."""
    parts: list[Any] = []
    for number, item in enumerate(called):
        one = as_dict(item)
        text = arguments_text(one.get("parameters"), name, found)
        call = make_call(one.get("id") or f"{name}:{number}", one.get("name"), text)
        parts.append(call)
        if one.get("result") is not None:
            parts.append(make_result(call.call_id, result_content(one["result"]), name=call.name))
    return parts


def _parts(text: str, extra: dict[str, Any], name: str, found: list[Diagnostic]) -> list[Any]:
    reasoning = as_text(extra.get("reasoning"))
    seconds = extra.get("reasoning_duration")
    thought = words.ReasoningPart(text=reasoning, duration=seconds if isinstance(seconds, int) else None)
    return [*([thought] if reasoning else []), *text_parts(text), *_media(extra, name, found)]


def _media(extra: dict[str, Any], name: str, found: list[Diagnostic]) -> list[Any]:
    """Pictures and files are paths in the program's own folder, or ``data:`` URLs."""
    parts: list[Any] = []
    images = [extra.get("image"), *as_list(extra.get("image_swipes"))]
    for image in dict.fromkeys(url for url in images if isinstance(url, str) and url):
        if not image.startswith(("data:", "http://", "https://")):
            found.append(problem("W_MISSING_ATTACHMENT", name, file=image))
        parts.append(words.ImagePart(media=media_from_url(image), media_type=media_type_of(image)))
    for item in [extra.get("file"), *as_list(extra.get("files"))]:
        one = as_dict(item)
        if one:
            found.append(problem("W_MISSING_ATTACHMENT", name, file=one.get("name") or one.get("url")))
            text = as_text(one.get("text")) or None
            parts.append(words.FilePart(name=as_text(one.get("name")) or None, text=text))
    return parts
