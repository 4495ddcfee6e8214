"""The conversation in the terminal: a prompt with ``@note`` completion, replies as Markdown while they stream.

Ctrl-C stops the reply and not the program; at the prompt it clears the line; Ctrl-D leaves. Lines that begin with a
slash are commands (``/help``).
"""

from __future__ import annotations

import asyncio
import re
import signal
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from rich.console import Console
from rich.live import Live
from rich.markdown import Markdown

from triptych.bootstrap.settings import Settings
from triptych.bootstrap.wiring import open_chat
from triptych.chat.seat import Seat
from triptych.chat.session import Chat, Turn
from triptych.cli.options import existing_project
from triptych.errors import TriptychError
from triptych.model.ids import ConversationId, ProjectId
from triptych.model.messages import AssistantMessage, Message, UserMessage, message_text
from triptych.model.parts import SourcePart
from triptych.model.references import NoteReference, SearchReference
from triptych.model.status import Incomplete
from triptych.ports.vault import NoteInfo

__all__ = ["NoteCompleter", "mentioned_notes", "talk"]

HELP = (
    "@note attaches a note · /find QUESTION looks through all notes · /again answers once more · /edit TEXT says the last question otherwise · "
    "/left /right go through the branches · /title TEXT · /quit"
)
_MENTION = re.compile(r"@(?:\"([^\"]+)\"|(\S+))")


def mentioned_notes(text: str, notes: Iterable[NoteInfo]) -> tuple[str, list[NoteReference]]:
    """The text without its ``@note`` marks, and the notes that they name (by path, or by title)."""
    names = {
        name: note.path for note in notes for name in (note.title, note.path.removesuffix(".md"), note.path)
    }
    found: list[NoteReference] = []

    def take(match: re.Match[str]) -> str:
        path = names.get(match[1] or match[2])
        if path is None:
            return match[0]
        found.append(NoteReference(path=path))
        return ""

    words = _MENTION.sub(take, text)
    return (" ".join(words.split(" ")).strip(), found) if found else (text, [])


class NoteCompleter(Completer):
    """Completes ``@`` with the paths of the notes."""

    def __init__(self, notes: Sequence[NoteInfo]) -> None:
        self._notes = notes

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:
        """Every note whose path holds what was typed behind the last ``@``."""
        del complete_event
        head, mark, typed = document.text_before_cursor.rpartition("@")
        if not mark or (head and not head[-1].isspace()) or "\n" in typed:
            return
        for note in self._notes:
            if typed.lower() in note.path.lower():
                name = f'"{note.path}"' if " " in note.path else note.path
                yield Completion(name, start_position=-len(typed), display=note.path)


async def talk(settings: Settings, project: str, conversation: str | None) -> None:
    """Read, send, show, until the person leaves."""
    console = Console()
    async with open_chat(settings) as chat:
        seat = Seat(chat)
        await existing_project(chat, project)
        await seat.open(await _chosen(chat, project, conversation))
        notes = await chat.vault.notes() if chat.vault is not None else []
        session: PromptSession[str] = PromptSession(
            completer=NoteCompleter(notes), complete_while_typing=True
        )
        console.print(f"[dim]{chat.model} · {HELP}[/dim]")
        await _show_path(chat, seat, console)
        while (line := await _line(session)) is not None:
            try:
                if await _handled(chat, seat, console, line, notes):
                    break
            except TriptychError as problem:
                console.print(f"[red]{problem}[/red]")
        if conversation is None:
            await _leave(chat, seat)


async def _chosen(chat: Chat, project: str, conversation: str | None) -> ConversationId:
    if conversation is not None:
        return ConversationId(conversation)
    return (await chat.create(ProjectId(project))).id


async def _leave(chat: Chat, seat: Seat) -> None:
    """A conversation in which nothing was said is not kept."""
    assert seat.conversation_id is not None  # noqa: S101 # talk opened one
    if not (await chat.open(seat.conversation_id)).messages:
        await chat.delete(seat.conversation_id)


async def _line(session: PromptSession[str]) -> str | None:
    """The next line; None when the person leaves."""
    while True:
        try:
            return await session.prompt_async("› ")
        except KeyboardInterrupt:
            continue
        except EOFError:
            return None


async def _handled(chat: Chat, seat: Seat, console: Console, line: str, notes: Sequence[NoteInfo]) -> bool:
    """Do what the line says; True when it says to leave."""
    if not line.strip():
        return False
    command, _, rest = line.strip().partition(" ")
    if command == "/quit":
        return True
    turn = await _turn_of(chat, seat, console, command, rest) if command.startswith("/") else None
    if not command.startswith("/"):
        text, references = mentioned_notes(line, notes)
        turn = await seat.send(text, references)
    if turn is not None:
        await _show_reply(chat, seat, console, turn)
    return False


async def _turn_of(chat: Chat, seat: Seat, console: Console, command: str, rest: str) -> Turn | None:
    assert seat.conversation_id is not None  # noqa: S101 # talk opened one
    conversation_id = seat.conversation_id
    repository = await chat.open(conversation_id)
    path = repository.path()
    questions = [message for message in path if isinstance(message, UserMessage)]
    match command:
        case "/again" if path:
            return await chat.regenerate(conversation_id, path[-1].id)
        case "/find" if rest:
            if chat.search is not None:
                await chat.search.index()
            return await seat.send(rest, [SearchReference(query=rest)])
        case "/edit" if questions and rest:
            return await chat.edit(conversation_id, questions[-1].id, rest)
        case "/left" | "/right" if path:
            await _turn_branch(chat, conversation_id, path, -1 if command == "/left" else 1)
            await _show_path(chat, seat, console)
        case "/title" if rest:
            await chat.rename(conversation_id, rest)
        case _:
            console.print(f"[dim]{HELP}[/dim]")
    return None


async def _turn_branch(
    chat: Chat, conversation_id: ConversationId, path: Sequence[Message], step: int
) -> None:
    """Go to the neighbour at the lowest fork of the path."""
    repository = await chat.open(conversation_id)
    for message in reversed(path):
        branches = repository.branches(message.id)
        if len(branches) > 1:
            place = (branches.index(message.id) + step) % len(branches)
            await chat.switch(conversation_id, branches[place])
            return


async def _show_path(chat: Chat, seat: Seat, console: Console) -> None:
    assert seat.conversation_id is not None  # noqa: S101 # talk opened one
    repository = await chat.open(seat.conversation_id)
    for message in repository.path():
        if isinstance(message, UserMessage):
            console.print(f"[bold]› {message_text(message)}[/bold]")
        else:
            console.print(Markdown(message_text(message)))


async def _show_reply(chat: Chat, seat: Seat, console: Console, turn: Turn) -> None:
    """Draw the reply while it grows; Ctrl-C stops it."""
    assert seat.conversation_id is not None  # noqa: S101 # talk opened one
    conversation_id = seat.conversation_id
    loop = asyncio.get_running_loop()
    stopping: set[asyncio.Task[Any]] = set()
    loop.add_signal_handler(signal.SIGINT, lambda: stopping.add(loop.create_task(chat.stop(conversation_id))))
    try:
        with Live(console=console, refresh_per_second=12, vertical_overflow="visible") as live:
            while await chat.running(conversation_id):
                live.update(Markdown(await _text(chat, conversation_id, turn)))
                await asyncio.sleep(0.08)
            live.update(Markdown(await _text(chat, conversation_id, turn)))
    finally:
        loop.remove_signal_handler(signal.SIGINT)
    _show_end(console, (await chat.open(conversation_id)).get(turn.reply_id))


async def _text(chat: Chat, conversation_id: ConversationId, turn: Turn) -> str:
    repository = await chat.open(conversation_id)
    return message_text(repository.get(turn.reply_id)) if turn.reply_id in repository else ""


def _show_end(console: Console, reply: Message) -> None:
    if not isinstance(reply, AssistantMessage):
        return
    for part in reply.parts:
        if isinstance(part, SourcePart) and part.quote:
            console.print(f"[dim]{part.path}:{part.start_line}  “{part.quote}”[/dim]")
    if isinstance(reply.status, Incomplete):
        console.print(f"[yellow]{reply.status.error or reply.status.reason}[/yellow]")
