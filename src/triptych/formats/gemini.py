"""Gemini: prompts of AI Studio, and the activity that Google Takeout exports.

* ``gemini_studio``   one conversation a file, in chunks
* ``gemini_takeout``  one record a prompt, without conversations: grouped by half an hour of silence
"""

from __future__ import annotations

from collections.abc import Iterator

from triptych.formats.conversation import ImportedConversation
from triptych.formats.gemini_studio import read_prompt
from triptych.formats.gemini_takeout import is_activity, read_activity
from triptych.formats.sniff import Sample
from triptych.formats.source import SourceFile
from triptych.formats.streaming import read_document
from triptych.model.diagnostics import Diagnostic

__all__ = ["matches", "read"]


def matches(sample: Sample) -> bool:
    """A chunked prompt, or records of activity of Gemini or Bard."""
    return "chunkedPrompt" in sample.object or any(is_activity(row) for row in sample.objects)


def read(file: SourceFile) -> Iterator[ImportedConversation | Diagnostic]:
    """The conversation of a prompt, or the conversations that an activity falls into."""
    value, data, found = read_document(file)
    if isinstance(value, list):
        yield from read_activity(value, data, file.name, found)
    else:
        yield read_prompt(value, data, file.name, found)
