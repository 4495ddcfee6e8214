"""Notes of the vault: list, search, read, and the pictures in them."""

from __future__ import annotations

from http import HTTPStatus
from pathlib import PurePosixPath
from typing import Final

from starlette.responses import Response

from triptych.ports.vault import Note, NoteInfo
from triptych.server.finding import find_notes
from triptych.server.operations import Operation
from triptych.server.problems import NotFoundError
from triptych.server.service import Service, vault_of
from triptych.server.shapes import LinkQuery, NoteList, ResolvedLink, SearchQuery

__all__ = ["NOTES"]

PICTURES: Final = {
    ".avif": "image/avif",
    ".gif": "image/gif",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webp": "image/webp",
}
_HITS: Final = 10
_PICTURE_HEADERS: Final = {
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    "cache-control": "no-cache",
}
"""A drawing of a vault may hold scripts; nothing of it runs, even when it is opened by itself."""


async def list_notes(service: Service) -> NoteList:
    """Every note, by path."""
    return NoteList(notes=await _notes(service))


async def search_notes(service: Service, query: SearchQuery) -> NoteList:
    """Notes by words of their title, path or tags, and pieces by their text; without words, those changed last."""
    search = service.chat.search
    hits = await search.query(query.q, limit=_HITS) if search is not None and query.q.strip() else ()
    return NoteList(notes=find_notes(await _notes(service), query.q, query.limit), hits=hits)


async def _notes(service: Service) -> list[NoteInfo]:
    return [] if service.chat.vault is None else await service.chat.vault.notes()


async def read_note(service: Service, path: str) -> Note:
    """A note as it is now."""
    note, found = await vault_of(service).read(path)
    if note is None:
        raise NotFoundError(found[0].message if found else "There is no such note.")
    return note


async def resolve_link(service: Service, query: LinkQuery) -> ResolvedLink:
    """The path that a link of a note means; null when it leads nowhere."""
    return ResolvedLink(path=await vault_of(service).resolve(query.link, query.source))


async def read_picture(service: Service, path: str) -> Response:
    """A picture of the vault."""
    kind = PICTURES.get(PurePosixPath(path).suffix.lower())
    data, found = (None, ()) if kind is None else await vault_of(service).read_bytes(path)
    if data is None:
        raise NotFoundError(found[0].message if found else "Only pictures are served from here.")
    return Response(data, headers=_PICTURE_HEADERS, media_type=kind)


NOTES: Final[tuple[Operation[Service], ...]] = (
    Operation(method="GET", path="/notes", run=list_notes, answer=NoteList),
    Operation(method="GET", path="/search", run=search_notes, query=SearchQuery, answer=NoteList),
    Operation(method="GET", path="/links", run=resolve_link, query=LinkQuery, answer=ResolvedLink),
    Operation(method="GET", path="/notes/{path:path}", run=read_note, answer=Note),
    Operation(
        method="GET", path="/pictures/{path:path}", run=read_picture, media="image/*", status=HTTPStatus.OK
    ),
)
