"""The work of ``triptych import``: each path read as one source, summed up, and stored conversation by conversation.

Not here: the command's options (``commands.import_``), reading (``formats``) and the changes (``formats.plan``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncGenerator, Callable, Generator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

from triptych.bootstrap.settings import Settings
from triptych.formats.conversation import ImportedConversation
from triptych.formats.plan import ImportPlan
from triptych.formats.read import stream
from triptych.formats.source import open_source
from triptych.formats.summary import ConversationSummary, summarize, summarize_conversation
from triptych.model.diagnostics import Diagnostic

__all__ = ["ImportReport", "Progress", "Tally", "import_paths", "read_items"]

Progress = Callable[[str, int, int], None]
"""Told the path, and how many conversations and messages were read of it so far."""


class ImportReport(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one path.

    Attributes:
        line: the summary, as ``--json`` prints it.
        counts: findings by code.
        skipped: what was left out, with the reason.
        actions: how many conversations were created, extended, or had nothing new.
        added: how many messages are new in the store.
    """

    line: dict[str, Any]
    counts: dict[str, int]
    skipped: tuple[tuple[str, str], ...]
    actions: dict[str, int]
    added: int


Save = Callable[[ImportedConversation], Any]


async def import_paths(
    paths: list[Path],
    settings: Settings,
    *,
    project: str,
    dry_run: bool,
    format_name: str | None = None,
    progress: Progress = lambda _path, _conversations, _messages: None,
) -> AsyncGenerator[ImportReport]:
    """Import one path after the other; a dry run opens no database."""
    async with AsyncExitStack() as stack:
        save = None if dry_run else await stack.enter_async_context(_saving(settings, project))
        for path in paths:
            tally = Tally()
            for item in read_items(path, format_name):
                plan = None
                if isinstance(item, ImportedConversation) and save is not None:
                    plan = await save(item)
                tally.take(item, plan)
                progress(str(path), len(tally.summaries), tally.messages)
            yield tally.report(str(path))


def read_items(path: Path, format_name: str | None = None) -> Generator[ImportedConversation | Diagnostic]:
    """What a path holds; one that cannot be opened is a finding like any other."""
    try:
        bundle = open_source(path)
    except OSError as problem:
        sentence = f"Cannot be opened: {problem.strerror}."
        yield Diagnostic(code="unreadable", message=sentence, severity="error", where=str(path))
        return
    yield from stream(bundle, format_name=format_name)


@asynccontextmanager
async def _saving(settings: Settings, project: str) -> AsyncGenerator[Save]:
    from triptych.bootstrap.wiring import open_store
    from triptych.formats.saving import save_imported
    from triptych.model.ids import ProjectId

    async with open_store(settings) as store:

        async def save(imported: ImportedConversation) -> ImportPlan:
            return await save_imported(store, imported, project_id=ProjectId(project))

        yield save


class Tally:
    """What was read of one path so far; it keeps numbers, not conversations."""

    def __init__(self) -> None:
        self.summaries: dict[str, ConversationSummary] = {}
        self.format: str | None = None
        self.found: list[Diagnostic] = []
        self.counts: Counter[str] = Counter()
        self.actions: Counter[str] = Counter()
        self.messages = 0
        self.added = 0

    def take(self, item: ImportedConversation | Diagnostic, plan: ImportPlan | None) -> None:
        """Count one conversation or finding."""
        if isinstance(item, Diagnostic):
            self.found.append(item)
            self.counts[item.code] += 1
            return
        self.format = self.format or item.source.format
        self.counts.update(one.code for one in item.diagnostics)
        self.summaries[item.conversation.id] = summarize_conversation(item)
        self.messages += len(item.messages)
        if plan is not None:
            self.actions[plan.action] += 1
            self.added += len(plan.added)

    def report(self, path: str) -> ImportReport:
        """The end of it."""
        return ImportReport(
            line=summarize(path, self.format, list(self.summaries.values()), self.found),
            counts=dict(sorted(self.counts.items())),
            skipped=tuple(self._skipped()),
            actions=dict(self.actions),
            added=self.added,
        )

    def _skipped(self) -> Iterator[tuple[str, str]]:
        for one in self.found:
            if one.severity != "info":
                yield one.where or "", one.message
