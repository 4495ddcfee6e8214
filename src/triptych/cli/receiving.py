"""A file that was dropped on the page, read and stored while the page goes on: the importer of ``server.app``.

Not here: the upload (``server.routes.imports``) and the command (``importing``), which reads the same way.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from pathlib import Path
from typing import Final

from triptych.chat.session import Chat
from triptych.cli.importing import ImportReport, Tally, read_items
from triptych.errors import UsageError
from triptych.formats.conversation import ImportedConversation
from triptych.formats.plan import ImportPlan
from triptych.formats.registry import find_format
from triptych.formats.saving import save_imported
from triptych.model.diagnostics import Diagnostic
from triptych.model.ids import ProjectId, UserId
from triptych.ports.store import Store
from triptych.server.service import Importer
from triptych.server.shapes import Imported

__all__ = ["page_importer"]

MOST_SKIPPED: Final = 200
Item = ImportedConversation | Diagnostic


def page_importer(chat: Chat) -> Importer:
    """Reads a file as ``triptych import`` does, and stores its conversations through a chat that is in use."""

    async def receive(path: Path, project_id: str) -> Imported:
        tally = Tally()
        async with aclosing(_read_aside(read_items(path))) as items:
            async for item in items:
                tally.take(*await _stored(chat, item, ProjectId(project_id)))
        return _told(tally.report(path.name), list(tally.summaries))

    return receive


async def _stored(chat: Chat, item: Item, project_id: ProjectId) -> tuple[Item, ImportPlan | None]:
    """The item, and the plan that was carried out for it; a refusal takes the place of its conversation."""
    if isinstance(item, Diagnostic):
        return item, None
    carried_out: list[ImportPlan] = []

    async def bring(store: Store, user_id: UserId) -> bool:
        plan = await save_imported(store, item, project_id=project_id, user_id=user_id)
        carried_out.append(plan)
        return plan.action != "nothing"

    try:
        await chat.bring_in(item.conversation.id, bring)
    except UsageError as refusal:
        where = item.conversation.title or item.conversation.id
        return Diagnostic(code="import_refused", message=str(refusal), severity="warning", where=where), None
    return item, carried_out[0]


async def _read_aside(items: Generator[Item]) -> AsyncGenerator[Item]:
    """One item after the other from a thread of their own: readers wait for disks, and SQLite for one thread."""
    loop = asyncio.get_running_loop()
    with ThreadPoolExecutor(1) as aside:
        try:
            while (item := await loop.run_in_executor(aside, next, items, None)) is not None:
                yield item
        finally:
            await asyncio.shield(loop.run_in_executor(aside, items.close))


def _told(report: ImportReport, names: list[str]) -> Imported:
    line = report.line
    return Imported(
        format=line["format"],
        title=find_format(line["format"]).title if line["format"] is not None else "",
        conversations=line["conversations"],
        messages=line["messages"],
        branches=line["branch_points"],
        hidden=line["hidden"],
        created=report.actions.get("create", 0),
        extended=report.actions.get("extend", 0),
        added=report.added,
        conversation_id=names[0] if len(names) == 1 else None,
        warnings=report.counts,
        skipped=report.skipped[:MOST_SKIPPED],
    )
