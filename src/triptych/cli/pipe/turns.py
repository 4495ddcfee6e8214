"""``turns``: a scripted conversation over notes, and the requests that it would have sent.

``{"name", "system", "notes": {path: text}, "turns": [{"put", "attach", "question", "reply"}], "window"?,
"layout"?}`` → ``{"requests": [[{"role", "content"}…]…], "forecast": [{"totalBytes", "reusedBytes",
"firstDifference"}…]}``. The real session is driven, over a store in memory and a scripted model; ``layout`` is
``append`` (the default) or ``library``. A note that is put as null is deleted.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import msgspec

from triptych.chat.session import Chat
from triptych.context.envelope.forecast import Forecast, explained, forecast
from triptych.context.envelope.held import checked_layout
from triptych.context.tokens.counter import TokenCounter
from triptych.errors import UsageError
from triptych.model.envelope import Envelope
from triptych.model.messages import Message, message_text, role_of
from triptych.model.references import NoteReference
from triptych.stores.memory import MemoryStore
from triptych.testing.clock import StepClock
from triptych.testing.notes import MemoryVault
from triptych.testing.scripted import SCRIPTED, ScriptedProvider

__all__ = ["handle"]

_WINDOW = 1_000_000


def handle(request: dict[str, Any]) -> dict[str, Any]:
    """Drive the scenario; the requests as the scripted model got them, before any wire."""
    requests, envelopes = asyncio.run(_driven(request))
    pairs = zip([(), *requests], requests, [None, *envelopes], envelopes, strict=False)
    forecasts = [explained(forecast(before, after), one, other) for before, after, one, other in pairs]
    return {
        "requests": [[_shown(message) for message in one] for one in requests],
        "forecast": [_as_json(one) for one in forecasts],
    }


async def _driven(request: dict[str, Any]) -> tuple[list[tuple[Message, ...]], list[Envelope]]:
    turns = _turns(request.get("turns"))
    vault = MemoryVault()
    _put(vault.files, request.get("notes"))
    profile = msgspec.structs.replace(SCRIPTED, window=_window(request.get("window")), max_output=4_096)
    provider = ScriptedProvider([_text(turn.get("reply")) for turn in turns], profile=profile)
    chat = Chat(
        store=MemoryStore(),
        clock=StepClock(),
        open_provider=lambda name: (provider, name),
        model="scripted",
        vault=vault,
        counter=TokenCounter(_count),
        system=_text(request.get("system")),
        layout=checked_layout(str(request.get("layout") or "append")),
    )
    envelopes: list[Envelope] = []
    conversation = await chat.create()
    for turn in turns:
        _put(vault.files, turn.get("put"))
        references = [NoteReference(path=path) for path in _paths(turn.get("attach"))]
        sent = await chat.send(conversation.id, _text(turn.get("question")), references)
        envelopes += (await chat.open(conversation.id)).envelopes(sent.user_id)
        await chat.finished(conversation.id)
    await chat.close()
    return [one.messages for one in provider.requests], envelopes


def _turns(value: Any) -> list[Mapping[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(turn, Mapping) for turn in value):
        raise UsageError("A scenario needs a list of turns, each an object.")
    return value


def _window(value: Any) -> int:
    if value is None or value == 0:
        return _WINDOW
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise UsageError(f"The window is a number of tokens, not {value!r}.")
    return int(value)


def _put(files: dict[str, str], value: Any) -> None:
    for path, text in value.items() if isinstance(value, Mapping) else ():
        if text is None:
            files.pop(str(path), None)
        else:
            files[str(path)] = _text(text)


def _paths(value: Any) -> list[str]:
    return [str(path) for path in ([value] if isinstance(value, str) else value or ())]


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def _count(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass")) // 4 + 1


def _shown(message: Message) -> dict[str, str]:
    return {"role": role_of(message), "content": message_text(message)}


def _as_json(one: Forecast) -> dict[str, Any]:
    return msgspec.to_builtins(one) | {"firstDifference": msgspec.to_builtins(one.first_difference)}
