"""Reading any chat file: ``read(source) -> (conversations, diagnostics)``, total over any bytes.

A folder or a ZIP is one source: each of its files is recognised and read on its own, in the order of their names.
The same conversation met twice (shards overlap) counts once: the copy with more messages wins and keeps the place
of the first.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from triptych.formats.conversation import ImportedConversation
from triptych.formats.problems import note, problem
from triptych.formats.registry import Format, find_format, load_reader
from triptych.formats.sniff import sniff
from triptych.formats.source import Bundle, SourceFile, open_source
from triptych.model.diagnostics import Diagnostic

__all__ = ["read", "stream"]

Item = ImportedConversation | Diagnostic


def read(
    source: Path | str | bytes | BinaryIO, *, name: str = "", format_name: str | None = None
) -> tuple[tuple[ImportedConversation, ...], tuple[Diagnostic, ...]]:
    """All conversations of a source, and what is wrong with the source as such.

    Args:
        source: a path (file, folder or ZIP), bytes, or a binary stream.
        name: the file's name, where the source does not tell it.
        format_name: a name of the registry, to be read as that without looking.

    Raises:
        OSError: the path cannot be opened.
        UsageError: there is no such format.
    """
    conversations: dict[str, ImportedConversation] = {}
    diagnostics: list[Diagnostic] = []
    for item in stream(open_source(source, name=name), format_name=format_name):
        if isinstance(item, Diagnostic):
            diagnostics.append(item)
        else:
            conversations[item.conversation.id] = item
    return tuple(conversations.values()), tuple(diagnostics)


def stream(bundle: Bundle, *, format_name: str | None = None) -> Iterator[Item]:
    """The conversations and diagnostics of a source, as they are reached: memory holds one at a time.

    A conversation whose id was yielded before replaces that one.
    """
    yield from bundle.diagnostics
    sizes: dict[str, int] = {}
    told = any(item.severity == "error" for item in bundle.diagnostics)
    try:
        for file in bundle.files:
            for item in _read_file(file, format_name, alone=len(bundle.files) == 1):
                told = told or _says_something(item)
                yield from _unless_poorer(item, sizes)
    finally:
        bundle.close()
    if not told:
        yield problem("W_CONVERSATION_SKIPPED", bundle.name, severity="error")


def _says_something(item: Item) -> bool:
    """Whether an item is a conversation, or a finding that says why there is none."""
    return isinstance(item, ImportedConversation) or item.severity != "info"


def _unless_poorer(item: Item, sizes: dict[str, int]) -> Iterator[Item]:
    if isinstance(item, Diagnostic):
        yield item
        return
    name = item.conversation.id
    if name in sizes:
        yield problem("W_DUPLICATE_CONVERSATION", name)
    if len(item.messages) > sizes.get(name, -1):
        sizes[name] = len(item.messages)
        yield item


def _read_file(file: SourceFile, format_name: str | None, *, alone: bool) -> Iterator[Item]:
    known = find_format(format_name) if format_name else _recognised(file)
    if known is None:
        yield _unknown(file, alone=alone)
        return
    reader = load_reader(known)
    told = False
    try:
        for item in reader.read(file):
            told = told or _says_something(item)
            yield item
    except (OSError, MemoryError, RecursionError) as error:
        yield Diagnostic(
            code="unreadable",
            message=f"Could not be read further: {error}.",
            severity="error",
            where=file.name,
        )
        told = True
    if not told:
        yield problem("W_CONVERSATION_SKIPPED", file.name)


def _recognised(file: SourceFile) -> Format | None:
    try:
        return sniff(file)
    except (OSError, MemoryError, RecursionError):
        return None


def _unknown(file: SourceFile, *, alone: bool) -> Diagnostic:
    """A single file that nobody knows is a finding; inside a bundle it is mostly a picture or a settings file."""
    if alone:
        return problem("W_CONVERSATION_SKIPPED", file.name, severity="error")
    return note("not_a_chat", "This file holds no conversations that are known.", file.name)
