"""``triptych pipe context``: the context engine for other languages, and for recorded vectors.

A request is ``{"step", "method"?, "config"?, "setup"?, "input": {"messages", "metadata"} | {"args"}, "clock"?,
"tz"?, "env"?}``; the answer is ``{"messages", "metadata"}`` or ``{"result"}``. ``step`` is one of our steps' names
in the original's spelling (``docs/reference/steps.md`` maps them), a ``fn_…`` function, a ``_primitive_…`` rule, or
``MessagesEngine`` for the whole preset. The value of the clock is written as ``$now``.
"""

from __future__ import annotations

from typing import Any

from triptych.errors import PipelineError, UsageError

__all__ = ["handle"]

_NOW = "$now"
_SHOWN = 300


def handle(request: dict[str, Any]) -> Any:
    """Run one step, function or pipeline."""
    from triptych.context.original.encoding import decode, encode
    from triptych.context.original.steps import PRIMITIVES, STEPS

    step = str(request.get("step"))
    given = decode(request.get("input") or {})
    try:
        if step == "MessagesEngine":
            return encode(_engine(request, given))
        if step in STEPS or step in PRIMITIVES:
            return encode(_step(step, request, given))
    except PipelineError as problem:
        return {"error": _as_original(step, problem)}
    return {"result": encode(_call(step, request, given))}


def _as_original(step: str, problem: PipelineError) -> dict[str, str]:
    """An error as the original puts it: a step's own, or the pipeline's around it."""
    own = f"[{problem.processor}] Processing failed: {problem.cause}"
    if step != "MessagesEngine":
        return {"name": "ProcessorError", "message": own}
    shown = own if len(own) <= _SHOWN else f"{own[:_SHOWN]}…"
    return {"name": "PipelineError", "message": f"Processor [{problem.processor}] execution failed: {shown}"}


def _step(step: str, request: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    from triptych.context.original.engine import run_step

    config = _with_environment(_config(request), request)
    draft, counters = run_step(_draft(request, given), step, config, given.get("metadata") or {})
    answer = {**given, "messages": list(draft.rows), "metadata": counters}
    return answer if counters or "metadata" in given else {**given, "messages": list(draft.rows)}


def _engine(request: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    from triptych.context.original.engine import run_original

    config = _with_environment(_config(request), request)
    params = {**config, "messages": given.get("messages")}
    draft, counters, names = run_original(_draft(request, given), params)
    ran = {"processedCount": len(names), "processors": list(dict.fromkeys(names))}
    return {"messages": list(draft.rows), "metadata": counters, **ran}


def _call(step: str, request: dict[str, Any], given: dict[str, Any]) -> Any:
    from triptych.context.original.encoding import decode, milliseconds
    from triptych.context.original.functions import call_original, knows

    if not knows(step):
        raise UsageError(f"There is no step {step!r}; docs/reference/steps.md lists what can be asked.")
    environment = request.get("env") or {}
    return call_original(
        step,
        {
            "args": given.get("args"),
            "clock": milliseconds(request.get("clock")),
            "config": _config(request),
            "length": environment.get("tool_name_max_length"),
            "method": request.get("method"),
            "setup": decode(request.get("setup")),
        },
    )


def _config(request: dict[str, Any]) -> Any:
    from triptych.context.original.encoding import decode

    config = decode(request.get("config"))
    if isinstance(config, dict) and "$args" in config:
        return config["$args"][0] if config["$args"] else None
    return config


def _draft(request: dict[str, Any], given: dict[str, Any]) -> Any:
    from triptych.context.draft import draft_of
    from triptych.context.original.encoding import milliseconds

    return draft_of(given.get("messages") or [], clock=milliseconds(request.get("clock")), stamp=_NOW)


def _with_environment(config: Any, request: dict[str, Any]) -> dict[str, Any]:
    """The configuration with recorded calls to the outside: images that were fetched and inlined."""
    from triptych.context.original.encoding import decode

    recorded = (request.get("env") or {}).get("calls") or []
    known = {
        call["args"][0]: decode(call.get("returns"))
        for call in recorded
        if call.get("args") and isinstance(call["args"][0], str)
    }
    fetched = {url: value for url, value in known.items() if isinstance(value, str)}
    inlined = {
        url: f"data:image/png;base64,{value}" if "," not in value else value for url, value in fetched.items()
    }

    def inline(url: str) -> str:
        return inlined.get(url, url)

    return {**(config if isinstance(config, dict) else {}), "inline": inline}
