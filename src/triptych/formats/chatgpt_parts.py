"""What the content types of ChatGPT's messages become: ``content`` to parts, and what metadata attaches to them.

Citations stay in the text as private-use spans (U+E200 to U+E201); what they point at comes as source parts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from triptych.formats.making import as_dict, as_list, as_text, count, kept_raw, text_parts, unknown_part
from triptych.formats.problems import problem
from triptych.model import parts as words
from triptych.model.diagnostics import Diagnostic

__all__ = ["CALL_CONTENT", "Scope", "content_parts", "extra_parts"]

CALL_CONTENT = frozenset({"code", "execution_output"})
"""Content types whose ``text`` is what a call says."""

_NO_PARTS: list[Any] = []


class Scope(msgspec.Struct, frozen=True, kw_only=True):
    """What the messages of one conversation share while they are read.

    Attributes:
        present: the ids of the files that are in the export.
        mapping: all nodes.
        model: the model of messages that name none.
        found: takes what is odd.
    """

    present: frozenset[str]
    mapping: dict[str, Any]
    model: Any
    found: list[Diagnostic]

    def media(self, pointer: Any, key: str) -> words.ProviderMedia | None:
        """The file that a pointer names; reported when its bytes are not in the export."""
        if not isinstance(pointer, str) or not pointer:
            return None
        name = pointer.rpartition("://")[2]
        if name not in self.present:
            self.found.append(problem("W_MISSING_ATTACHMENT", key, file=name))
        return words.ProviderMedia(family="openai", file_id=name)


def content_parts(content: dict[str, Any], key: str, scope: Scope) -> list[Any]:
    """The parts that a message's content holds, in order."""
    kind = content.get("content_type")
    if kind == "text":
        return _text(content, key, scope)
    if kind == "multimodal_text":
        return _multimodal(content, key, scope)
    read = _KINDS.get(kind) if isinstance(kind, str) else None
    if read is not None:
        return read(content)
    if not content:
        return []
    scope.found.append(problem("W_UNKNOWN_CONTENT_TYPE", key, type=kind))
    return [kept_raw(content)]


def _text(content: dict[str, Any], key: str, scope: Scope) -> list[Any]:
    pieces = content.get("parts")
    if isinstance(pieces, list) and all(isinstance(piece, str) for piece in pieces):
        return [words.TextPart(text=piece) for piece in pieces if piece]
    return [
        words.TextPart(text=piece) if isinstance(piece, str) else unknown_part(piece, key, scope.found)
        for piece in (as_list(pieces) or ([content["text"]] if "text" in content else []))
        if piece not in ("", None)
    ]


def _multimodal(content: dict[str, Any], key: str, scope: Scope) -> list[Any]:
    parts: list[Any] = []
    for piece in as_list(content.get("parts")):
        if isinstance(piece, str):
            parts += text_parts(piece)
        elif isinstance(piece, dict):
            parts.append(_piece(piece, key, scope))
        elif piece is not None:
            parts.append(unknown_part(piece, key, scope.found))
    return parts


def _piece(piece: dict[str, Any], key: str, scope: Scope) -> Any:
    match piece.get("content_type"):
        case "image_asset_pointer":
            media = scope.media(piece.get("asset_pointer"), key)
            return words.ImagePart(media=media) if media else unknown_part(piece, key, scope.found)
        case "audio_transcription":
            return words.TextPart(text=as_text(piece.get("text")))
        case "audio_asset_pointer":
            return _audio(piece, piece, key, scope)
        case "real_time_user_audio_video_asset_pointer":
            return _audio(as_dict(piece.get("audio_asset_pointer")), piece, key, scope)
        case _:
            return unknown_part(piece, key, scope.found)


def _audio(pointer: dict[str, Any], raw: dict[str, Any], key: str, scope: Scope) -> Any:
    media = scope.media(pointer.get("asset_pointer"), key)
    if media is None:
        return unknown_part(raw, key, scope.found)
    spelt = as_text(pointer.get("format"))
    return words.AudioPart(media=media, media_type=f"audio/{spelt}" if spelt else None)


def _plain(*names: str) -> Callable[[dict[str, Any]], list[Any]]:
    """A reader for content whose text stands in the first of these fields that has one."""

    def read(content: dict[str, Any]) -> list[Any]:
        texts = (as_text(content.get(name)) for name in names)
        return text_parts(next((text for text in texts if text), ""))

    return read


def _thoughts(content: dict[str, Any]) -> list[Any]:
    parts: list[Any] = []
    for thought in as_list(content.get("thoughts")):
        one = as_dict(thought)
        text = "\n\n".join(filter(None, (as_text(one.get("summary")), as_text(one.get("content")))))
        parts.append(words.ReasoningPart(text=text))
    return parts


def _recap(content: dict[str, Any]) -> list[Any]:
    return [words.ReasoningPart(text=as_text(content.get("content")))]


def _error(content: dict[str, Any]) -> list[Any]:
    return [words.ErrorPart(message=as_text(content.get("text")), code=as_text(content.get("name")) or None)]


def _quote(content: dict[str, Any]) -> list[Any]:
    names = ("title", "text", "snippet")
    lines = [as_text(content.get(name)) for name in names if content.get(name)]
    return text_parts("\n".join([as_text(content.get("url")), *lines]).strip())


def _user_context(content: dict[str, Any]) -> list[Any]:
    texts = [as_text(content.get(name)) for name in ("user_profile", "user_instructions")]
    return text_parts("\n\n".join(filter(None, texts)))


def _screen(content: dict[str, Any]) -> list[Any]:
    return [words.DataPart(name="computer_output", data=content)]


_KINDS: dict[str, Callable[[dict[str, Any]], list[Any]]] = {
    "code": _plain("text"),
    "execution_output": _plain("text"),
    "tether_browsing_display": _plain("result", "summary"),
    "tether_quote": _quote,
    "sonic_webpage": _quote,
    "thoughts": _thoughts,
    "reasoning_recap": _recap,
    "user_editable_context": _user_context,
    "model_editable_context": _plain("model_set_context"),
    "system_error": _error,
    "computer_output": _screen,
    "citable_code_output": _plain("output_str"),
}


def extra_parts(
    metadata: dict[str, Any],
    role: str,
    parts: list[Any],
    key: str,
    scope: Scope,
) -> list[Any]:
    """What metadata adds: attachments that no pointer shows yet, and the pages that an answer cites."""
    if role == "user":
        attached = metadata.get("attachments")
        return _attachments(attached, parts, key, scope) if attached else _NO_PARTS
    if role == "assistant" and ("content_references" in metadata or "citations" in metadata):
        return _sources(metadata)
    return _NO_PARTS


def _attachments(attached: Any, parts: list[Any], key: str, scope: Scope) -> list[Any]:
    shown = {
        part.media.file_id
        for part in parts
        if isinstance(part, words.ImagePart | words.AudioPart) and isinstance(part.media, words.ProviderMedia)
    }
    files: list[Any] = []
    for item in as_list(attached):
        one = as_dict(item)
        name = as_text(one.get("id"))
        if name and name not in shown:
            files.append(
                words.FilePart(
                    media=scope.media(name, key),
                    media_type=as_text(one.get("mime_type")) or None,
                    name=as_text(one.get("name")) or None,
                    size=count(one.get("size")),
                )
            )
    return files


def _sources(metadata: dict[str, Any]) -> list[Any]:
    cited: dict[str, words.SourcePart] = {}
    for reference in as_list(metadata.get("content_references")):
        one = as_dict(reference)
        items = [*as_list(one.get("items")), *as_list(one.get("fallback_items"))]
        for item in items:
            _cite(as_dict(item), cited)
    for citation in as_list(metadata.get("citations")):
        _cite(as_dict(as_dict(citation).get("metadata")), cited)
    return list(cited.values())


def _cite(item: dict[str, Any], cited: dict[str, words.SourcePart]) -> None:
    url = as_text(item.get("url"))
    if url and url not in cited:
        quote = as_text(item.get("snippet")) or as_text(item.get("text")) or None
        cited[url] = words.SourcePart(url=url, title=as_text(item.get("title")) or None, quote=quote)
