"""Twenty-nine histories, most of them broken in one way, as OpenAI-like messages. Inputs are made up."""

from __future__ import annotations

from typing import Any

PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def user(text: str, **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": text, **more}


def assistant(text: str, *calls: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": text, **({"tool_calls": list(calls)} if calls else {})}


def call(name: str, arguments: str = '{"q": "x"}', tool: str = "lookup") -> dict[str, Any]:
    return {"id": name, "type": "function", "function": {"name": tool, "arguments": arguments}}


def tool(name: str, text: Any = "ok") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": name, "content": text}


def system(text: str) -> dict[str, Any]:
    return {"role": "system", "content": text}


def asked(*rest: dict[str, Any]) -> list[dict[str, Any]]:
    return [user("first question"), *rest, user("last question")]


SHOT = [
    {"type": "text", "text": "shot"},
    {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PICTURE}"}},
]
HISTORIES: dict[str, list[dict[str, Any]]] = {
    "valid": asked(assistant("", call("call_1")), tool("call_1"), assistant("done")),
    "dangling_call_mid": asked(assistant("", call("call_1"))),
    "dangling_one_of_two": asked(assistant("", call("call_1"), call("call_2")), tool("call_1")),
    "user_between_call_and_result": asked(assistant("", call("call_1")), user("hurry"), tool("call_1")),
    "orphan_tool_head": [tool("call_9"), user("last question")],
    "orphan_tool_mid": asked(assistant("partial"), tool("call_9")),
    "dup_result": asked(assistant("", call("call_1")), tool("call_1", "RES_A"), tool("call_1", "RES_B")),
    "dup_ids_same_turn": asked(
        assistant("", call("call_1"), call("call_1", '{"q": "y"}')),
        tool("call_1", "R1"),
        tool("call_1", "R2"),
    ),
    "dup_ids_across_turns": asked(
        assistant("", call("call_0")),
        tool("call_0", "FIRST"),
        assistant("", call("call_0")),
        tool("call_0", "SECOND"),
    ),
    "ids_illegal": asked(
        assistant("", call("f.lookup:0"), call("f.lookup|0")),
        tool("f.lookup:0", "A"),
        tool("f.lookup|0", "B"),
    ),
    "id_too_long": asked(assistant("", call("p" * 80)), tool("p" * 80)),
    "bad_args": asked(assistant("", call("call_1", '{"q": ')), tool("call_1")),
    "args_not_object": asked(assistant("", call("call_1", "[1, 2]")), tool("call_1")),
    "args_empty": asked(assistant("", call("call_1", "")), tool("call_1")),
    "name_illegal": asked(assistant("", call("call_1", tool="invalid tool")), tool("call_1")),
    "empty_assistant": asked(assistant("")),
    "ws_assistant": asked(assistant("\n\n")),
    "empty_user": [
        user("first question"),
        assistant("yes"),
        user(""),
        assistant("hm"),
        user("last question"),
    ],
    "trailing_ws_prefill": [user("last question"), assistant("Title: ")],
    "assistant_first": [assistant("hello, I am here"), user("last question")],
    "two_users": [user("first question"), user("last question")],
    "two_assistants": asked(assistant("one"), assistant("two")),
    "system_mid": [system("be brief"), *asked(assistant("yes"), system("answer only BLUE"))],
    "system_only": [system("be brief")],
    "ends_assistant": [user("last question"), assistant("an answer")],
    "surrogate": asked(assistant("ok \ud83d")),
    "nul": asked(assistant("the \x00 weather")),
    "msg_name_space": [user("last question", name="Ann Smith <x>")],
    "image_in_tool": asked(assistant("", call("call_1", tool="shot")), tool("call_1", SHOT)),
}
