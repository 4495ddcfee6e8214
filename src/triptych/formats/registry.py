"""The table of formats: names, titles, and where their readers and writers are (loaded when first needed).

A *reader* module has ``matches(sample: Sample) -> bool`` (see ``sniff``) and
``read(file: SourceFile) -> Iterator[ImportedConversation | Diagnostic]`` (see ``source``), total over any bytes.
A *writer* module has ``write(conversations: Sequence[ImportedConversation]) -> Written`` (see ``written``).
The order of the table is the order in which the formats are tried on unknown bytes: the narrower ones first.
"""

from __future__ import annotations

import importlib
from types import ModuleType

import msgspec

from triptych.errors import UsageError

__all__ = ["FORMATS", "Format", "find_format", "load_reader", "load_writer"]


class Format(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of chat file.

    Attributes:
        name: the word for it everywhere: ``--format``, ``Source.format``, the folder of its documentation.
        title: the program, for people.
        reader, writer: full module names, or None where there is none.
        suffix: of the files that the writer makes.
    """

    name: str
    title: str
    reader: str | None = None
    writer: str | None = None
    suffix: str = ".json"


def _format(name: str, title: str, *, writer: str | None = None, suffix: str = ".json") -> Format:
    reader = f"triptych.formats.{name}"
    return Format(name=name, title=title, reader=reader, writer=writer, suffix=suffix)


_WRITERS = "triptych.formats.writers"

FORMATS: tuple[Format, ...] = (
    _format("triptych_jsonl", "Triptych JSONL", writer="triptych.formats.triptych_jsonl", suffix=".jsonl"),
    _format("notebook", "Triptych Markdown", writer="triptych.formats.notebook", suffix=".md"),
    _format("copilot_md", "Obsidian Copilot", writer="triptych.formats.copilot_md", suffix=".md"),
    _format("llm_logs", "llm"),
    _format("claude_ai", "Claude.ai export"),
    _format("chatgpt", "ChatGPT export"),
    _format("openwebui", "Open WebUI", writer=f"{_WRITERS}.openwebui"),
    _format("librechat", "LibreChat", writer=f"{_WRITERS}.librechat"),
    _format("lobehub", "LobeHub", writer=f"{_WRITERS}.lobehub"),
    _format("gemini", "Gemini: Takeout and AI Studio"),
    _format("sillytavern", "SillyTavern", writer=f"{_WRITERS}.sillytavern", suffix=".jsonl"),
    _format("claude_code", "Claude Code"),
    _format("codex", "Codex"),
    _format("oasst", "OpenAssistant"),
    _format("assistant_ui", "assistant-ui", writer=f"{_WRITERS}.assistant_ui"),
    _format("langchain", "LangChain and LangGraph"),
    _format("pydantic_ai", "Pydantic AI"),
    _format("ai_sdk", "Vercel AI SDK", writer=f"{_WRITERS}.ai_sdk"),
    _format("sharegpt", "ShareGPT", writer=f"{_WRITERS}.sharegpt", suffix=".jsonl"),
    _format("openai_responses", "OpenAI Responses items"),
    _format("anthropic", "Anthropic messages", writer=f"{_WRITERS}.anthropic"),
    _format("openai_chat", "OpenAI chat messages", writer=f"{_WRITERS}.openai_chat"),
    Format(
        name="finetune",
        title="Fine-tuning JSONL",
        writer=f"{_WRITERS}.finetune",
        suffix=".jsonl",
    ),
)


def find_format(name: str) -> Format:
    """The format of this name; an unknown one is a usage error that lists those that exist."""
    for known in FORMATS:
        if known.name == name:
            return known
    names = ", ".join(known.name for known in FORMATS)
    raise UsageError(f"There is no format {name!r}; choose one of: {names}.")


def load_reader(known: Format) -> ModuleType:
    """The module that reads it; a usage error for a format that is only written."""
    if known.reader is None:
        raise UsageError(f"{known.title} files are written, not read; read them as openai_chat.")
    return importlib.import_module(known.reader)


def load_writer(known: Format) -> ModuleType:
    """The module that writes it; a usage error lists the formats that can be written."""
    if known.writer is None:
        names = ", ".join(one.name for one in FORMATS if one.writer)
        raise UsageError(f"{known.title} files are read, not written; choose one of: {names}.")
    return importlib.import_module(known.writer)
