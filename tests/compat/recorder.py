"""A server that records every request byte for byte, and answers by a script.

    with Recorder(by_path({"/": Reply()})) as server:
        subprocess.run(["ab", f"http://127.0.0.1:{server.port}/"])
    assert server.requests[0].line == "GET / HTTP/1.0"

The record is complete after the `with` block: each connection was then read to its end.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Literal

from .replies import Reply, Request, Script, always

HOST = "127.0.0.1"
ENDING_S = 10.0
"""Longest time for clients to close their connections after the server has closed its side."""
LARGEST = 1 << 24
ACCEPTING = 10
"""Turns of the loop after which the handler of every accepted connection has started."""
Ended = Literal["open", "client closed", "client reset", "server closed", "server reset"]


@dataclass
class Connection:
    """One connection, as the server saw it."""

    number: int
    source: str
    """Address of the client."""
    requests: list[Request] = field(default_factory=list)
    rest: bytes = b""
    """Bytes after the last complete request."""
    ended: Ended = "open"
    began_s: float = 0.0
    ended_s: float = 0.0


class Recorder:
    """The server, on its own thread."""

    def __init__(
        self,
        script: Script | None = None,
        *,
        host: str = HOST,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.connections: list[Connection] = []
        self.host, self.port = host, 0
        self._script = script or always(Reply())
        self._tls = tls
        self._tasks: set[asyncio.Task[None]] = set()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._main()), daemon=True)

    @property
    def requests(self) -> list[Request]:
        """All requests, connection by connection."""
        return [request for one in self.connections for request in one.requests]

    @property
    def address(self) -> str:
        """`HOST:PORT`."""
        return f"{self.host}:{self.port}"

    def __enter__(self) -> Recorder:
        self._thread.start()
        if not self._ready.wait(60) or not self.port:
            raise OSError(f"the recorder does not listen on {self.host}")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, why: BaseException | None, at: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join()

    async def _main(self) -> None:
        self._loop, self._stopping = asyncio.get_running_loop(), asyncio.Event()
        try:
            server = await asyncio.start_server(
                self._serve, self.host, 0, backlog=4096, limit=LARGEST, ssl=self._tls
            )
            self.port = server.sockets[0].getsockname()[1]
        finally:
            self._ready.set()
        await self._stopping.wait()
        for _ in range(ACCEPTING):
            await asyncio.sleep(0)
        server.close()
        if self._tasks:
            _, unfinished = await asyncio.wait(self._tasks, timeout=ENDING_S)
            for task in unfinished:
                task.cancel()
            await asyncio.gather(*unfinished, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        source = str(writer.get_extra_info("peername")[0])
        connection = Connection(len(self.connections), source, began_s=time.monotonic())
        self.connections.append(connection)
        try:
            connection.ended = await self._answer_all(connection, reader, writer)
        except OSError:
            connection.ended = "client reset"
        finally:
            connection.ended_s = time.monotonic()
            writer.transport.abort()
            self._tasks.discard(task)

    async def _answer_all(
        self, connection: Connection, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> Ended:
        while (request := await _read(connection, reader)) is not None:
            connection.requests.append(request)
            reply = self._script(request)
            await self._pause(reply.after_s)
            await self._send(reply, request, writer)
            if reply.then == "hang":
                connection.rest += await reader.read()
                return "client closed"
            if reply.closes(request):
                await _close(reply, connection, reader, writer)
                return "server reset" if reply.then == "reset" else "server closed"
        return "client closed"

    async def _send(self, reply: Reply, request: Request, writer: asyncio.StreamWriter) -> None:
        text = reply.bytes_for(request)
        size = max(1, -(-len(text) // reply.pieces))
        for at in range(0, len(text), size):
            if at:
                await self._pause(reply.between_s)
            writer.write(text[at : at + size])
            await writer.drain()

    async def _pause(self, seconds: float) -> None:
        """Wait, but not longer than the test."""
        if seconds:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), seconds)


async def _read(connection: Connection, reader: asyncio.StreamReader) -> Request | None:
    """The next request, or None at the end; what is incomplete becomes the rest."""
    head = body = b""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
        request = Request(connection.number, len(connection.requests), head, b"", time.monotonic())
        length = int(request.header("Content-Length") or 0)
        body = await reader.readexactly(length) if length else b""
    except asyncio.IncompleteReadError as why:
        connection.rest = head + why.partial
        return None
    return Request(connection.number, len(connection.requests), head, body, time.monotonic())


async def _close(
    reply: Reply, connection: Connection, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    """Close as a good server does, which reads what the client still sends; or reset."""
    if reply.then == "reset":
        door = writer.get_extra_info("socket")
        door.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return
    if not writer.can_write_eof():
        writer.close()
        await writer.wait_closed()
        return
    writer.write_eof()
    with suppress(TimeoutError):
        connection.rest += await asyncio.wait_for(reader.read(), ENDING_S)


@contextmanager
def refusing() -> Iterator[str]:
    """An address that refuses every connection; nobody else can listen there meanwhile."""
    with socket.socket() as door:
        door.bind((HOST, 0))
        yield f"{HOST}:{door.getsockname()[1]}"
