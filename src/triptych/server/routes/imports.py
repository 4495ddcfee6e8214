"""Chats of other programs: a file that was dropped on the page is read and stored."""

from __future__ import annotations

from http import HTTPStatus
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Final

from anyio import open_file
from starlette.requests import Request

from triptych.server.operations import OCTETS, Operation
from triptych.server.problems import BadRequestError
from triptych.server.service import Service
from triptych.server.shapes import Imported, ImportQuery

__all__ = ["IMPORTS", "IMPORTS_PATH"]

IMPORTS_PATH: Final = "/imports"
_LONGEST_NAME: Final = 120


async def import_file(service: Service, request: Request, query: ImportQuery) -> Imported:
    """Read an export of another program (the body, as it is) and store its conversations; twice adds nothing."""
    if service.importer is None:
        raise BadRequestError(
            "Files cannot be imported here; use triptych import.", status=HTTPStatus.CONFLICT
        )
    if request.headers.get("content-type") != OCTETS:
        raise BadRequestError(f"Send {OCTETS}.", status=HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
    with TemporaryDirectory(prefix="triptych-import-") as folder:
        path = Path(folder) / _file_name(query.name)
        async with await open_file(path, "wb") as file:
            async for piece in request.stream():
                await file.write(piece)
        return await service.importer(path, query.project_id)


def _file_name(name: str) -> str:
    """The last part of a name that a stranger chose, or a plain one."""
    last = PurePosixPath(name.replace("\\", "/")).name.replace("\x00", "")
    return last.encode("utf-8", "replace")[-_LONGEST_NAME:].decode("utf-8", "ignore") or "export"


IMPORTS: Final[tuple[Operation[Service], ...]] = (
    Operation(
        method="POST",
        path=IMPORTS_PATH,
        run=import_file,
        query=ImportQuery,
        answer=Imported,
        takes=OCTETS,
        raw=True,
        refuses=(HTTPStatus.CONFLICT, HTTPStatus.SERVICE_UNAVAILABLE),
    ),
)
