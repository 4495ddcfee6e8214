"""Finding a note by a few letters of its title, its path or its tags: what a picker needs while somebody types.

Not here: searching the text of the notes (``vault``).
"""

from __future__ import annotations

from collections.abc import Iterable

from triptych.ports.vault import NoteInfo

__all__ = ["find_notes"]


def find_notes(notes: Iterable[NoteInfo], words: str, limit: int) -> list[NoteInfo]:
    """The notes in which every word occurs, best first: title before tag before path, early before late.

    Without words: the notes that were changed last.
    """
    wanted = words.casefold().split()
    if not wanted:
        return sorted(notes, key=lambda note: (-note.modified_at, note.path))[:limit]
    ranked = [(rank, note.path, note) for note in notes if (rank := _rank(note, wanted)) is not None]
    return [note for _, _, note in sorted(ranked, key=lambda one: one[:2])[:limit]]


def _rank(note: NoteInfo, wanted: list[str]) -> int | None:
    """Lower is better; None when a word is nowhere."""
    ranks = [_word_rank(note, word) for word in wanted]
    return None if None in ranks else sum(rank for rank in ranks if rank is not None)


def _word_rank(note: NoteInfo, word: str) -> int | None:
    title, path = note.title.casefold(), note.path.casefold()
    if title.startswith(word):
        return 0
    if any(part.startswith(word) for part in title.split()):
        return 1
    if word in title:
        return 2
    if any(word.removeprefix("#") in tag.casefold() for tag in note.tags):
        return 3
    return 4 if word in path else None
