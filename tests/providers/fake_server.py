"""A small real HTTP server: answers what it is told, records what it got, notices when a client hangs up."""

import asyncio
import contextlib
import json
from dataclasses import dataclass, field


@dataclass
class Answer:
    chunks: list = field(default_factory=list)
    status: int = 200
    content_type: str = "text/event-stream"
    headers: dict = field(default_factory=dict)
    delay: float = 0.0
    then: str = "end"  # end | reset (cut the connection) | hang (say nothing more)


@dataclass
class Got:
    method: str
    path: str
    headers: dict
    body: object


class FakeServer:
    def __init__(self, *answers, default=None):
        self.answers = list(answers)
        self.default = default
        self.got = []
        self.hung_up = asyncio.Event()
        self.sent = 0
        self._tasks = set()

    async def __aenter__(self):
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_):
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader, writer):
        self._tasks.add(asyncio.current_task())
        try:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
                await self._answer(reader, writer)
        finally:
            writer.transport.abort() if writer.is_closing() else writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

    async def _answer(self, reader, writer):
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.strip().split("\r\n")
        headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in lines)}
        data = await reader.readexactly(int(headers.get("content-length", "0")))
        method, path, _ = first.split(" ")
        self.got.append(Got(method, path, headers, json.loads(data) if data else None))
        answer = self.answers.pop(0) if self.answers else self.default or Answer(status=404)
        if answer.status == 0:  # hang up without a word
            return
        extra = "".join(f"{k}: {v}\r\n" for k, v in answer.headers.items())
        writer.write(
            f"HTTP/1.1 {answer.status} X\r\nContent-Type: {answer.content_type}\r\n{extra}"
            "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n".encode()
        )
        watcher = asyncio.create_task(self._watch(reader))
        try:
            for chunk in answer.chunks:
                await asyncio.sleep(answer.delay)
                writer.write(f"{len(chunk):x}\r\n".encode() + chunk + b"\r\n")
                await writer.drain()
                self.sent += 1
            if answer.then == "end":
                writer.write(b"0\r\n\r\n")
                await writer.drain()
            elif answer.then == "hang":
                await self.hung_up.wait()
            elif answer.then == "reset":
                writer.transport.abort()
        finally:
            watcher.cancel()

    async def _watch(self, reader):
        with contextlib.suppress(ConnectionError):
            if not await reader.read(1):
                self.hung_up.set()
