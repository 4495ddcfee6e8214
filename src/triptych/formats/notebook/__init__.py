"""Our own Markdown: one conversation a file, with every branch, that a person can read and edit.

docs/formats/notebook.md is its specification (version 1). Laws: any conversation written and read back is equal;
whatever a hand types into the file is kept.

* ``escape`` · ``blocks``  texts and parts as Markdown, and back
* ``scan`` · ``reading``   a file -> its sections -> a conversation
* ``render``               a conversation -> a file
* ``edits`` · ``applying`` what a hand has changed, as messages to add; into an open conversation
* ``importing``            the same for a file without its store
* ``names``                file names and folders
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from triptych.formats.conversation import ImportedConversation
from triptych.formats.sniff import Sample
from triptych.formats.source import SourceFile
from triptych.formats.written import Written
from triptych.model.diagnostics import Diagnostic

__all__ = ["matches", "read", "write"]

_FRONT = re.compile(r"\A---[ \t]*\r?\n(?:[^\n]*\n){0,200}?triptych[ \t]*:[ \t]*\"?\d")


def matches(sample: Sample) -> bool:
    """A text whose front matter says ``triptych:`` and a version, or that holds our marks."""
    if sample.kind != "text":
        return False
    return _FRONT.match(sample.text) is not None or "\n<!--triptych message {" in sample.text


def read(file: SourceFile) -> Iterator[ImportedConversation | Diagnostic]:
    """The one conversation of a file."""
    from triptych.formats.notebook.importing import read_import

    yield read_import(file.read(), name=file.name.rpartition("/")[2])


def write(conversations: Sequence[ImportedConversation]) -> Written:
    """The file of one conversation."""
    from triptych.formats.notebook.render import write as write_pages

    return write_pages(conversations)
