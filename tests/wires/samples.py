"""For each wire some replies as its servers stream them, written by hand; each is a list of parsed messages."""


def chat(reason=None, **delta):
    return {"id": "r", "model": "m", "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}


CHAT = [
    [
        chat(role="assistant", content=""),
        chat(reasoning_content="Let me see. "),
        chat(reasoning_content="Yes."),
        chat(content="It is é \U0001f600, "),
        chat(content="I looked:"),
        chat(tool_calls=[{"index": 0, "id": "c1", "function": {"name": "find", "arguments": ""}}]),
        chat(tool_calls=[{"index": 0, "function": {"arguments": '{"q":'}}]),
        chat(tool_calls=[{"index": 1, "id": "c2", "function": {"name": "open", "arguments": "{}"}}]),
        chat(tool_calls=[{"index": 0, "function": {"arguments": '"x"}'}}]),
        chat("tool_calls"),
        {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 9}},
    ],
    [chat(content="Hello "), chat(content="world"), chat("stop")],
]
MISTRAL = [
    [
        chat(content=[{"type": "thinking", "thinking": [{"type": "text", "text": "Hm"}]}]),
        chat(content=[{"type": "thinking", "thinking": [{"type": "text", "text": "m."}], "signature": "S"}]),
        chat(content=[{"type": "text", "text": "So "}, {"type": "reference", "reference_ids": [3]}]),
        chat(content="there."),
        chat(
            "tool_calls", tool_calls=[{"id": "abc123DEF", "function": {"name": "f", "arguments": {"a": 1}}}]
        ),
    ]
]


def item(kind, index, **fields):
    return {"type": f"response.output_item.{kind}", "output_index": index, "item": fields}


def grow(kind, index, **fields):
    return {"type": f"response.{kind}", "output_index": index, **fields}


RESPONSES = [
    [
        {"type": "response.created", "sequence_number": 0, "response": {"id": "resp_1", "model": "m"}},
        item("added", 0, type="reasoning", id="rs_1", summary=[], encrypted_content="ab"),
        grow("reasoning_summary_text.delta", 0, item_id="rs_1", summary_index=0, delta="First."),
        grow("reasoning_summary_text.delta", 0, item_id="rs_1", summary_index=1, delta="Then."),
        item(
            "done",
            0,
            type="reasoning",
            id="rs_1",
            summary=[{"type": "summary_text", "text": "First."}, {"type": "summary_text", "text": "Then."}],
            encrypted_content="abcd",
        ),
        item("added", 1, type="message", id="msg_1", role="assistant", content=[]),
        grow("output_text.delta", 1, item_id="msg_1", content_index=0, delta="Hel"),
        grow("output_text.delta", 1, item_id="msg_1", content_index=0, delta="lo"),
        grow("output_text.done", 1, item_id="msg_1", content_index=0, text="Hello"),
        item(
            "done",
            1,
            type="message",
            id="msg_1",
            content=[
                {
                    "type": "output_text",
                    "text": "Hello",
                    "annotations": [{"type": "url_citation", "url": "https://a", "title": "A"}],
                }
            ],
        ),
        item("added", 2, type="function_call", id="fc_1", call_id="call_1", name="f", arguments=""),
        grow("function_call_arguments.delta", 2, item_id="fc_1", delta='{"a":'),
        grow("function_call_arguments.delta", 2, item_id="fc_1", delta="1}"),
        item("done", 2, type="function_call", id="fc_1", call_id="call_1", name="f", arguments='{"a":1}'),
        {
            "type": "response.completed",
            "response": {
                "id": "resp_1",
                "status": "completed",
                "output": [],
                "usage": {"input_tokens": 4, "output_tokens": 6},
            },
        },
    ]
]


def block(index, **fields):
    return {"type": "content_block_start", "index": index, "content_block": fields}


def more(index, kind, **fields):
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **fields}}


def stop(index):
    return {"type": "content_block_stop", "index": index}


ANTHROPIC = [
    [
        {
            "type": "message_start",
            "message": {
                "id": "msg_1",
                "model": "m",
                "usage": {"input_tokens": 5, "cache_read_input_tokens": 7, "output_tokens": 1},
            },
        },
        block(0, type="thinking", thinking="", signature=""),
        more(0, "thinking_delta", thinking="Hmm"),
        more(0, "signature_delta", signature="EqQB"),
        stop(0),
        block(1, type="redacted_thinking", data="AAAA"),
        stop(1),
        {"type": "ping"},
        block(2, type="text", text=""),
        more(2, "text_delta", text="I look "),
        more(2, "text_delta", text="it up."),
        more(
            2, "citations_delta", citation={"type": "char_location", "cited_text": "q", "document_title": "D"}
        ),
        stop(2),
        block(3, type="tool_use", id="toolu_1", name="find", input={}),
        more(3, "input_json_delta", partial_json='{"q": '),
        more(3, "input_json_delta", partial_json='"x"}'),
        stop(3),
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 40}},
        {"type": "message_stop"},
    ]
]


def content(*parts, reason=None):
    return {
        "candidates": [{"content": {"role": "model", "parts": list(parts)}, "finishReason": reason}],
        "modelVersion": "m",
    }


GEMINI = [
    [
        content({"text": "Hm", "thought": True}),
        content({"text": "m", "thought": True}, {"text": "It "}),
        content({"text": "is."}, {"text": "", "thoughtSignature": "T1"}),
        content(
            {"functionCall": {"name": "f", "args": {"a": 1}}, "thoughtSignature": "T2"},
            {"functionCall": {"name": "f", "args": {}}},
        ),
        content(reason="STOP")
        | {"usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 4, "thoughtsTokenCount": 5}},
    ]
]
BEDROCK = [
    [
        {"messageStart": {"role": "assistant"}},
        {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"reasoningContent": {"text": "Hmm"}}}},
        {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"reasoningContent": {"signature": "S"}}}},
        {"contentBlockStop": {"contentBlockIndex": 0}},
        {"contentBlockDelta": {"contentBlockIndex": 1, "delta": {"text": "Hel"}}},
        {"contentBlockDelta": {"contentBlockIndex": 1, "delta": {"text": "lo"}}},
        {"contentBlockStop": {"contentBlockIndex": 1}},
        {
            "contentBlockStart": {
                "contentBlockIndex": 2,
                "start": {"toolUse": {"toolUseId": "t1", "name": "f"}},
            }
        },
        {"contentBlockDelta": {"contentBlockIndex": 2, "delta": {"toolUse": {"input": '{"a":'}}}},
        {"contentBlockDelta": {"contentBlockIndex": 2, "delta": {"toolUse": {"input": "1}"}}}},
        {"contentBlockStop": {"contentBlockIndex": 2}},
        {"messageStop": {"stopReason": "tool_use"}},
        {"metadata": {"usage": {"inputTokens": 3, "outputTokens": 4, "cacheReadInputTokens": 2}}},
    ]
]
OLLAMA = [
    [
        {"model": "m", "message": {"role": "assistant", "content": "", "thinking": "Hm"}, "done": False},
        {"model": "m", "message": {"role": "assistant", "content": "Hel"}, "done": False},
        {"model": "m", "message": {"role": "assistant", "content": "lo"}, "done": False},
        {
            "model": "m",
            "message": {
                "role": "assistant",
                "content": "",
                "tool_calls": [
                    {"function": {"name": "f", "arguments": {"a": 1}}},
                    {"function": {"name": "f", "arguments": {}}},
                ],
            },
            "done": False,
        },
        {
            "model": "m",
            "message": {"role": "assistant", "content": ""},
            "done": True,
            "done_reason": "stop",
            "prompt_eval_count": 3,
            "eval_count": 4,
        },
    ]
]
STREAMS = {
    "openai_chat": CHAT,
    "openai_responses": RESPONSES,
    "anthropic": ANTHROPIC,
    "gemini": GEMINI,
    "bedrock": BEDROCK,
    "mistral": MISTRAL,
    "ollama": OLLAMA,
}
