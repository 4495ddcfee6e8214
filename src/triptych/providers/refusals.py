"""Why no reply came: the server refused, or was not reached. In one sentence, and whether another try may help.

Not here: trying again (``http``), and what vendors' error bodies look like (``wires.reading.failures``).
"""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit

import httpx2
import msgspec

from triptych.model.events import Failure
from triptych.providers.keys import Secret
from triptych.wires.reading.failures import failure_from_response

__all__ = ["TROUBLE", "Refused", "is_loopback", "refusal", "scrubbed", "unreachable"]

TROUBLE = (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, OSError, ValueError)
"""Everything that a connection may raise."""

_LATER = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
_LONGEST_WAIT = 20.0
_LONGEST_ERROR_BODY = 64 * 1024


class Refused(msgspec.Struct, frozen=True):
    """Nothing of a reply came.

    ``wait``: seconds after which to try again; None means that it would not help. ``stale``: a kept connection was
    closed under us, so that the first new try need not wait at all.
    """

    failure: Failure
    wait: float | None = None
    stale: bool = False


async def refusal(response: httpx2.Response, secret: Secret | None) -> Refused:
    """What a status of 300 or more means: the server's own sentence, and whether to ask again later."""
    body = b""
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > _LONGEST_ERROR_BODY:
            break
    failure = failure_from_response(response.status_code, scrubbed(secret, body.decode("utf-8", "replace")))
    wait = _asked_wait(response) if response.status_code in _LATER else None
    return Refused(failure, wait)


def _asked_wait(response: httpx2.Response) -> float | None:
    """Seconds until the server wants to hear from us again; None when that is too long to wait for."""
    asked = response.headers.get("retry-after", "0").strip()
    seconds = float(asked) if asked.isascii() and asked.replace(".", "", 1).isdigit() else 0.0
    return seconds if seconds <= _LONGEST_WAIT else None


def unreachable(url: str, problem: Exception) -> Refused:
    """Why no answer came, and whether another try may help.

    A connection that was closed under us or timed out while opening is tried again; a refusal on this machine is
    not, since nothing is running there.
    """
    parts = _split(url)
    place = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
    if not parts.netloc or isinstance(problem, httpx2.UnsupportedProtocol | httpx2.InvalidURL | ValueError):
        sentence = f"{place!r} is no address of a server: it has to begin with http:// or https://."
        return Refused(Failure(message=sentence, code="bad_address"))
    retry = isinstance(problem, httpx2.RemoteProtocolError | httpx2.ConnectError | httpx2.ConnectTimeout)
    stale = isinstance(problem, httpx2.RemoteProtocolError)
    if isinstance(problem, httpx2.ConnectError) and is_loopback(url):
        retry = False
    match problem:
        case httpx2.ConnectError() | httpx2.ConnectTimeout():
            sentence = f"Nothing answers at {place}: is the server running, and is the address right?"
        case httpx2.TimeoutException():
            sentence = f"The server at {place} was silent for too long."
        case _:
            sentence = f"The connection to {place} failed: {type(problem).__name__}."
    return Refused(
        Failure(message=sentence, retryable=True, code="unreachable"), 0.0 if retry else None, stale
    )


def is_loopback(url: str) -> bool:
    """Whether the address is this machine."""
    host = _split(url).hostname or ""
    return host in {"localhost", "::1"} or host.startswith("127.")


def _split(url: str) -> SplitResult:
    """The parts of an address; of one that is none, nothing."""
    try:
        return urlsplit(url)
    except ValueError:
        return urlsplit("")


def scrubbed(secret: Secret | None, text: str) -> str:
    """The text without the key."""
    return secret.scrub(text) if secret else text
