"""One small chat in every format that is read, written for these tests; every one says the same few things."""

import json

FIRST, SECOND = "Which bolt fits?", "An M8 bolt, 40 mm long."
ARGUMENTS = '{"thread": "M8"}'


def _lines(*records):
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def _json(value):
    return json.dumps(value).encode()


def chatgpt_node(name, parent, children, role, content, **more):
    message = {
        "id": name,
        "author": {"role": role, "name": more.pop("speaker", None), "metadata": {}},
        "create_time": more.pop("time", 1_770_000_000.5),
        "content": content,
        "status": "finished_successfully",
        "weight": 1.0,
        "metadata": more.pop("metadata", {}),
        "recipient": more.pop("recipient", "all"),
    }
    return {"id": name, "message": message, "parent": parent, "children": children}


def said(text):
    return {"content_type": "text", "parts": [text]}


def chatgpt_conversation(name="c-1"):
    nodes = [
        {"id": "root", "message": None, "parent": None, "children": ["u1"]},
        chatgpt_node("u1", "root", ["a1", "b1"], "user", said(FIRST)),
        chatgpt_node(
            "a1",
            "u1",
            ["t1"],
            "assistant",
            {"content_type": "code", "text": ARGUMENTS},
            recipient="bolts.find",
        ),
        chatgpt_node(
            "t1",
            "a1",
            ["a2"],
            "tool",
            {"content_type": "execution_output", "text": "M8x40"},
            speaker="bolts.find",
        ),
        chatgpt_node("a2", "t1", [], "assistant", said(SECOND), metadata={"model_slug": "gpt-5"}),
        chatgpt_node("b1", "u1", [], "assistant", said("Perhaps a screw.")),
    ]
    return {
        "title": "Bolts",
        "create_time": 1_770_000_000.25,
        "update_time": 1_770_000_100.0,
        "mapping": {node["id"]: node for node in nodes},
        "current_node": "a2",
        "default_model_slug": "gpt-5",
        "conversation_id": name,
        "id": name,
    }


def claude_message(name, parent, sender, *blocks):
    return {
        "uuid": name,
        "text": "",
        "content": list(blocks),
        "sender": sender,
        "created_at": "2026-02-03T10:00:00.000000Z",
        "attachments": [],
        "files": [],
        "parent_message_uuid": parent,
    }


CLAUDE_ROOT = "00000000-0000-4000-8000-000000000000"
CLAUDE_AI = [
    {
        "uuid": "k-1",
        "name": "Bolts",
        "created_at": "2026-02-03T10:00:00.000000Z",
        "chat_messages": [
            claude_message("u1", CLAUDE_ROOT, "human", {"type": "text", "text": FIRST}),
            claude_message("b1", "u1", "assistant", {"type": "text", "text": "Perhaps a screw."}),
            claude_message(
                "a1",
                "u1",
                "assistant",
                {"type": "thinking", "thinking": "Look it up."},
                {"type": "tool_use", "id": None, "name": "find", "input": {"thread": "M8"}},
                {"type": "tool_result", "tool_use_id": None, "content": [{"type": "text", "text": "M8x40"}]},
                {"type": "text", "text": SECOND},
            ),
        ],
    }
]
OPENWEBUI = [
    {
        "id": "o-1",
        "title": "Bolts",
        "created_at": 1_770_000_000,
        "chat": {
            "models": ["m"],
            "history": {
                "messages": {
                    "u1": {
                        "id": "u1",
                        "parentId": None,
                        "childrenIds": ["a1", "b1"],
                        "role": "user",
                        "content": FIRST,
                        "timestamp": 1_770_000_001,
                        "models": ["m"],
                    },
                    "a1": {
                        "id": "a1",
                        "parentId": "u1",
                        "childrenIds": [],
                        "role": "assistant",
                        "content": '<details type="reasoning" done="true" duration="2">\n<summary>Thought</summary>\n'
                        f"&gt; Look it up.\n</details>\n{SECOND}",
                        "timestamp": 1_770_000_002,
                        "model": "m",
                        "done": True,
                        "usage": {"prompt_tokens": 4, "completion_tokens": 9},
                    },
                    "b1": {
                        "id": "b1",
                        "parentId": "u1",
                        "childrenIds": [],
                        "role": "assistant",
                        "content": "",
                        "timestamp": 1_770_000_003,
                        "done": True,
                        "output": [
                            {"type": "function_call", "call_id": "c", "name": "find", "arguments": ARGUMENTS},
                            {"type": "function_call_output", "call_id": "c", "output": "M8x40"},
                            {
                                "type": "message",
                                "role": "assistant",
                                "content": [{"type": "output_text", "text": "It is."}],
                            },
                        ],
                    },
                },
                "currentId": "a1",
            },
        },
    }
]


def librechat_message(name, parent, text, *, user, **more):
    return {
        "messageId": name,
        "parentMessageId": parent,
        "text": text,
        "isCreatedByUser": user,
        "createdAt": "2026-02-03T10:00:00.000Z",
        **more,
    }


LIBRECHAT = {
    "conversationId": "l-1",
    "endpoint": "agents",
    "title": "Bolts",
    "recursive": True,
    "options": {"model": "m"},
    "messagesTree": [
        librechat_message(
            "u1",
            "00000000-0000-0000-0000-000000000000",
            FIRST,
            user=True,
            children=[
                librechat_message("b1", "u1", "Perhaps a screw.", user=False, children=[]),
                librechat_message(
                    "a1",
                    "u1",
                    "",
                    user=False,
                    content=[
                        {"type": "think", "think": "Look it up."},
                        None,
                        {
                            "type": "tool_call",
                            "tool_call": {"id": "c", "name": "find", "args": ARGUMENTS, "output": "M8x40"},
                        },
                        {"type": "text", "text": {"value": SECOND}},
                    ],
                    children=[],
                ),
            ],
        )
    ],
}
LOBEHUB = {
    "version": "2.0",
    "title": "Bolts",
    "messages": [
        {"id": "system-role", "role": "system", "content": "Be brief."},
        {"id": "u1", "role": "user", "content": FIRST, "createdAt": "2026-02-03T10:00:00.000Z"},
        {
            "id": "a1",
            "role": "assistant",
            "content": "",
            "parentId": "u1",
            "tools": [{"id": "c", "identifier": "bolts", "apiName": "find", "arguments": ARGUMENTS}],
            "reasoning": {"content": "Look it up.", "duration": 900},
        },
        {
            "id": "t1",
            "role": "tool",
            "content": "M8x40",
            "parentId": "a1",
            "tool_call_id": "c",
            "plugin": {"identifier": "bolts", "apiName": "find", "arguments": ARGUMENTS},
        },
        {
            "id": "a2",
            "role": "assistant",
            "content": SECOND,
            "parentId": "t1",
            "model": "m",
            "provider": "openai",
        },
    ],
}
SILLYTAVERN = _lines(
    {"user_name": "Reader", "character_name": "Smith", "chat_metadata": {"integrity": "s-1"}},
    {"name": "Reader", "is_user": True, "send_date": "February 3, 2026 10:00am", "mes": FIRST, "extra": {}},
    {
        "name": "Smith",
        "is_user": False,
        "send_date": "2026-02-03@10h00m05s",
        "mes": SECOND,
        "swipe_id": 1,
        "swipes": ["Perhaps a screw.", SECOND],
        "extra": {"reasoning": "Look it up."},
    },
    {
        "name": "System",
        "is_user": False,
        "is_system": True,
        "mes": "Tools",
        "extra": {
            "tool_invocations": [{"id": "c", "name": "find", "parameters": ARGUMENTS, "result": "M8x40"}]
        },
    },
)
OPENAI_CHAT = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": [{"type": "text", "text": FIRST}]},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c", "type": "function", "function": {"name": "find", "arguments": ARGUMENTS}}],
    },
    {"role": "tool", "tool_call_id": "c", "content": "M8x40"},
    {"role": "assistant", "content": SECOND},
]
ANTHROPIC = {
    "model": "m",
    "system": "Be brief.",
    "max_tokens": 100,
    "messages": [
        {"role": "user", "content": FIRST},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "Look it up.", "signature": "c2ln"},
                {"type": "tool_use", "id": "c", "name": "find", "input": {"thread": "M8"}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "c", "content": "M8x40"},
                {"type": "text", "text": "And longer?"},
            ],
        },
        {"role": "assistant", "content": [{"type": "text", "text": SECOND}]},
    ],
}
RESPONSES = [
    {"role": "developer", "content": "Be brief."},
    {"role": "user", "content": [{"type": "input_text", "text": FIRST}]},
    {"type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": "Look it up."}]},
    {"type": "function_call", "id": "f", "call_id": "c", "name": "find", "arguments": ARGUMENTS},
    {"type": "function_call_output", "call_id": "c", "output": "M8x40"},
    {"type": "message", "id": "m", "role": "assistant", "content": [{"type": "output_text", "text": SECOND}]},
]


def claude_code_record(name, parent, kind, content, **more):
    message = {"role": kind, "content": content}
    if kind == "assistant":
        message |= {
            "id": more.pop("reply", name),
            "model": "m",
            "usage": {"input_tokens": 3, "output_tokens": 5},
        }
    return {
        "type": kind,
        "uuid": name,
        "parentUuid": parent,
        "sessionId": "s-1",
        "cwd": "/home/reader/bolts",
        "timestamp": "2026-02-03T10:00:00.000Z",
        "message": message,
        **more,
    }


CLAUDE_CODE = _lines(
    claude_code_record("u1", None, "user", FIRST),
    claude_code_record("a1", "u1", "assistant", [{"type": "thinking", "thinking": "Look."}], reply="m1"),
    claude_code_record(
        "a2", "a1", "assistant", [{"type": "tool_use", "id": "c", "name": "Find", "input": {}}], reply="m1"
    ),
    {"type": "system", "subtype": "hook", "uuid": "s1", "parentUuid": "a2", "sessionId": "s-1"},
    claude_code_record("r1", "s1", "user", [{"type": "tool_result", "tool_use_id": "c", "content": "M8x40"}]),
    claude_code_record("a3", "r1", "assistant", [{"type": "text", "text": SECOND}]),
)


def codex_record(kind, **payload):
    return {"timestamp": "2026-02-03T10:00:00.000Z", "type": kind, "payload": payload}


CODEX = _lines(
    codex_record("session_meta", id="x-1", timestamp="2026-02-03T10:00:00.000Z", cwd="/home/reader/bolts"),
    codex_record("turn_context", model="m", turn_id="t"),
    codex_record(
        "response_item", type="message", role="user", content=[{"type": "input_text", "text": FIRST}]
    ),
    codex_record("event_msg", type="user_message", message=FIRST),
    codex_record("response_item", type="function_call", call_id="c", name="find", arguments=ARGUMENTS),
    codex_record("response_item", type="function_call_output", call_id="c", output="M8x40"),
    codex_record(
        "response_item", type="message", role="assistant", content=[{"type": "output_text", "text": SECOND}]
    ),
    codex_record(
        "event_msg", type="token_count", info={"last_token_usage": {"input_tokens": 4, "output_tokens": 9}}
    ),
)
AI_SDK = [
    {"id": "u1", "role": "user", "parts": [{"type": "text", "text": FIRST}]},
    {
        "id": "a1",
        "role": "assistant",
        "parts": [
            {"type": "step-start"},
            {"type": "reasoning", "text": "Look it up."},
            {
                "type": "tool-find",
                "toolCallId": "c",
                "state": "output-available",
                "input": {"thread": "M8"},
                "output": {"size": "M8x40"},
            },
            {"type": "text", "text": SECOND},
        ],
    },
]
ASSISTANT_UI = {
    "headId": "a1",
    "messages": [
        {
            "message": {"id": "u1", "role": "user", "content": [{"type": "text", "text": FIRST}]},
            "parentId": None,
        },
        {
            "message": {
                "id": "a1",
                "role": "assistant",
                "content": [
                    {
                        "type": "tool-call",
                        "toolCallId": "c",
                        "toolName": "find",
                        "argsText": ARGUMENTS,
                        "result": "M8x40",
                    },
                    {"type": "text", "text": SECOND},
                ],
                "status": {"type": "complete"},
            },
            "parentId": "u1",
        },
        {
            "message": {"id": "b1", "role": "assistant", "content": [{"type": "text", "text": "Perhaps."}]},
            "parentId": "u1",
        },
    ],
}
LANGCHAIN = [
    {"type": "human", "data": {"content": FIRST, "id": "h1"}},
    {
        "type": "ai",
        "data": {
            "content": "",
            "id": "a1",
            "tool_calls": [{"name": "find", "args": {"thread": "M8"}, "id": "c"}],
        },
    },
    {"type": "tool", "data": {"content": "M8x40", "tool_call_id": "c", "id": "t1"}},
    {"type": "ai", "data": {"content": SECOND, "id": "a2"}},
]
PYDANTIC_AI = [
    {
        "kind": "request",
        "parts": [
            {"part_kind": "system-prompt", "content": "Be brief."},
            {"part_kind": "user-prompt", "content": FIRST},
        ],
    },
    {
        "kind": "response",
        "model_name": "m",
        "parts": [{"part_kind": "tool-call", "tool_name": "find", "args": ARGUMENTS, "tool_call_id": "c"}],
    },
    {
        "kind": "request",
        "parts": [{"part_kind": "tool-return", "tool_name": "find", "content": "M8x40", "tool_call_id": "c"}],
    },
    {"kind": "response", "parts": [{"part_kind": "text", "content": SECOND}]},
]
AI_STUDIO = {
    "runSettings": {"model": "models/m"},
    "systemInstruction": {"text": "Be brief."},
    "chunkedPrompt": {
        "chunks": [
            {"role": "user", "text": FIRST},
            {"role": "model", "text": "Look it up.", "isThought": True},
            {"role": "model", "executableCode": {"code": "find('M8')"}},
            {"role": "model", "codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "M8x40"}},
            {"role": "model", "text": SECOND},
        ],
        "pendingInputs": [{"role": "user", "text": ""}],
    },
}
TAKEOUT = [
    {
        "header": "Gemini Apps",
        "title": f"Prompted {FIRST}",
        "time": "2026-02-03T10:00:00.000Z",
        "safeHtmlItem": [{"html": f"<p>{SECOND}</p>"}],
    }
]
LLM_LOGS = [
    {
        "id": "r1",
        "conversation_id": "v-1",
        "system": "Be brief.",
        "prompt": FIRST,
        "response": "",
        "datetime_utc": "2026-02-03T10:00:00",
        "tool_calls": [{"name": "find", "arguments": {"thread": "M8"}, "tool_call_id": "c"}],
    },
    {
        "id": "r2",
        "conversation_id": "v-1",
        "system": "Be brief.",
        "prompt": "",
        "response": SECOND,
        "datetime_utc": "2026-02-03T10:00:05",
        "tool_results": [{"name": "find", "output": "M8x40", "tool_call_id": "c"}],
    },
]
LLM_STORE = {
    "messages": [
        {"hash": "h1", "parent_hash": None, "role": "user"},
        {"hash": "h2", "parent_hash": "h1", "role": "assistant"},
    ],
    "parts": [
        {"message_hash": "h1", "position": 0, "type": "text", "text": FIRST},
        {"message_hash": "h2", "position": 0, "type": "text", "text": SECOND},
    ],
    "threads": [{"id": "v-2", "tip_message_hash": "h2", "datetime_utc": "2026-02-03T10:00:00"}],
    "turns": [],
    "fragments": [],
}
SHAREGPT = [
    {
        "id": "g-1",
        "conversations": [
            {"from": "human", "value": FIRST},
            {"from": "function_call", "value": '{"name": "find", "arguments": {"thread": "M8"}}'},
            {"from": "observation", "value": "M8x40"},
            {"from": "gpt", "value": SECOND},
        ],
    }
]
OASST = _lines(
    {
        "message_tree_id": "p-1",
        "prompt": {
            "message_id": "p-1",
            "text": FIRST,
            "role": "prompter",
            "replies": [
                {
                    "message_id": "p-2",
                    "text": "Perhaps a screw.",
                    "role": "assistant",
                    "rank": 1,
                    "replies": [],
                },
                {"message_id": "p-3", "text": SECOND, "role": "assistant", "rank": 0, "replies": []},
            ],
        },
    }
)

SAMPLES = {
    "chatgpt": _json([chatgpt_conversation()]),
    "claude_ai": _json(CLAUDE_AI),
    "openwebui": _json(OPENWEBUI),
    "librechat": _json(LIBRECHAT),
    "lobehub": _json(LOBEHUB),
    "sillytavern": SILLYTAVERN,
    "openai_chat": _json(OPENAI_CHAT),
    "anthropic": _json(ANTHROPIC),
    "openai_responses": _json(RESPONSES),
    "claude_code": CLAUDE_CODE,
    "codex": CODEX,
    "ai_sdk": _json(AI_SDK),
    "assistant_ui": _json(ASSISTANT_UI),
    "langchain": _json(LANGCHAIN),
    "pydantic_ai": _json(PYDANTIC_AI),
    "gemini": _json(AI_STUDIO),
    "gemini takeout": _json(TAKEOUT),
    "llm_logs": _json(LLM_LOGS),
    "llm_logs store": _json(LLM_STORE),
    "sharegpt": _json(SHAREGPT),
    "oasst": OASST,
}
"""The bytes of each, by the name of the format and, where it has several files, which."""
