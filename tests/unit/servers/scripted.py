"""A server that says exactly what a test tells it to, over a real socket."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator

Script = Callable[[socket.socket], None]


@contextlib.contextmanager
def scripted(script: Script) -> Iterator[int]:
    """Run `script` on each connection, one after another; yields the port."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection, contextlib.suppress(OSError):
                connection.settimeout(60)
                script(connection)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(timeout=60)


def read_head(connection: socket.socket) -> bytes:
    """One request's head, byte by byte so that a second request stays unread; empty at the end."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        byte = connection.recv(1)
        if not byte:
            return b""
        head += byte
    return head


def answers(reply: bytes) -> Script:
    """Read one request, send these bytes, close."""

    def script(connection: socket.socket) -> None:
        read_head(connection)
        connection.sendall(reply)

    return script


def page(body: bytes, *, status: str = "200 OK", content_type: str = "text/plain") -> bytes:
    """A whole HTTP/1.1 reply."""
    head = (
        f"HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body
