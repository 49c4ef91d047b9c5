"""Requests as a recording server read them, and the replies that a test gives it. Pure."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

Framing = Literal["length", "chunked", "close"]
Then = Literal["as_asked", "close", "reset", "hang"]
CHUNK = 1000


@dataclass(frozen=True)
class Request:
    """One request, byte for byte."""

    connection: int
    """Number of the connection, in the order in which the server accepted them."""
    number: int
    """Its place on the connection, from 0."""
    head: bytes
    """Up to and including the empty line."""
    body: bytes
    at_s: float
    """When it had arrived (monotonic)."""

    @property
    def raw(self) -> bytes:
        """Head and body."""
        return self.head + self.body

    @property
    def line(self) -> str:
        """The request line."""
        return self.head.split(b"\r\n", 1)[0].decode("latin-1")

    @property
    def method(self) -> str:
        """The method."""
        return self.line.split(" ")[0]

    @property
    def target(self) -> str:
        """The request target, with its query."""
        return [*self.line.split(" "), ""][1]

    @property
    def http(self) -> str:
        """The version: "1.0" or "1.1"."""
        return self.line.rpartition("HTTP/")[2]

    def header(self, name: str) -> str | None:
        """The first value of a header, or None."""
        for line in self.head.split(b"\r\n")[1:]:
            found, colon, value = line.decode("latin-1").partition(":")
            if colon and found.strip().lower() == name.lower():
                return value.strip()
        return None

    @property
    def keeps_alive(self) -> bool:
        """True if the client asks for a persistent connection."""
        asked = (self.header("Connection") or "").lower()
        return asked == "keep-alive" if self.http == "1.0" else asked != "close"


@dataclass(frozen=True)
class Reply:
    """A reply, and its faults."""

    status: str = "200 OK"
    body: bytes = b"Hello, world!"
    headers: tuple[tuple[str, str], ...] = (("Server", "recorder/1.0"),)
    http: Literal["1.0", "1.1"] = "1.1"
    framing: Framing = "length"
    """The end of the body. "close" also closes the connection."""
    trailers: tuple[tuple[str, str], ...] = ()
    """After a chunked body."""
    length: int | None = None
    """A wrong `Content-Length`."""
    cut: int | None = None
    """Send only so many bytes of the reply."""
    raw: bytes | None = None
    """Send exactly these bytes instead."""
    after_s: float = 0.0
    """Wait before the reply."""
    pieces: int = 1
    """Send the reply in so many pieces, `between_s` apart."""
    between_s: float = 0.0
    then: Then = "as_asked"
    """The end of the connection. "as_asked": closed if the client does not keep it alive."""

    def closes(self, request: Request) -> bool:
        """True if the server closes the connection after this reply."""
        if self.then == "as_asked":
            return self.framing == "close" or not request.keeps_alive
        return self.then in ("close", "reset")

    def bytes_for(self, request: Request) -> bytes:
        """The bytes that the server sends."""
        whole = self.raw if self.raw is not None else self._head(request) + self._body(request)
        return whole if self.cut is None else whole[: self.cut]

    def _head(self, request: Request) -> bytes:
        lines = [f"HTTP/{self.http} {self.status}"]
        lines += [f"{name}: {value}" for name, value in self.headers]
        if self.framing == "length":
            length = len(self.body) if self.length is None else self.length
            lines.append(f"Content-Length: {length}")
        elif self.framing == "chunked":
            lines.append("Transfer-Encoding: chunked")
        if self.closes(request):
            lines.append("Connection: close")
        elif request.http == "1.0":
            lines.append("Connection: keep-alive")
        return "\r\n".join([*lines, "", ""]).encode("latin-1")

    def _body(self, request: Request) -> bytes:
        if request.method == "HEAD" or self.status[:3] in ("204", "304"):
            return b""
        if self.framing != "chunked":
            return self.body
        cuts = [self.body[at : at + CHUNK] for at in range(0, len(self.body), CHUNK)]
        chunks = [b"%x\r\n%s\r\n" % (len(cut), cut) for cut in cuts]
        trailers = [f"{name}: {value}\r\n".encode("latin-1") for name, value in self.trailers]
        return b"".join([*chunks, b"0\r\n", *trailers, b"\r\n"])


Script = Callable[[Request], Reply]
"""The reply to each request."""


def always(reply: Reply) -> Script:
    """The same reply to every request."""
    return lambda _request: reply


def by_path(replies: Mapping[str, Reply], other: Reply | None = None) -> Script:
    """A reply per path without its query; `other` (404) for the rest."""
    rest = other or Reply("404 Not Found", b"no such page")
    return lambda request: replies.get(request.target.partition("?")[0], rest)


def in_turn(*replies: Reply) -> Script:
    """The replies one after the other, over all connections, and again from the first."""
    endless, lock = itertools.cycle(replies), threading.Lock()

    def script(_request: Request) -> Reply:
        with lock:
            return next(endless)

    return script


def by_place(*replies: Reply) -> Script:
    """A reply per place on the connection: the first, the second …; the last one for the rest."""
    return lambda request: replies[min(request.number, len(replies) - 1)]


def by_connection(*replies: Reply) -> Script:
    """A reply per connection: the first, the second …, and again from the first."""
    return lambda request: replies[request.connection % len(replies)]
