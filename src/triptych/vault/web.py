"""Pages of the web behind ``ports.pages``: fetched with limits, never from a private address, kept for a while.

A host is resolved once for each request and the connection goes to the address that was checked, so that a name
that changes its address in between gains nothing. Redirects are followed by hand, each with the same check.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable

import anyio
import httpx2
import msgspec

from triptych.model.diagnostics import Diagnostic
from triptych.ports.clock import Clock
from triptych.ports.pages import Page
from triptych.vault.addresses import is_public, normalize_url
from triptych.vault.readable import readable_text, title_of
from triptych.vault.texts import render_pdf

__all__ = ["WebPages", "resolve_host"]

Diagnostics = tuple[Diagnostic, ...]
Resolve = Callable[[str, int], Awaitable[list[str]]]

_MOST_BYTES = 5_000_000
_MOST_SECONDS = 20.0
_MOST_REDIRECTS = 5
_MOST_KEPT = 200
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_TEXT_TYPES = ("text/", "application/json", "application/xml", "application/xhtml+xml", "application/yaml")
_HEADERS = {
    "accept": "text/html,application/xhtml+xml,text/plain,text/markdown,application/pdf;q=0.9",
    "accept-encoding": "identity",
    "user-agent": "Triptych (a person asked for this page)",
}


class _RefusedError(Exception):
    """A page that cannot be had, as the diagnostic that says why."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class _Answer(msgspec.Struct, frozen=True):
    url: str
    media_type: str
    charset: str
    body: bytes


async def resolve_host(host: str, port: int) -> list[str]:
    """The IP addresses of a host, as the system knows them."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(one[4][0]) for one in found))


class WebPages:
    """Fetches pages and keeps each for ``max_age`` milliseconds."""

    def __init__(
        self,
        clock: Clock,
        *,
        max_age: int = 15 * 60_000,
        resolve: Resolve = resolve_host,
        allowed: Callable[[str], bool] = is_public,
    ) -> None:
        self._clock = clock
        self._max_age = max_age
        self._resolve = resolve
        self._allowed = allowed
        self._kept: dict[str, Page] = {}

    async def fetch(self, url: str) -> tuple[Page | None, Diagnostics]:
        """The page, or None with the reason; the last copy with a diagnostic when it cannot be had just now."""
        key = normalize_url(url) or ""
        kept = self._kept.get(key)
        if kept is not None and self._clock.now() - kept.fetched_at <= self._max_age:
            return kept, ()
        try:
            with anyio.fail_after(_MOST_SECONDS):
                answer = await self._follow(url.strip())
                page = await self._page(url.strip(), answer)
        except TimeoutError:
            return self._instead(kept, url, "page_timeout", "The page took too long.")
        except _RefusedError as problem:
            return self._instead(kept, url, problem.code, str(problem))
        self._keep(key, page)
        return page, ()

    def _instead(
        self, kept: Page | None, url: str, code: str, reason: str
    ) -> tuple[Page | None, Diagnostics]:
        if kept is None or code == "page_private":
            return None, (Diagnostic(code=code, message=reason, severity="error", where=url),)
        told = f"{reason} The copy that was fetched before is used."
        detail = {"fetchedAt": kept.fetched_at}
        return kept, (Diagnostic(code=code, message=told, where=url, detail=detail),)

    def _keep(self, key: str, page: Page) -> None:
        self._kept.pop(key, None)
        self._kept[key] = page
        while len(self._kept) > _MOST_KEPT:
            del self._kept[next(iter(self._kept))]

    async def _follow(self, url: str) -> _Answer:
        """The answer at the end of at most five redirects."""
        async with httpx2.AsyncClient(trust_env=False, timeout=_MOST_SECONDS, headers=_HEADERS) as client:
            for _ in range(_MOST_REDIRECTS + 1):
                answer = await self._ask(client, url)
                if isinstance(answer, _Answer):
                    return answer
                url = answer
        raise _RefusedError("page_redirects", "The page redirects again and again.")

    async def _ask(self, client: httpx2.AsyncClient, url: str) -> _Answer | str:
        """One request to a checked address: the answer, or where it redirects to."""
        client.cookies.clear()
        asked = _parsed(url)
        address = await self._checked_address(asked)
        request = client.build_request(
            "GET",
            asked.copy_with(host=address),
            headers={"host": asked.netloc.decode("ascii")},
            extensions={"sni_hostname": asked.raw_host.decode("ascii")},
        )
        try:
            response = await client.send(request, stream=True)
            try:
                return await _received(url, asked, response)
            finally:
                await response.aclose()
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError) as problem:
            raise _RefusedError("page_unreachable", "The page cannot be reached.") from problem

    async def _checked_address(self, url: httpx2.URL) -> str:
        port = url.port or (443 if url.scheme == "https" else 80)
        try:
            addresses = await self._resolve(url.raw_host.decode("ascii"), port)
        except (OSError, UnicodeError) as problem:
            raise _RefusedError("page_unreachable", "There is no such host.") from problem
        if not addresses or not all(self._allowed(address) for address in addresses):
            raise _RefusedError("page_private", "The page is on a private address; those are not fetched.")
        return addresses[0]

    async def _page(self, url: str, answer: _Answer) -> Page:
        text, title = await anyio.to_thread.run_sync(_read, answer, abandon_on_cancel=True)
        if not text:
            raise _RefusedError("page_empty", "There is no text to read on the page.")
        return Page(url=url, text=text, title=title, fetched_at=self._clock.now())


def _parsed(url: str) -> httpx2.URL:
    try:
        asked = httpx2.URL(url)
    except (httpx2.InvalidURL, ValueError, TypeError) as problem:
        raise _RefusedError("page_url", "This is no web address.") from problem
    named = bool(asked.host) and "%" not in asked.host and 0 < (asked.port or 80) < 65_536
    if asked.scheme not in {"http", "https"} or not named:
        raise _RefusedError("page_url", "Only addresses with http or https can be fetched.")
    if asked.userinfo:
        raise _RefusedError("page_url", "An address with a user name or password is not fetched.")
    return asked.copy_with(fragment=None)


async def _received(url: str, asked: httpx2.URL, response: httpx2.Response) -> _Answer | str:
    if response.status_code in _REDIRECTS and "location" in response.headers:
        return str(asked.join(response.headers["location"]))
    if response.status_code >= 400:
        raise _RefusedError("page_status", f"The server answered {response.status_code}.")
    media_type, _, rest = response.headers.get("content-type", "text/html").partition(";")
    body = bytearray()
    async for piece in response.aiter_bytes():
        body += piece
        if len(body) > _MOST_BYTES:
            raise _RefusedError("page_too_big", f"The page is bigger than {_MOST_BYTES // 1_000_000} MB.")
    charset = rest.partition("charset=")[2].strip(" \"'") or "utf-8"
    return _Answer(url, media_type.strip().lower(), charset, bytes(body))


def _read(answer: _Answer) -> tuple[str, str]:
    """Text and title of an answer."""
    if answer.media_type == "application/pdf":
        text, found = render_pdf(answer.body, answer.url)
        if text is None:
            raise _RefusedError(found[0].code, found[0].message)
        return text, ""
    if not answer.media_type.startswith(_TEXT_TYPES):
        raise _RefusedError("page_binary", f"The page is no text but {answer.media_type}.")
    text = _decoded(answer)
    if answer.media_type in {"text/html", "application/xhtml+xml"}:
        return readable_text(text), title_of(text)
    return text.strip(), ""


def _decoded(answer: _Answer) -> str:
    try:
        text = answer.body.decode(answer.charset, "replace")
    except LookupError:
        text = answer.body.decode("utf-8", "replace")
    return text.replace("\0", "")
