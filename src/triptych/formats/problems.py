"""The diagnostic codes of the readers, each with the sentence that people see.

The upper-case ``W_`` codes are stable words for programs; ``detail`` holds what was found. What is only good to
know has a lower-case code and severity ``info``.
"""

from __future__ import annotations

from typing import Any

from triptych.model.diagnostics import Diagnostic, Severity

__all__ = ["CODES", "note", "problem"]

CODES: dict[str, str] = {
    "W_ACTIVE_INFERRED": "The file does not say which branch is shown; one was chosen.",
    "W_ACTIVE_MISSING": "The message that the file calls the current one does not exist.",
    "W_BAD_JSON_ARGS": "The arguments of a tool call are no valid JSON; they are kept as written.",
    "W_BAD_LINE": "A line is no JSON record; it is kept but not shown.",
    "W_BAD_TIMESTAMP": "A time could not be read.",
    "W_BRANCH_EXTERNAL": "A branch of this conversation lives in another file.",
    "W_CHILD_MISSING": "A message names a child that does not exist.",
    "W_CHILD_UNLISTED": "A message is missing in its parent's list of children.",
    "W_COMPACTION_STITCHED": "A summary begins a new root; it was joined to the messages that it replaces.",
    "W_CONTEXT_AMBIGUOUS": "The list of attached context can be read in more than one way.",
    "W_CONVERSATION_SKIPPED": "A conversation holds no messages and was left out.",
    "W_CYCLE": "Messages are each other's ancestors; the circle was cut at its first record.",
    "W_DRAFT_IGNORED": "An unsent draft is kept but not shown as a message.",
    "W_DUPLICATE_CONVERSATION": "The same conversation occurs twice; the richer copy was taken.",
    "W_DUPLICATE_ID": "Two different records share an id; the second one was renamed.",
    "W_DUPLICATE_RECORD": "The same record occurs twice; it was read once.",
    "W_EMPTY_CONTENT": "A message holds nothing.",
    "W_FALSE_FORK": "A record that only looks like a branch was put back in line.",
    "W_GROUPED_BY_TIME": "The file has no conversations; records were grouped by half an hour of silence.",
    "W_LOSSY_SOURCE": "The file holds only a part of what was said.",
    "W_MISSING_ATTACHMENT": "An attachment is named, but its bytes are not in the export.",
    "W_MISSING_FIELD": "A field that every record has is missing.",
    "W_MULTI_ROOT": "The conversation begins more than once.",
    "W_NULL_MESSAGE": "A node in the middle of the tree holds no message.",
    "W_OPAQUE_CONTENT": "Content is encrypted or empty; it is kept but cannot be shown.",
    "W_ORPHAN_TOOL_RESULT": "A tool result answers no known call.",
    "W_PARENT_INFERRED": "A message does not say its parent; it was found out otherwise.",
    "W_PARENT_MISSING": "The parent of a message does not exist.",
    "W_RECORD_SKIPPED": "A record is no part of a conversation; it is kept but not shown.",
    "W_REMOVED_MESSAGE": "A message was removed by a later record.",
    "W_REPLAYED_PREFIX": "The first messages are a copy from another file.",
    "W_SELF_PARENT": "A message is its own parent; it became a root.",
    "W_SHARED_MESSAGES": "Several threads share messages; they were read into one tree.",
    "W_SPLIT_AMBIGUOUS": "The borders between messages can be read in more than one way.",
    "W_SWIPE_INDEX": "The chosen alternative does not exist.",
    "W_SWIPE_MISMATCH": "The shown text differs from the chosen alternative; the shown text won.",
    "W_THREAD_BRANCH": "A side thread was kept as a branch.",
    "W_TIMESTAMP_COERCED": "A time is written in an unusual way and was converted.",
    "W_TIMESTAMP_ORDER": "A message is older than its parent.",
    "W_TOOL_CALL_UNANSWERED": "A tool call has no result.",
    "W_TRUNCATED_TAIL": "The file ends in the middle of a record.",
    "W_UNKNOWN_CONTENT_TYPE": "A kind of content is unknown; it is kept as it is.",
    "W_UNKNOWN_PART": "A part of an unknown type is kept as it is.",
    "W_UNKNOWN_RECORD": "A record of an unknown kind is kept but not shown.",
    "W_UNKNOWN_ROLE": "An unknown role is shown as the assistant's.",
    "W_UNRESOLVED_REFERENCE": "A reference points at something that is not in the file.",
}


def problem(
    code: str, where: str | None = None, *, severity: Severity = "warning", **detail: Any
) -> Diagnostic:
    """A finding with one of the documented codes."""
    return Diagnostic(code=code, message=CODES[code], severity=severity, where=where, detail=detail)


def note(code: str, message: str, where: str | None = None, **detail: Any) -> Diagnostic:
    """Something good to know that is no damage."""
    return Diagnostic(code=code, message=message, severity="info", where=where, detail=detail)
