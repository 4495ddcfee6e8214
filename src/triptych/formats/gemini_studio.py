"""AI Studio prompts: chunks in a row, several of one role making one message; branches live in other files."""

from __future__ import annotations

import itertools
from typing import Any

from triptych.formats.assemble import Origin, assemble
from triptych.formats.conversation import ImportedConversation
from triptych.formats.lists import record_id
from triptych.formats.making import (
    as_dict,
    as_list,
    as_text,
    make_call,
    make_message,
    make_result,
    media_from_base64,
    role_from,
    source_note,
    text_parts,
    time_of,
    unknown_part,
)
from triptych.formats.problems import problem
from triptych.formats.shapes import odd_fields
from triptych.formats.spoken import GEMINI
from triptych.model import parts as words
from triptych.model.diagnostics import Diagnostic
from triptych.model.messages import Message
from triptych.model.status import COMPLETE, Incomplete

__all__ = ["read_prompt"]

_DRIVE = {
    "driveImage": words.ImagePart,
    "driveAudio": words.AudioPart,
    "driveVideo": words.VideoPart,
    "driveDocument": words.FilePart,
}
_INLINE = ("inlineFile", "inlineImage", "inlineData", "inlineAudio", "inlineVideo")
_FAMILY = "google"


def read_prompt(
    value: Any, data: bytes, name: str, found: list[Diagnostic]
) -> ImportedConversation | Diagnostic:
    """The conversation of one prompt file."""
    found.extend(odd_fields(value, GEMINI))
    prompt = as_dict(as_dict(value).get("chunkedPrompt"))
    settings = as_dict(as_dict(value).get("runSettings"))
    model = as_text(settings.get("model")).removeprefix("models/")
    messages = _system(as_dict(value), found)
    chunks: list[tuple[int, Any]] = list(enumerate(as_list(prompt.get("chunks"))))
    found.extend(
        problem("W_RECORD_SKIPPED", f"chunks[{index}]") for index, one in chunks if not isinstance(one, dict)
    )
    kept = [(index, chunk) for index, chunk in chunks if isinstance(chunk, dict)]
    for role, run in itertools.groupby(kept, key=_chunk_role):
        messages.append(_turn(role, list(run), messages, model, found))
    drafts = as_list(prompt.get("pendingInputs"))
    found.extend(problem("W_DRAFT_IGNORED", name) for draft in drafts if _says_something(as_dict(draft)))
    if not messages:
        return problem("W_CONVERSATION_SKIPPED", name)
    stem = name.rpartition("/")[2]
    origin = Origin(
        format="gemini",
        version="aistudio",
        name=name,
        document=data,
        title=stem.removesuffix(".json"),
        model=f"google:{model}" if model else None,
    )
    return assemble(origin, messages, found, fallback="last")


def _chunk_role(pair: tuple[int, dict[str, Any]]) -> str:
    return as_text(pair[1].get("role"))


def _says_something(draft: dict[str, Any]) -> bool:
    return bool(as_text(draft.get("text")).strip() or draft.keys() - {"text", "role"})


def _system(value: dict[str, Any], found: list[Diagnostic]) -> list[Message]:
    instruction = as_dict(value.get("systemInstruction"))
    pieces = [as_text(as_dict(part).get("text")) for part in as_list(instruction.get("parts"))]
    text = as_text(instruction.get("text")) or "\n".join(filter(None, pieces))
    if not text:
        if instruction:
            found.append(problem("W_UNKNOWN_PART", "systemInstruction"))
        return []
    name = record_id(None, instruction)
    return [make_message("system", name, text_parts(text), metadata=source_note(("systemInstruction",)))]


def _turn(
    role: str,
    run: list[tuple[int, dict[str, Any]]],
    messages: list[Message],
    model: str,
    found: list[Diagnostic],
) -> Message:
    parent = messages[-1].id if messages else None
    name = record_id(parent, [chunk for _, chunk in run])
    parts: list[Any] = []
    for index, chunk in run:
        parts += _chunk(chunk, f"{name}:{index}", name, found)
        linked = [chunk.get("branchParent"), *as_list(chunk.get("branchChildren"))]
        files = [as_text(as_dict(link).get("promptId")) for link in linked if link]
        if files:
            found.append(problem("W_BRANCH_EXTERNAL", name, files=files))
    stamps = [chunk["createTime"] for _, chunk in run if chunk.get("createTime")]
    failed = any(chunk.get("errorMessage") for _, chunk in run)
    cut = any(chunk.get("finishReason") == "MAX_TOKENS" for _, chunk in run)
    return make_message(
        role_from(role, name, found),
        name,
        parts,
        parent_id=parent,
        created_at=time_of(stamps[0] if stamps else None, "iso", name, found),
        metadata=source_note(*(("chunkedPrompt", "chunks", index) for index, _ in run)),
        model=model or None,
        provider=_FAMILY,
        status=Incomplete(reason="error" if failed else "length") if failed or cut else COMPLETE,
    )


def _chunk(chunk: dict[str, Any], made: str, name: str, found: list[Diagnostic]) -> list[Any]:
    """The parts of one chunk; its ``parts`` repeat its text and only add signatures."""
    signatures = as_list(chunk.get("thoughtSignatures"))
    private = {_FAMILY: {"thoughtSignatures": signatures}} if signatures else None
    text = as_text(chunk.get("text"))
    parts: list[Any] = [*_drive(chunk, name, found), *_inline(chunk, name, found)]
    if chunk.get("isThought") is True:
        return [*parts, words.ReasoningPart(text=text, private=private)]
    parts += [words.TextPart(text=text, private=private)] if text else _sub_parts(chunk, made, name, found)
    return [*parts, *_code(chunk, made), *_error(chunk)]


def _sub_parts(chunk: dict[str, Any], made: str, name: str, found: list[Diagnostic]) -> list[Any]:
    """What ``parts`` say when the chunk itself has no text."""
    parts: list[Any] = []
    for item in as_list(chunk.get("parts")):
        one = as_dict(item)
        if as_text(one.get("text")):
            kind: Any = words.ReasoningPart if one.get("thought") is True else words.TextPart
            parts.append(kind(text=one["text"]))
        elif any(key in one for key in (*_INLINE, "executableCode", "codeExecutionResult")):
            parts += [*_inline(one, name, found), *_code(one, made)]
        elif one.get("text") is None:
            parts.append(unknown_part(item, name, found))
    return parts


def _drive(chunk: dict[str, Any], name: str, found: list[Diagnostic]) -> list[Any]:
    """Files that lie in Drive are ids here; a film is an address."""
    parts: list[Any] = []
    for key, make in _DRIVE.items():
        stored = as_text(as_dict(chunk.get(key)).get("id"))
        if stored:
            found.append(problem("W_MISSING_ATTACHMENT", name, file=stored))
            parts.append(make(media=words.ProviderMedia(family=_FAMILY, file_id=stored)))
    film = as_text(as_dict(chunk.get("youtubeVideo")).get("id"))
    if film:
        parts.append(words.VideoPart(media=words.UrlMedia(url=f"https://www.youtube.com/watch?v={film}")))
    return parts


def _inline(chunk: dict[str, Any], name: str, found: list[Diagnostic]) -> list[Any]:
    parts: list[Any] = []
    for key in _INLINE:
        held = as_dict(chunk.get(key))
        if not held:
            continue
        media = media_from_base64(as_text(held.get("data")))
        media_type = as_text(held.get("mimeType")) or None
        if media is None:
            parts.append(unknown_part({key: held}, name, found))
        elif (media_type or "").startswith("image/"):
            parts.append(words.ImagePart(media=media, media_type=media_type))
        else:
            parts.append(words.FilePart(media=media, media_type=media_type))
    return parts


def _code(chunk: dict[str, Any], made: str) -> list[Any]:
    """Code that the provider ran, and what came out; a result follows its code at once."""
    code, result = as_dict(chunk.get("executableCode")), as_dict(chunk.get("codeExecutionResult"))
    parts: list[Any] = []
    if code:
        text = as_text(code.get("code"))
        parts.append(make_call(made, "code_execution", text, server_side=True))
    if result:
        before, _, number = made.rpartition(":")
        call = made if code else f"{before}:{int(number) - 1}"
        failed = as_text(result.get("outcome")) not in ("OUTCOME_OK", "")
        parts.append(
            make_result(call, text_parts(result.get("output")), name="code_execution", is_error=failed)
        )
    return parts


def _error(chunk: dict[str, Any]) -> list[Any]:
    message = as_text(chunk.get("errorMessage"))
    return [words.ErrorPart(message=message)] if message else []
