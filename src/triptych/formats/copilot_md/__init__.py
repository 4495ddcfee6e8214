"""Chats that Obsidian Copilot saved as Markdown notes, in both directions, byte-exact for what is untouched.

The format has no escapes, one zone-less second per message and no ids (docs/formats/copilot_md.md). Reading
uses what the writer always leaves (a time line before each next header) to tell headers from text that looks like
one; the raw piece of each message is kept, so that an untouched chat is written back in the same bytes.

* ``pieces``   text <-> front matter, preamble and one raw piece a message
* ``context``  the ``[Context: …]`` line <-> references
* ``times``    the ``[Timestamp: …]`` line <-> epoch milliseconds
* ``marks``    reasoning and tool marks in an answer's text <-> parts
* ``reading``  a file -> a conversation
* ``writing``  a conversation -> a file and the losses
* ``names``    file names and whose project a file belongs to
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from triptych.formats.conversation import ImportedConversation
from triptych.formats.jsontext import to_utf8
from triptych.formats.sniff import Sample
from triptych.formats.source import SourceFile
from triptych.formats.written import Written
from triptych.model.diagnostics import Diagnostic

__all__ = ["matches", "read", "write"]

_HEADER = re.compile(r"^\*\*(?:user|ai)\*\*: ", re.MULTILINE)
_FRONT = re.compile(r"\A---[ \t]*\r?\n(?:.*\n)*?epoch[ \t]*:")
_HEAD = 20_000


def matches(sample: Sample) -> bool:
    """A text with the program's headers at line starts, or with its front matter: an epoch and the tag."""
    if sample.kind != "text":
        return False
    tagged = "copilot-conversation" in sample.text[:_HEAD] and _FRONT.match(sample.text[:_HEAD]) is not None
    return tagged or _HEADER.search(sample.text) is not None


def read(file: SourceFile) -> Iterator[ImportedConversation | Diagnostic]:
    """The one conversation of a note."""
    from triptych.formats.copilot_md.reading import read_note

    with file.opener() as stream:
        data = stream.read()
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        data = to_utf8(data)
    yield read_note(data, name=file.name.rpartition("/")[2])


def write(conversations: Sequence[ImportedConversation]) -> Written:
    """The note of one conversation."""
    from triptych.formats.copilot_md.writing import write as write_notes

    return write_notes(conversations)
