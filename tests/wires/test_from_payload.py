import pytest

from triptych.errors import UsageError
from triptych.model import messages as m
from triptych.model import parts as p
from triptych.model.tools import ToolDefinition
from triptych.wires.from_payload import from_payload


def parts(read, index):
    return read.messages[index].parts


def roles(read):
    return [m.role_of(message) for message in read.messages]


def test_chat_messages_with_calls_and_results():
    body = {
        "model": "gpt-x",
        "messages": [
            {"role": "developer", "content": "be brief"},
            {"role": "user", "name": "Ann Lee", "content": [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJD", "detail": "low"}}]},
            {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}]},
            {"role": "tool", "tool_call_id": "c1", "content": "done"},
            {"role": "assistant", "content": "There.", "refusal": None, "reasoning_content": "hm"},
        ],
        "tools": [{"type": "function", "function": {"name": "f", "description": "d", "parameters": {"type": "object"}, "strict": True}}],
        "max_completion_tokens": 5,
        "logprobs": True,
    }  # fmt: skip
    read = from_payload(body, "openai-chat")
    assert roles(read) == ["system", "user", "assistant", "tool", "assistant"]
    assert [message.parent_id for message in read.messages] == [None, "m0", "m1", "m2", "m2"]
    assert read.messages[1].extra == {"name": "Ann Lee"}
    assert parts(read, 1) == (
        p.TextPart(text="look"),
        p.ImagePart(media=p.InlineMedia(data="QUJD"), media_type="image/png", detail="low"),
    )
    assert parts(read, 2) == (p.ToolCallPart(call_id="c1", name="f", arguments='{"a": 1}'),)
    assert parts(read, 3) == (p.ToolResultPart(call_id="c1", content=(p.TextPart(text="done"),)),)
    assert parts(read, 4) == (p.ReasoningPart(text="hm"), p.TextPart(text="There."))
    assert read.tools == (
        ToolDefinition(name="f", description="d", parameters={"type": "object"}, strict=True),
    )
    assert (read.model, read.options, read.rest) == ("gpt-x", {"max_tokens": 5}, {"logprobs": True})
    assert [one.code for one in read.diagnostics] == ["unknown_field"]


def test_arguments_in_every_spelling_are_text():
    calls = [
        {"id": str(n), "function": {"name": "f", "arguments": value}}
        for n, value in enumerate(["", None, {"a": 1}, "{bad"])
    ]
    read = from_payload([{"role": "assistant", "tool_calls": calls}], "openai_chat")
    assert [part.arguments for part in parts(read, 0)] == ["", "", '{"a":1}', "{bad"]


def test_old_functions_and_missing_ids_are_bound_by_name_and_order():
    read = from_payload(
        [
            {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
            {"role": "function", "name": "f", "content": "1"},
            {"role": "tool", "content": "lost"},
        ],
        "openai_chat",
    )
    call, result, lost = parts(read, 0)[0], parts(read, 1)[0], parts(read, 2)[0]
    assert call.call_id == result.call_id == "call_1"
    assert lost.call_id != call.call_id
    assert [one.code for one in read.diagnostics] == ["result_without_call"]


def test_unknown_roles_parts_and_our_own_field_names_are_kept():
    raw = {"type": "hologram", "beam": 1}
    read = from_payload(
        [{"role": "ghost", "content": [raw], "id": "theirs", "x": None, "y": 1}], "openai_chat"
    )
    [message] = read.messages
    assert message.parts == (p.UnknownPart(raw=raw),)
    assert message.extra == {"y": 1, "foreign": {"id": "theirs"}}
    assert [one.code for one in read.diagnostics] == ["unknown_role", "unknown_part"]


def test_anthropic_turns_with_results_are_taken_apart():
    body = {
        "system": [{"type": "text", "text": "be brief", "cache_control": {"type": "ephemeral", "ttl": "1h"}}],
        "messages": [
            {"role": "user", "content": "q"},
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "hm", "signature": "S"},
                    {"type": "redacted_thinking", "data": "D"},
                    {"type": "text", "text": "ok"},
                    {"type": "tool_use", "id": "t1", "name": "f", "input": {"a": 1}},
                    {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "x"}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "t1", "is_error": True, "content": [{"type": "text", "text": "no"}]},
                    {"type": "text", "text": "go on"},
                    {"type": "document", "title": "D", "source": {"type": "text", "media_type": "text/plain", "data": "hi"}},
                ],
            },
        ],
        "tools": [{"name": "f", "input_schema": {"type": "object"}}, {"type": "web_search_20250305", "name": "web_search"}],
        "tool_choice": {"type": "any", "disable_parallel_tool_use": True},
        "max_tokens": 9,
    }  # fmt: skip
    read = from_payload(body, "anthropic")
    assert roles(read) == ["system", "user", "assistant", "tool", "user"]
    assert parts(read, 0) == (p.TextPart(text="be brief", private={"cache": {"ttl": "1h"}}),)
    assert parts(read, 2)[:4] == (
        p.ReasoningPart(text="hm", private={"anthropic": {"signature": "S"}}),
        p.ReasoningPart(redacted=True, private={"anthropic": {"data": "D"}}),
        p.TextPart(text="ok"),
        p.ToolCallPart(call_id="t1", name="f", arguments='{"a":1}'),
    )
    assert parts(read, 2)[4].server_side
    assert parts(read, 3) == (
        p.ToolResultPart(call_id="t1", content=(p.TextPart(text="no"),), is_error=True),
    )
    assert parts(read, 4)[1] == p.FilePart(
        media=p.InlineMedia(data="aGk="), media_type="text/plain", name="D"
    )
    assert [tool.name for tool in read.tools] == ["f"]
    assert read.options == {"max_tokens": 9, "tool_choice": "required", "parallel_tool_calls": False}


def test_responses_items_of_one_reply_are_one_message():
    body = {
        "instructions": "be brief",
        "input": [
            {"role": "user", "content": [{"type": "input_text", "text": "q"}, {"type": "input_image", "image_url": "https://a", "detail": "auto"}]},
            {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "E"},
            {"type": "message", "id": "msg", "role": "assistant", "content": [{"type": "output_text", "text": "ok"}]},
            {"type": "function_call", "id": "fc", "call_id": "c1", "name": "f", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c1", "output": "done"},
            {"type": "item_reference", "id": "x"},
        ],
        "store": False,
    }  # fmt: skip
    read = from_payload(body, "openai_responses")
    assert roles(read) == ["system", "user", "assistant", "tool", "assistant"]
    assert parts(read, 1)[1] == p.ImagePart(media=p.UrlMedia(url="https://a"))
    reasoning, text, call = parts(read, 2)
    assert reasoning.private == {"openai": {"id": "rs", "summary": [], "encrypted_content": "E"}}
    assert (text.private, call.private) == ({"openai": {"id": "msg"}}, {"openai": {"id": "fc"}})
    assert parts(read, 3)[0].content == (p.TextPart(text="done"),)
    assert from_payload({"input": "just text"}, "openai_responses").messages[0].parts == (
        p.TextPart(text="just text"),
    )


def test_gemini_contents_in_both_spellings():
    body = {
        "system_instruction": {"parts": [{"text": "be brief"}]},
        "contents": [
            {"role": "user", "parts": [{"text": "q"}, {"inline_data": {"mime_type": "image/png", "data": "QUJD"}}]},
            {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {"a": 1}}, "thoughtSignature": "S"}, {"function_call": {"name": "g"}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "g", "response": {"error": "no"}}}, {"function_response": {"name": "f", "response": {"x": 1}}}, {"text": "go on"}]},
        ],
        "generationConfig": {"maxOutputTokens": 9, "candidateCount": 1},
        "tools": [{"function_declarations": [{"name": "f", "parameters": {"type": "object"}}]}, {"googleSearch": {}}],
    }  # fmt: skip
    read = from_payload(body, "gemini")
    assert roles(read) == ["system", "user", "assistant", "tool", "tool", "user"]
    assert parts(read, 1)[1] == p.ImagePart(media=p.InlineMedia(data="QUJD"), media_type="image/png")
    first, second = parts(read, 2)
    assert first.private == {"google": {"thoughtSignature": "S"}}
    assert (parts(read, 3)[0].call_id, parts(read, 3)[0].is_error) == (second.call_id, True)
    assert (parts(read, 4)[0].call_id, parts(read, 4)[0].content) == (
        first.call_id,
        (p.TextPart(text='{"x":1}'),),
    )
    assert read.options == {"max_tokens": 9}
    assert read.rest == {"generationConfig": {"candidateCount": 1}}
    assert [tool.name for tool in read.tools] == ["f"]


def test_bedrock_blocks_bytes_and_cache_points():
    body = {
        "modelId": "m",
        "system": [{"text": "be brief"}, {"cachePoint": {"type": "default"}}],
        "messages": [
            {"role": "user", "content": [{"image": {"format": "png", "source": {"bytes": b"ABC"}}}, {"text": "q"}]},
            {"role": "assistant", "content": [{"reasoningContent": {"reasoningText": {"text": "hm", "signature": "S"}}}, {"toolUse": {"toolUseId": "t", "name": "f", "input": {}}}]},
            {"role": "user", "content": [{"toolResult": {"toolUseId": "t", "status": "error", "content": [{"json": {"a": 1}}]}}]},
        ],
        "toolConfig": {"tools": [{"toolSpec": {"name": "f", "inputSchema": {"json": {"type": "object"}}}}], "toolChoice": {"any": {}}},
    }  # fmt: skip
    read = from_payload(body, "bedrock")
    assert parts(read, 0) == (p.TextPart(text="be brief", private={"cache": {}}),)
    assert parts(read, 1)[0] == p.ImagePart(media=p.InlineMedia(data="QUJD"), media_type="image/png")
    assert parts(read, 2)[0].private == {"anthropic": {"signature": "S"}}
    assert parts(read, 3) == (
        p.ToolResultPart(call_id="t", content=(p.TextPart(text='{"a":1}'),), is_error=True),
    )
    assert (read.model, read.options, len(read.tools)) == ("m", {"tool_choice": "required"}, 1)


def test_ollama_results_go_by_name_then_by_order():
    call = {"function": {"name": "f", "arguments": {"a": 1}}}
    body = {
        "messages": [
            {"role": "user", "content": "q", "images": ["QUJD"]},
            {
                "role": "assistant",
                "content": "",
                "thinking": "hm",
                "tool_calls": [call, {"function": {"name": "g"}}],
            },
            {"role": "tool", "tool_name": "g", "content": "2"},
            {"role": "tool", "content": "1"},
        ],
        "options": {"num_predict": 9, "mirostat": 1},
    }
    read = from_payload(body, "ollama")
    assert parts(read, 0) == (p.TextPart(text="q"), p.ImagePart(media=p.InlineMedia(data="QUJD")))
    _, first, second = parts(read, 1)
    assert [parts(read, n)[0].call_id for n in (2, 3)] == [second.call_id, first.call_id]
    assert (read.options, read.rest) == ({"max_tokens": 9}, {"options": {"mirostat": 1}})


def test_mistral_chunks_are_read():
    chunk = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}], "signature": "S"}
    read = from_payload(
        {
            "messages": [{"role": "assistant", "content": [chunk, {"type": "text", "text": "x"}]}],
            "random_seed": 3,
        },
        "mistral",
    )
    assert parts(read, 0) == (
        p.ReasoningPart(text="hm", private={"mistral": {"signature": "S"}}),
        p.TextPart(text="x"),
    )
    assert (read.options, read.rest) == ({"seed": 3}, {})


def test_an_unknown_wire_is_bad_use():
    with pytest.raises(UsageError, match="no wire"):
        from_payload([], "telegraph")


def test_every_kind_of_chat_content():
    chunks = [
        "bare",
        {"type": "refusal", "refusal": "No."},
        {"type": "input_audio", "input_audio": {"data": "QUJD", "format": "mp3"}},
        {"type": "file", "file": {"file_id": "f1", "filename": "a.pdf"}},
        {"type": "file", "file": {"file_data": "data:application/pdf;base64,QUJD"}},
        {"type": "image_url", "image_url": {}},
    ]
    read = from_payload(
        [
            {"role": "user", "content": chunks},
            {"role": "system", "content": {"type": "text", "text": "one"}},
            {"role": "assistant", "content": "x", "refusal": "No.", "audio": {"id": "a1"}, "reasoning_details": [{"type": "reasoning.encrypted"}]},
        ],
        "openai_chat",
    )  # fmt: skip
    text, refusal, audio, uploaded, inline, broken = parts(read, 0)
    assert text == p.TextPart(text="bare")
    assert isinstance(refusal, p.UnknownPart)  # nobody but a model refuses
    assert audio == p.AudioPart(media=p.InlineMedia(data="QUJD"), media_type="audio/mpeg")
    assert uploaded == p.FilePart(media=p.ProviderMedia(family="openai", file_id="f1"), name="a.pdf")
    assert inline == p.FilePart(media=p.InlineMedia(data="QUJD"), media_type="application/pdf")
    assert isinstance(broken, p.UnknownPart)
    assert parts(read, 1) == (p.TextPart(text="one"),)
    thought, said, no, spoken = parts(read, 2)
    assert (thought.redacted, thought.private["openai"]["reasoning_details"]) == (
        True,
        [{"type": "reasoning.encrypted"}],
    )
    assert (said.text, no.text) == ("x", "No.")
    assert spoken == p.AudioPart(media=p.ProviderMedia(family="openai", file_id="a1"))


def test_every_kind_of_responses_content():
    chunks = [
        {"type": "input_image", "file_id": "f1", "detail": "high"},
        {"type": "input_image"},
        {"type": "input_file", "file_data": "data:text/plain;base64,QUJD", "filename": "a.txt"},
        {"type": "input_file", "file_data": "QUJD"},
        {"type": "input_file", "file_url": "https://a/b.pdf"},
        {"type": "input_audio", "input_audio": {"data": "QUJD", "format": "wav"}},
    ]
    body = {
        "input": [
            {"role": "user", "content": chunks},
            {"role": "developer", "content": "be brief"},
            {"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}], "id": "msg"},
            {"type": "custom_tool_call", "call_id": "c", "name": "sh", "input": "ls"},
            {
                "type": "custom_tool_call_output",
                "call_id": "c",
                "output": [{"type": "input_text", "text": "a"}],
            },
        ],
        "reasoning": {"effort": "low"},
        "text": {"format": {"type": "json_schema", "schema": {"type": "object"}}},
        "tools": [{"type": "function", "name": "f", "parameters": {}}, {"type": "web_search"}],
    }
    read = from_payload(body, "openai_responses")
    uploaded, broken, inline, bare, linked, sound = parts(read, 0)
    assert uploaded == p.ImagePart(media=p.ProviderMedia(family="openai", file_id="f1"), detail="high")
    assert isinstance(broken, p.UnknownPart)
    assert inline == p.FilePart(media=p.InlineMedia(data="QUJD"), media_type="text/plain", name="a.txt")
    assert bare == p.FilePart(media=p.InlineMedia(data="QUJD"))
    assert linked == p.FilePart(media=p.UrlMedia(url="https://a/b.pdf"))
    assert sound.media_type == "audio/wav"
    refusal, call = parts(read, 2)
    assert refusal == p.RefusalPart(text="No.", private={"openai": {"id": "msg"}})
    assert (call.arguments, call.private) == ("ls", {"openai": {"type": "custom_tool_call"}})
    assert parts(read, 3)[0].content == (p.TextPart(text="a"),)
    assert read.options == {"reasoning_effort": "low", "response_schema": {"type": "object"}}
    assert [tool.name for tool in read.tools] == ["f"]


def test_every_kind_of_anthropic_content():
    body = {
        "messages": [
            {
                "role": "user",
                "content": [
                    "bare",
                    {"type": "image", "source": {"type": "url", "url": "https://a"}, "cache_control": {"type": "ephemeral"}},
                    {"type": "document", "source": {"type": "file", "file_id": "f"}, "context": "c", "title": "T"},
                    {"type": "image", "source": {"type": "telepathy"}},
                ],
            },
            {"role": "system", "content": "new rule"},
            {"role": "assistant", "content": ["ok", {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QUJD"}}, {"type": "tool_use", "id": "t", "name": "f", "input": {}, "cache_control": {"type": "ephemeral", "ttl": "5m"}}]},
            {"role": "ghost", "content": "boo"},
        ],
        "stop_sequences": ["x"],
        "tool_choice": {"type": "tool", "name": "f"},
    }  # fmt: skip
    read = from_payload(body, "anthropic")
    bare, linked, document, broken = parts(read, 0)
    assert bare == p.TextPart(text="bare")
    assert linked == p.ImagePart(media=p.UrlMedia(url="https://a"), private={"cache": {}})
    assert document.private == {"anthropic": {"context": "c"}}
    assert isinstance(broken, p.UnknownPart)
    assert roles(read) == ["user", "system", "assistant", "user"]
    ok, picture, call = parts(read, 2)
    assert (ok.text, picture.media) == ("ok", p.InlineMedia(data="QUJD"))
    assert call.private == {"cache": {"ttl": "5m"}}
    assert read.options == {"stop": ["x"], "tool_choice": {"name": "f"}}


def test_bedrock_documents_get_their_own_names_back():
    name = "document-0123456789ab"
    document = {"document": {"format": "pdf", "name": name, "source": {"bytes": "QUJD"}}}
    content = [
        {"text": f"[{name} is the file report.pdf.]"},
        document,
        {"text": "something else"},
        document,
        {"text": f"[{name} is the file without a name.]"},
        document,
        {"guardContent": {"text": {"text": "x"}}},
    ]
    body = {
        "messages": [{"role": "user", "content": content}],
        "toolConfig": {"toolChoice": {"tool": {"name": "f"}}},
    }
    read = from_payload(body, "bedrock")
    assert [getattr(part, "name", None) for part in parts(read, 0)] == ["report.pdf", None, name, None, None]
    assert isinstance(parts(read, 0)[-1], p.UnknownPart)
    assert read.options == {"tool_choice": {"name": "f"}}
    auto = from_payload({"toolConfig": {"toolChoice": {"auto": {}}}}, "bedrock")
    assert (auto.options, auto.messages) == ({"tool_choice": "auto"}, ())


def test_gemini_tool_choices_and_bare_system_text():
    def chosen(**calling):
        return from_payload({"toolConfig": {"functionCallingConfig": calling}}, "gemini").options

    assert chosen(mode="ANY", allowedFunctionNames=["f"]) == {"tool_choice": {"name": "f"}}
    assert chosen(mode="ANY") == {"tool_choice": "required"}
    assert chosen(mode="STRANGE") == {}
    read = from_payload(
        {"systemInstruction": "be brief", "contents": [{"role": "user", "parts": [{"hologram": 1}]}]},
        "gemini",
    )
    assert roles(read) == ["system", "user"]
    assert isinstance(parts(read, 1)[0], p.UnknownPart)
