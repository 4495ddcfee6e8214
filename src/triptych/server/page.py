"""The built page as static files; every address that is no file is the page itself.

Not here: the page (``web/`` in the repository; its build lands in ``static/`` beside this module).
"""

from __future__ import annotations

from http import HTTPStatus
from pathlib import Path
from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

__all__ = ["STATIC", "Page"]

STATIC: Final = Path(__file__).parent / "static"
_NOT_BUILT: Final = (
    "The page of Triptych is not built yet.\n\n"
    "In the repository, run:  cd web && npm ci && npm run build\n"
    "(or `make demo`, which does that and starts the server).\n"
    "The API is at /api, its description at /api/openapi.json.\n"
)


class Page(StaticFiles):
    """Files of the build, which are named by their content and kept for ever; the page itself never is."""

    def __init__(self, directory: Path = STATIC) -> None:
        super().__init__(directory=directory, check_dir=False)
        self._index = directory / "index.html"

    async def check_config(self) -> None:
        """A page that is not built is no fault of the server; it is said where somebody asks for it."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """The file, else the page for an address that looks like one of its views."""
        try:
            return _kept(await super().get_response(path, scope), path)
        except HTTPException as error:
            if error.status_code != HTTPStatus.NOT_FOUND or _names_a_file(path):
                raise
        if not self._index.is_file():
            return PlainTextResponse(_NOT_BUILT, HTTPStatus.SERVICE_UNAVAILABLE)
        return _kept(await super().get_response("index.html", scope), "index.html")


def _names_a_file(path: str) -> bool:
    return "." in path.rpartition("/")[2].strip(".")


def _kept(response: Response, path: str) -> Response:
    named_by_content = path.startswith("assets/")
    MutableHeaders(raw=response.raw_headers)["cache-control"] = (
        "public, max-age=31536000, immutable" if named_by_content else "no-cache"
    )
    return response
