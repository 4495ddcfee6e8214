"""No silent drop: every record of a document is in a message, or a diagnostic speaks of something left out.

What a record is, each format says by paths into its documents; ``*`` stands for any key, ``#`` for any index. Not counted are
records that a format keeps for itself (a session's bookkeeping, a head of a file), as they hold nothing said.
"""

import itertools

from triptych.formats.conversation import record_paths
from triptych.model.foreign import read_json

PATHS = {
    "ai_sdk": [("#",), ("messages", "#")],
    "anthropic": [("messages", "#")],
    "assistant_ui": [("messages", "#")],
    "chatgpt": [("mapping", "*")],
    "claude_ai": [("chat_messages", "#")],
    "claude_code": [("#",)],
    "codex": [("#",)],
    "gemini": [("chunkedPrompt", "chunks", "#"), ("#",)],
    "langchain": [("#",), ("messages", "#")],
    "librechat": [("messagesTree", "#"), ("messagesTree", "#", "children", "#"), ("messages", "#")],
    "llm_logs": [("#",), ("messages", "#"), ("responses", "#")],
    "lobehub": [("messages", "#")],
    "oasst": [("prompt",), ("prompt", "replies", "#"), ("prompt", "replies", "#", "replies", "#")],
    "openai_chat": [("#",), ("messages", "#")],
    "openai_responses": [("#",), ("input", "#")],
    "openwebui": [("chat", "history", "messages", "*")],
    "pydantic_ai": [("#",)],
    "sharegpt": [("conversations", "#")],
    "sillytavern": [("#",)],
}
SPOKEN = {"claude_code": ("user", "assistant"), "codex": ("response_item",)}
"""The types of records that hold something said, where a format writes others beside them."""


def unaccounted(conversations, diagnostics):
    """Documents with more records out of sight than findings about them: the format, the records, the findings."""
    for document, sharing in itertools.groupby(conversations, key=lambda one: one.document):
        together = list(sharing)
        lost = uncovered(document, together)
        said = [one.code for each in together for one in each.diagnostics] + [one.code for one in diagnostics]
        if len(lost) > len(said):
            yield together[0].source.format, lost, said


def uncovered(document, conversations):
    """Paths and values of the records that no message of these conversations was read from."""
    source = conversations[0].source
    root = _lines(document) if source.lines else read_json(document)[0]
    have = [path for one in conversations for message in one.messages for path in record_paths(message)]
    patterns = [one for one in PATHS.get(source.format, ()) if (one[0] == "#") == isinstance(root, list)]
    records = {path: value for pattern in patterns for path, value in _expand(root, pattern, ())}
    return [
        (path, value)
        for path, value in records.items()
        if _speaks(source.format, value) and not any(_touch(path, other) for other in have)
    ]


def _lines(document):
    return [read_json(line)[0] if line.strip() else {} for line in document.split(b"\n")]


def _expand(value, pattern, path):
    if not pattern:
        yield path, value
        return
    key, *rest = pattern
    if key == "#":
        held = enumerate(value) if isinstance(value, list) else ()
    elif isinstance(value, dict):
        held = value.items() if key == "*" else [(key, value[key])] if key in value else ()
    else:
        held = ()
    for name, inner in held:
        yield from _expand(inner, rest, (*path, name))


def _touch(path, other):
    shorter = min(len(path), len(other))
    return path[:shorter] == other[:shorter]


def _speaks(name, record):
    """Whether a record says something: bookkeeping and empty nodes do not."""
    if record == {} or (name == "chatgpt" and isinstance(record, dict) and not record.get("message")):
        return False
    if name == "sillytavern" and isinstance(record, dict):
        return "mes" in record and ("is_user" in record or "name" in record)
    if name == "langchain" and isinstance(record, dict) and "values" in record:
        return False
    if name in SPOKEN and isinstance(record, dict):
        return record.get("type") in SPOKEN[name]
    return True
