# ruff: noqa: SLF001 # the peers keep their converters to themselves
"""Compile prompts into request bodies beside langchain, pydantic-ai and litellm in one run.

1. Time: 1,000 messages to each wire. The peers convert; ours also repairs and lints.
2. Validity: 29 histories, most of them broken, to each target; judged by our linter and by what a person said.

Run: python benchmarks/payload.py [--json] [--markdown]. A peer that is not installed is left out.
"""

from __future__ import annotations

import asyncio
import contextlib
import copy
import gc
import importlib.metadata
import io
import json
import logging
import os
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

from matrix import HISTORIES

from triptych import wires
from triptych.cli.prompt_input import read_prompt
from triptych.errors import UsageError
from triptych.model.messages import AssistantMessage, Message, UserMessage
from triptych.model.parts import TextPart

Peer = Callable[[list[dict[str, Any]]], Any]
COUNT = 1_000
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")


def conversation(count: int = COUNT) -> list[dict[str, Any]]:
    """A plain conversation with tool calls: a quarter each of questions, calls, results and answers."""
    rows: list[dict[str, Any]] = [{"role": "system", "content": "You are a helpful assistant. " * 20}]
    turn = 0
    while len(rows) < count - 1:
        function = {"name": "search", "arguments": f'{{"query": "thing {turn}"}}'}
        rows += [
            {"role": "user", "content": f"question {turn} about some ordinary thing in some words"},
            {
                "role": "assistant",
                "content": f"let me look for it {turn}",
                "tool_calls": [{"id": f"call_{turn}", "type": "function", "function": function}],
            },
            {
                "role": "tool",
                "tool_call_id": f"call_{turn}",
                "name": "search",
                "content": f"result {turn} " * 10,
            },
            {"role": "assistant", "content": f"the answer {turn} is forty-two and more words follow " * 3},
        ]
        turn += 1
    return [*rows[: count - 1], {"role": "user", "content": "one more question"}]


def langchain_peers() -> dict[str, Callable[[list[dict[str, Any]]], tuple[Any, Peer]]]:
    """How langchain converts its own messages, by target."""
    from langchain_core.messages import convert_to_messages, convert_to_openai_messages

    peers: dict[str, Any] = {"openai_chat": (convert_to_messages, convert_to_openai_messages)}
    with contextlib.suppress(ImportError):
        from langchain_openai.chat_models.base import _construct_responses_api_input

        peers["openai_responses"] = (convert_to_messages, _construct_responses_api_input)
    with contextlib.suppress(ImportError):
        from langchain_anthropic.chat_models import _format_messages

        peers["anthropic"] = (
            convert_to_messages,
            lambda held: _format_messages(held, model="claude-sonnet-4-5")[1],
        )
    with contextlib.suppress(ImportError):
        from langchain_google_genai.chat_models import _parse_chat_history

        peers["gemini"] = (convert_to_messages, lambda held: _parse_chat_history(held)[1])
    return peers


def pydantic_peers() -> dict[str, Any]:
    """How pydantic-ai converts its own messages, by target."""
    from pydantic_ai.models import ModelRequestParameters

    nothing = ModelRequestParameters()
    peers: dict[str, Any] = {}

    def run(work: Callable[[Any], Any]) -> Callable[[Any], Any]:
        loop = asyncio.new_event_loop()
        return lambda held: loop.run_until_complete(work(held))

    with contextlib.suppress(ImportError):
        from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
        from pydantic_ai.providers.openai import OpenAIProvider

        there = OpenAIProvider(api_key="none")
        chat, answers = (
            OpenAIChatModel("gpt-4o", provider=there),
            OpenAIResponsesModel("gpt-4o", provider=there),
        )
        peers["openai_chat"] = (to_pydantic, run(lambda held: chat._map_messages(held, nothing)))
        peers["openai_responses"] = (
            to_pydantic,
            run(lambda held: answers._map_messages(held, answers.settings or {}, nothing)),
        )
    with contextlib.suppress(ImportError):
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        claude = AnthropicModel("claude-sonnet-4-5", provider=AnthropicProvider(api_key="none"))
        peers["anthropic"] = (to_pydantic, run(lambda held: claude._map_message(held, nothing, {})))
    with contextlib.suppress(ImportError):
        from pydantic_ai.models.google import GoogleModel
        from pydantic_ai.providers.google import GoogleProvider

        gemini = GoogleModel("gemini-2.5-flash", provider=GoogleProvider(api_key="none"))
        peers["gemini"] = (to_pydantic, run(lambda held: gemini._map_messages(held, nothing)))
    return peers


def to_pydantic(rows: list[dict[str, Any]]) -> list[Any]:
    """The rows as pydantic-ai's own messages."""
    from pydantic_ai import messages as words

    held: list[Any] = []
    names: dict[str, str] = {}
    for row in rows:
        text = row.get("content")
        if row["role"] == "assistant":
            calls = [
                words.ToolCallPart(
                    tool_name=one["function"]["name"],
                    args=one["function"]["arguments"],
                    tool_call_id=one["id"],
                )
                for one in row.get("tool_calls", ())
            ]
            names |= {one.tool_call_id: one.tool_name for one in calls}
            said = [words.TextPart(content=text)] if text or not calls else []
            held.append(words.ModelResponse(parts=[*said, *calls]))
            continue
        if row["role"] == "tool":
            name = names.get(row["tool_call_id"], "lookup")
            part: Any = words.ToolReturnPart(tool_name=name, content=text, tool_call_id=row["tool_call_id"])
        elif row["role"] == "system":
            part = words.SystemPromptPart(content=text)
        else:
            part = words.UserPromptPart(content=text)
        if held and isinstance(held[-1], words.ModelRequest):
            held[-1] = words.ModelRequest(parts=[*held[-1].parts, part])
        else:
            held.append(words.ModelRequest(parts=[part]))
    return held


def litellm_peers() -> dict[str, Any]:
    """How litellm converts OpenAI messages, by target. It changes what it is given, so it gets copies."""
    import litellm
    from litellm.litellm_core_utils.prompt_templates import factory

    litellm.suppress_debug_info = True
    logging.getLogger("LiteLLM").setLevel(logging.CRITICAL)
    peers: dict[str, Any] = {}

    def chat(rows: list[dict[str, Any]]) -> Any:
        from litellm.llms.openai.chat.gpt_transformation import OpenAIGPTConfig

        return OpenAIGPTConfig().transform_request("gpt-4o", rows, {}, {}, {})["messages"]

    def gemini(rows: list[dict[str, Any]]) -> Any:
        from litellm.llms.vertex_ai.gemini.transformation import _gemini_convert_messages_with_history

        return _gemini_convert_messages_with_history(messages=rows, model="gemini-2.5-flash")

    peers["openai_chat"] = (copy.deepcopy, chat)
    peers["anthropic"] = (
        copy.deepcopy,
        lambda rows: factory.anthropic_messages_pt(
            [row for row in rows if row["role"] != "system"], "claude-sonnet-4-5", "anthropic"
        ),
    )
    peers["gemini"] = (lambda rows: copy.deepcopy([row for row in rows if row["role"] != "system"]), gemini)
    peers["bedrock"] = (
        lambda rows: copy.deepcopy([row for row in rows if row["role"] != "system"]),
        lambda rows: factory._bedrock_converse_messages_pt(rows, "anthropic.claude-sonnet-4-5", "bedrock"),
    )

    def mistral(rows: list[dict[str, Any]]) -> Any:
        from litellm.llms.mistral.chat.transformation import MistralConfig

        return MistralConfig()._transform_messages(rows, "mistral-large-latest", is_async=False)

    def ollama(rows: list[dict[str, Any]]) -> Any:
        from litellm.llms.ollama.chat.transformation import OllamaChatConfig

        return OllamaChatConfig().transform_request("llama3", rows, {}, {}, {})["messages"]

    peers["mistral"] = (copy.deepcopy, mistral)
    peers["ollama"] = (copy.deepcopy, ollama)
    return peers


def all_peers() -> dict[str, dict[str, Any]]:
    """Every peer that is installed."""
    found: dict[str, dict[str, Any]] = {}
    for name, make in (
        ("langchain", langchain_peers),
        ("pydantic-ai", pydantic_peers),
        ("litellm", litellm_peers),
    ):
        try:
            found[name] = make()
        except ImportError as problem:
            print(f"{name} is left out: {problem}", file=sys.stderr)
    return found


def best(work: Callable[[], Any], prepare: Callable[[], Any] | None = None, repeats: int = 7) -> float:
    """The shortest time of some runs, in milliseconds; processor time, and as in ``timeit`` no garbage collector."""
    times = []
    gc.collect()
    gc.disable()
    for _ in range(repeats):
        held = prepare() if prepare else None
        start = time.process_time()
        work() if prepare is None else work(held)  # type: ignore[call-arg]
        times.append(time.process_time() - start)
    gc.enable()
    return min(times) * 1000


def timings(peers: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Milliseconds for 1,000 messages to each wire, for each program."""
    rows = conversation()
    ours, _ = read_prompt(rows)
    table = []
    for wire in wires.WIRES:
        line: dict[str, Any] = {"wire": wire, "ours": best(lambda wire=wire: wires.compile(ours, wire))}
        line["ours_warm"] = warm(ours, wire)
        for name, targets in peers.items():
            if wire in targets:
                prepare, work = targets[wire]
                line[name] = best(work, lambda prepare=prepare: prepare(rows))
        others = [line[name] for name in peers if name in line]
        line["ratio"] = line["ours"] / min(others) if others else None
        table.append(line)
    return table


def warm(messages: list[Message], wire: str) -> float:
    """Milliseconds for the request after one more turn, with what the last request left."""
    more: list[Message] = [
        AssistantMessage(id="more-1", parts=(TextPart(text="an answer"),)),
        UserMessage(id="more-2", parts=(TextPart(text="and another question"),)),
    ]
    times = []
    for _ in range(7):
        cache = wires.CompileCache()
        wires.compile(messages, wire, cache=cache)
        start = time.process_time()
        wires.compile([*messages, *more], wire, cache=cache)
        times.append(time.process_time() - start)
    return min(times) * 1000


def words_of(rows: list[dict[str, Any]]) -> list[str]:
    return [row["content"] for row in rows if row["role"] == "user" and row["content"].strip()]


def judged(body: dict[str, Any], wire: str, rows: list[dict[str, Any]]) -> str:
    """``ok``, or the rules that the body breaks and the words that it lost."""
    text = json.dumps(plain(body), ensure_ascii=False)
    broken = {one.rule for one in wires.lint(plain(body), wire=wire)} - SOFT
    broken |= {f"LOST:{words}" for words in words_of(rows) if words not in text}
    return "ok" if not broken else "**" + ", ".join(sorted(broken)) + "**"


SOFT = {"tool.missing", "option.max-tokens", "turn.alternation"}
"""Not counted against a peer: what stands outside the message list, and neighbours that the API merges."""


def plain(value: Any) -> Any:
    """Any client object as plain JSON values, in camelCase where Google's types give snake_case."""
    if hasattr(value, "model_dump"):
        return json.loads(value.model_dump_json(by_alias=True, exclude_none=True))
    if isinstance(value, dict):
        return {CAMEL.get(key, key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


CAMEL = {
    "function_call": "functionCall",
    "function_response": "functionResponse",
    "inline_data": "inlineData",
}


def bodied(result: Any, wire: str) -> dict[str, Any]:
    """A peer's converted messages as a body."""
    items = result[1] if isinstance(result, tuple) else result
    name = {"gemini": "contents", "openai_responses": "input"}.get(wire, "messages")
    body = {name: [plain(item) for item in items]}
    if wire == "openai_chat":
        for item in body[name]:
            if item.get("content") is None and not item.get("tool_calls"):
                item["content"] = ""
    return body


def matrix(peers: dict[str, dict[str, Any]]) -> list[dict[str, str]]:
    """What becomes of each history, at each target."""
    table = []
    for name, rows in HISTORIES.items():
        line = {"history": name}
        for peer, targets in peers.items():
            for wire, (prepare, work) in targets.items():
                try:
                    with contextlib.redirect_stdout(io.StringIO()):
                        verdict = judged(bodied(work(prepare(copy.deepcopy(rows))), wire), wire, rows)
                except Exception as problem:  # noqa: BLE001 # whatever a peer raises is its verdict
                    verdict = f"raises {type(problem).__name__}"
                line[f"{peer}→{wire}"] = verdict
        messages, _ = read_prompt(rows)
        for wire in wires.WIRES:
            try:
                payload = wires.compile(messages, wire)
            except UsageError as problem:
                line[f"ours→{wire}"] = f"refused: {str(problem).split(':')[0].lower()}"
            else:
                line[f"ours→{wire}"] = judged(payload.body, wire, rows)
        table.append(line)
    return table


def totals(table: list[dict[str, str]]) -> list[tuple[str, int, int, int]]:
    """Valid, invalid and refused or raised, for each target."""
    names = [name for name in table[0] if name != "history"]
    counted = []
    for name in names:
        said = [line[name] for line in table]
        valid, invalid = said.count("ok"), sum(one.startswith("**") for one in said)
        counted.append((name, valid, invalid, len(said) - valid - invalid))
    return counted


def versions() -> str:
    names = (
        "triptych",
        "langchain-core",
        "langchain-openai",
        "langchain-anthropic",
        "langchain-google-genai",
        "pydantic-ai-slim",
        "litellm",
    )
    found = []
    for name in names:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found.append(f"{name} {importlib.metadata.version(name)}")
    return ", ".join(found)


def show(times: list[dict[str, Any]], table: list[dict[str, str]], names: list[str]) -> None:
    print(f"Versions: {versions()}\n\nMilliseconds for {COUNT} messages (ours also repairs and lints)\n")
    print(
        f"{'wire':18}{'ours':>9}{'ours warm':>11}"
        + "".join(f"{name:>13}" for name in names)
        + f"{'ours/fastest':>14}"
    )
    for line in times:
        cells = "".join(f"{line[name]:13.2f}" if name in line else f"{'-':>13}" for name in names)
        ratio = f"{line['ratio']:14.2f}" if line["ratio"] else f"{'-':>14}"
        print(f"{line['wire']:18}{line['ours']:9.2f}{line['ours_warm']:11.3f}{cells}{ratio}")
    print("\nTwenty-nine histories: valid, invalid, refused or raised\n")
    for name, valid, invalid, other in totals(table):
        print(f"{name:34}{valid:4}{invalid:4}{other:4}")
    if "--markdown" in sys.argv:
        columns = list(table[0])
        print("\n| " + " | ".join(columns) + " |\n|" + "---|" * len(columns))
        for line in table:
            print("| " + " | ".join(line[name] for name in columns) + " |")


def main() -> None:
    warnings.simplefilter("ignore")
    peers = all_peers()
    times, table = timings(peers), matrix(peers)
    if "--json" in sys.argv:
        print(json.dumps({"versions": versions(), "times": times, "totals": totals(table)}))
    else:
        show(times, table, list(peers))


if __name__ == "__main__":
    main()
