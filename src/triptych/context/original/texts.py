"""Fixed texts and markers that programs of the original family look for in messages.

Not here: wording of our own pipelines (it is with the steps).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from triptych.context.rowwork import mapping, text_of, trim
from triptych.model.rows import Row

__all__ = [
    "ORCHESTRATION_APIS",
    "ORCHESTRATION_TOOLS",
    "TASK_TEMPLATE",
    "Speaker",
    "add_to_wrapper",
    "callback",
    "check",
    "compressed",
    "failed_call",
    "has_wrapper",
    "reaction",
    "task",
    "wrap",
]

_START = "<!-- SYSTEM CONTEXT (NOT PART OF USER QUERY) -->"
_END = "<!-- END SYSTEM CONTEXT -->"
_INSTRUCTION = (
    "<context.instruction>Background for the answer; the user did not write it.</context.instruction>"
)

TASK_TEMPLATE = "[Task Result from {{agentName}}]\n\n**Task Instruction:**\n{{instruction}}\n\n**Task Result:**\n{{content}}"
ORCHESTRATION_TOOLS = ("lobe-group-management",)
ORCHESTRATION_APIS = ("broadcast", "speak", "executeTask", "executeTasks")


def has_wrapper(text: Any) -> bool:
    """Whether a text holds a wrapper of system context."""
    return isinstance(text, str) and _START in text and _END in text


def wrap(content: str, tag: str) -> str:
    """A wrapper around one block."""
    return "\n".join((_START, _INSTRUCTION, f"<{tag}>\n{content}\n</{tag}>", _END))


def add_to_wrapper(text: str, block: str) -> str:
    """The text with a block just before the end of its last wrapper."""
    place = text.rindex(_END)
    return f"{text[:place]}{block}\n{text[place:]}"


def task(template: str | None) -> Any:
    """How a task's result is put: three replacements, one after the other, each seeing the values before it."""
    used = template or TASK_TEMPLATE

    def said(row: Row) -> str:
        agent = row.get("agentName") or mapping(row.get("meta")).get("avatar") or "Sub Agent"
        values = {
            "agentName": agent,
            "instruction": mapping(row.get("metadata")).get("instruction"),
            "content": row.get("content") or "",
        }
        text = used
        for name, value in values.items():
            text = text.replace(f"{{{{{name}}}}}", str(value))
        return text

    return said


def check(row: Row) -> str:
    """What a delivery check said."""
    return f"<delivery_check_feedback>\n{trim(row['content'])}\n</delivery_check_feedback>"


def callback(row: Row) -> str:
    """How a task ended."""
    facts: Mapping[str, Any] = mapping(mapping(row.get("metadata")).get("taskCallback"))
    identifier, reason = facts.get("identifier") or "task", facts.get("reason") or "done"
    return f'<task_result task="{identifier}" status="{reason}">\n{trim(row["content"])}\n</task_result>'


def compressed(row: Row) -> str:
    """The summary of a compressed stretch."""
    return f"<compressed_history_summary>\n{text_of(row.get('content'))}\n</compressed_history_summary>"


def reaction(emojis: list[str]) -> str:
    """The user's reactions."""
    return f"[User Feedback Emoji: {' '.join(emojis)}]"


def failed_call(_name: str | None, _reason: str) -> str:
    """The result of a call that has none."""
    return json.dumps(
        {"error": "Tool call failed", "success": False, "synthetic": True}, separators=(",", ":")
    )


class Speaker:
    """How another agent's words are put."""

    def says(self, name: str, text: str, calls: list[tuple[str, str, str]]) -> str:
        """What it said, and the tools that it used."""
        spoken = f'<speaker name="{name}" />\n{text}'
        if not calls:
            return spoken
        used = "\n".join(f'<tool id="{call}" name="{tool}">\n{given}\n</tool>' for call, tool, given in calls)
        return f"{spoken}\n\n<tool_use>\n{used}\n</tool_use>"

    def got(self, name: str, call: str, tool: str, text: str) -> str:
        """What a tool of it returned."""
        return f'<speaker name="{name}" />\n<tool_result id="{call}" name="{tool}">\n{text}\n</tool_result>'
