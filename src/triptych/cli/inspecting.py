"""An inspection as tables."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from triptych.bootstrap.settings import Settings
from triptych.bootstrap.wiring import open_chat
from triptych.chat.inspection import Inspection
from triptych.model.ids import ConversationId, MessageId

__all__ = ["inspected", "printed"]

_BAR = 24


async def inspected(settings: Settings, conversation: str, message: str | None) -> Inspection:
    """The inspection of a stored turn."""
    async with open_chat(settings) as chat:
        return await chat.inspect(ConversationId(conversation), MessageId(message) if message else None)


def printed(found: Inspection, *, with_text: bool = False) -> None:
    """Write the tables to stdout."""
    console = Console()
    console.print(_layers(found))
    console.print(_forecast(found), highlight=False)
    for repair in found.report:
        console.print(f"repair  {repair.get('rule')}: {repair.get('sentence')}", highlight=False)
    for told in found.diagnostics:
        console.print(f"told    {told.message}", highlight=False, markup=False)
    if with_text:
        for layer in found.layers:
            if layer.text:
                console.rule(layer.name)
                console.print(layer.text, markup=False, highlight=False)


def _layers(found: Inspection) -> Table:
    table = Table("layer", "source", "form", "tokens", "of the window", box=None)
    for layer in found.layers:
        if not layer.tokens:
            continue
        table.add_row(layer.name, "", "", str(layer.tokens), _bar(layer.share))
        if layer.name != "user" and (layer.name != "system" or len(layer.segments) > 1):
            for one in layer.segments:
                table.add_row("", one.key, one.form, str(one.tokens), _bar(one.share))
        if layer.name == "turn" and found.history:
            table.add_row("history", "", "", str(found.history), "")
    return table


def _bar(share: float) -> str:
    return "█" * round(share * _BAR) or ("▏" if share else "")


def _forecast(found: Inspection) -> str:
    seen = found.seen
    window = f" of {found.window} (reserve {found.reserve})" if found.window else ""
    lines = [f"request  {found.tokens} tokens{window}, {seen.total_bytes} bytes"]
    share = seen.reused_bytes / seen.total_bytes if seen.total_bytes else 0.0
    lines.append(f"cache    {seen.reused_bytes} bytes ({share:.0%}) are a prefix of the request before it")
    if seen.first_difference is not None:
        broke = seen.first_difference
        lines.append(f"         broken at message {broke.message} ({broke.layer}): {broke.cause}")
    if found.cost.dollars is not None:
        lines.append(f"price    about ${found.cost.dollars:.6f} for the input")
    return "\n".join(lines)
