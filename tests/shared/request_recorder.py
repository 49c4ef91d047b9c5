"""A real server that keeps each request that arrives, byte for byte."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

Reply = Callable[[bytes], bytes | None]
"""The bytes that answer a request; None: no answer."""


def ok(_request: bytes) -> bytes:
    """A short right reply."""
    return reply(b"ok")


def reply(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    """A reply with a body and further headers."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


@dataclass
class Recorder:
    """The requests that arrived, and the ends of the connections."""

    port: int = 0
    requests: list[bytes] = field(default_factory=list)
    """In order of arrival."""
    by_connection: list[list[bytes]] = field(default_factory=list)
    ends: list[str] = field(default_factory=list)
    """`closed` or `reset`, by connection, in the order of their ends."""
    ended: threading.Condition = field(default_factory=threading.Condition)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def wait_for_ends(self) -> list[str]:
        """The ends of the connections, once all have ended."""
        with self.ended:
            done = self.ended.wait_for(
                lambda: len(self.ends) == len(self.by_connection), timeout=30
            )
            assert done
            return self.ends

    def lines(self) -> list[str]:
        """The first line of each request."""
        return [request.partition(b"\r\n")[0].decode() for request in self.requests]


@contextmanager
def recording(answer: Reply = ok) -> Iterator[Recorder]:
    """The recorder on a free port, until the body ends."""
    recorder = Recorder()

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            mine: list[bytes] = []
            recorder.by_connection.append(mine)
            try:
                self._answer_all(mine)
                end = "closed"
            except ConnectionResetError:
                end = "reset"
            with recorder.ended:
                recorder.ends.append(end)
                recorder.ended.notify_all()

        def _answer_all(self, mine: list[bytes]) -> None:
            waiting = b""
            while piece := self.request.recv(65536):
                waiting += piece
                while (request := _whole(waiting)) is not None:
                    waiting = waiting[len(request) :]
                    mine.append(request)
                    recorder.requests.append(request)
                    if (sent := answer(request)) is not None:
                        self.request.sendall(sent)

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True
        request_queue_size = 128

    with Server(("127.0.0.1", 0), Handler) as server:
        recorder.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield recorder
        finally:
            server.shutdown()
            thread.join()


def _whole(received: bytes) -> bytes | None:
    """The first request in `received`, with its body; None: it is not complete."""
    head, end, rest = received.partition(b"\r\n\r\n")
    if not end:
        return None
    lengths = [
        int(line.partition(b":")[2])
        for line in head.split(b"\r\n")
        if line.lower().startswith(b"content-length:")
    ]
    length = lengths[0] if lengths else 0
    return None if len(rest) < length else head + end + rest[:length]


def fields(request: bytes) -> dict[str, str]:
    """The headers of a request, by name in lower case."""
    head = request.partition(b"\r\n\r\n")[0].decode("latin-1")
    pairs = (line.partition(":") for line in head.split("\r\n")[1:])
    return {name.lower(): value.strip() for name, _, value in pairs}


def body(request: bytes) -> bytes:
    """The body of a request."""
    return request.partition(b"\r\n\r\n")[2]
