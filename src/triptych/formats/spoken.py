"""Where each format keeps what was said: the shapes that ``odd_fields`` holds its records against.

Only fields that a reader shows are here, and of those only the ones that it would pass over without a word when
they hold something else. ``ANY`` beside others: the reader itself makes an unknown part of the rest.
"""

from __future__ import annotations

from typing import Any

from triptych.formats.shapes import ANY, Shape, Tagged

__all__ = [
    "AI_SDK",
    "ANTHROPIC",
    "ASSISTANT_UI",
    "CHATGPT",
    "CLAUDE_AI",
    "GEMINI",
    "LANGCHAIN",
    "LIBRECHAT",
    "LLM_LOGS",
    "LLM_STORE",
    "LOBEHUB",
    "OASST",
    "OPENAI_CHAT",
    "OPENAI_RESPONSES",
    "OPENWEBUI",
    "PYDANTIC_AI",
    "SILLYTAVERN",
    "SNAPSHOT",
    "TAKEOUT",
]

_VALUE: Shape = (str, {"value": str})
_OPENAI_PART: Shape = ({"text": _VALUE, "refusal": str}, ANY)
_OPENAI_CONTENT: Shape = (str, [_OPENAI_PART], ANY)

_BLOCK: dict[str, Any] = {"text": str, "thinking": str, "source": (str, {"data": str, "url": str})}
_BLOCK["content"] = (str, [(_BLOCK, ANY)], ANY)
ANTHROPIC: Shape = {"content": (str, [(_BLOCK, ANY)], ANY)}
"""A message; its blocks hold blocks again."""

_UI_PART: dict[str, Shape] = {
    "text": str,
    "reasoning": str,
    "errorText": str,
    "source": {"url": str, "title": str},
    "toolInvocation": {"toolName": str},
}
AI_SDK: Shape = {
    "content": str,
    "parts": [(_UI_PART, ANY)],
    "reasoning": str,
    "toolInvocations": [{"toolName": str}],
    "experimental_attachments": [{"url": str}],
}

_THREAD_CONTENT: Shape = (str, [({**_UI_PART, "image": str, "audio": {"data": str}}, ANY)])
ASSISTANT_UI: Shape = {
    "message": {"content": _THREAD_CONTENT, "attachments": [{"content": _THREAD_CONTENT}]},
}

CHATGPT: Shape = {
    "*": (
        {
            "message": {
                "content": {
                    "parts": [({"text": str}, ANY)],
                    "text": str,
                    "thoughts": [{"summary": str, "content": str}],
                    "content": str,
                    "result": str,
                    "summary": str,
                    "user_profile": str,
                    "user_instructions": str,
                    "model_set_context": str,
                },
                "metadata": {"attachments": [{"name": str}]},
            }
        },
        ANY,
    )
}
"""The mapping of a conversation."""

CLAUDE_AI: Shape = [
    (
        {
            "text": str,
            "content": [({"text": str, "thinking": str}, ANY)],
            "attachments": [{"file_name": str, "extracted_content": str}],
            "files": [{"file_name": str}],
            "files_v2": [{"file_name": str}],
        },
        ANY,
    )
]

_CODE: dict[str, Shape] = {"executableCode": {"code": str}, "codeExecutionResult": {"output": str}}
GEMINI: Shape = {
    "systemInstruction": {"text": str, "parts": [{"text": str}]},
    "chunkedPrompt": {
        "chunks": [({"text": str, "parts": [{"text": str, **_CODE}], "errorMessage": str, **_CODE}, ANY)],
        "pendingInputs": [{"text": str}],
    },
}
"""A prompt of AI Studio."""
TAKEOUT: Shape = {"title": str, "safeHtmlItem": [{"html": str}]}

_LANGCHAIN_MESSAGE: dict[str, Shape] = {
    "content": (str, [(_BLOCK, ANY)], ANY),
    "tool_calls": [{"name": str}],
    "invalid_tool_calls": [{"name": str}],
    "additional_kwargs": {"reasoning_content": str},
}
LANGCHAIN: Shape = {**_LANGCHAIN_MESSAGE, "data": _LANGCHAIN_MESSAGE, "kwargs": _LANGCHAIN_MESSAGE}

SNAPSHOT: Shape = {"values": {"messages": [ANY]}}
"""One state of a graph."""

LIBRECHAT: dict[str, Any] = {
    "text": str,
    "content": [({"text": _VALUE, "think": _VALUE, "error": _VALUE, "tool_call": {}}, ANY)],
    "files": [{}],
    "attachments": [{}],
}
LIBRECHAT["children"] = [(LIBRECHAT, ANY)]

LLM_LOGS: Shape = {
    "system": str,
    "prompt": str,
    "response": str,
    "reasoning": str,
    "tool_calls": [{"name": str}],
    "tool_results": [{"name": str}],
    "attachments": [{}],
}

LLM_STORE: Shape = {"parts": [{"text": str}], "fragments": [{"content": str}]}

LOBEHUB: Shape = {
    "content": str,
    "reasoning": {"content": str},
    "tools": [{"apiName": str}],
    "imageList": [{"url": str}],
    "fileList": [({}, str)],
    "files": [({}, str)],
    "search": {"citations": [{"url": str}]},
    "error": (str, {"message": str}),
}

OASST: dict[str, Any] = {"text": str}
OASST["replies"] = [OASST]

OPENAI_CHAT: Shape = {
    "content": _OPENAI_CONTENT,
    "reasoning_content": str,
    "reasoning": str,
    "refusal": str,
    "audio": {"data": str, "transcript": str},
    "tool_calls": [{"function": {"name": str}, "custom": {"name": str, "input": str}}],
    "function_call": {"name": str},
}

_CONTENT_ITEM: Shape = {"content": _OPENAI_CONTENT}
OPENAI_RESPONSES: Shape = Tagged(
    "type",
    {
        "message": _CONTENT_ITEM,
        "reasoning": {"summary": [{"text": str}], "content": [{"text": str}]},
        "custom_tool_call": {"input": str},
    },
)

OPENWEBUI: Shape = {
    "content": _OPENAI_CONTENT,
    "output": [OPENAI_RESPONSES],
    "files": [{"url": str, "name": str}],
    "sources": [{"source": {"url": str, "name": str}, "document": [str]}],
}

_SAID: Shape = {"content": str}
_REQUEST_PART: Shape = Tagged(
    "part_kind",
    {
        "system-prompt": _SAID,
        "text": _SAID,
        "thinking": _SAID,
        "user-prompt": {"content": (str, [({"content": str, "text": str}, ANY)], ANY)},
        "file": {"content": {"data": str}},
    },
)
PYDANTIC_AI: Shape = {"parts": [_REQUEST_PART]}

SILLYTAVERN: Shape = {
    "mes": str,
    "swipes": [(str, {"mes": str, "message": str})],
    "swipe_info": [{"extra": {"reasoning": str}}],
    "extra": {"reasoning": str, "tool_invocations": [{"name": str}], "file": {"text": str}},
}
