"""A plain HTTP/1 client for checks: it sends exact bytes, parses replies, and bounds every wait.

Not the load engine: this one looks closely at one reply (RFC 9112 §6 for where a body ends).
"""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic

from httpdyno.engine_plan import Target
from httpdyno.output.printable import printable
from httpdyno.servers.check.connect import connect

LONGEST_HEAD = 65_536
LONGEST_BODY = 16 * 1024**2
LONGEST_SHOWN = 2048
"""Bytes that a conversation remembers as they came."""


class ReplyError(Exception):
    """No reply, or one that is not HTTP; the message says what came instead."""


@dataclass(frozen=True)
class Reply:
    """One reply. Header names are in small letters; a repeated header keeps its last value."""

    version: str
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def keeps_open(self) -> bool:
        """True when the server announces that the connection persists (RFC 9112 §9.3)."""
        header = self.headers.get("connection", "").lower()
        return "keep-alive" in header or (self.version == "1.1" and "close" not in header)


class Conversation:
    """One connection to a server. No wait is longer than `timeout_s`.

    `target` is where to connect, for a server behind a Unix socket or TLS.
    """

    def __init__(
        self, host: str, port: int, timeout_s: float = 5.0, *, target: Target | None = None
    ) -> None:
        self._timeout_s = timeout_s
        self._buffer = b""
        self.received = b""
        """The first bytes that the server has sent, as they came."""
        try:
            self._socket = connect(target or Target(host=host, port=port), timeout_s)
        except OSError as error:
            raise NoConnectionError(f"no connection: {error.strerror or error}") from None

    def __enter__(self) -> Conversation:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Hang up."""
        self._socket.close()

    def send(self, data: bytes) -> None:
        """Send the bytes with one call."""
        try:
            self._socket.sendall(data)
        except OSError as error:
            raise ReplyError(f"could not send: {error.strerror or error}") from None

    def receive(self, *, head_only: bool = False, within_s: float | None = None) -> Reply:
        """The next reply, interim ones (1xx) too; `head_only` for the answer to HEAD.

        Waits at most `within_s`, or the conversation's own limit. Raises ReplyError.
        """
        deadline = monotonic() + (within_s or self._timeout_s)
        head = self._until(b"\r\n\r\n", LONGEST_HEAD, deadline)
        version, status, headers = _parse_head(head)
        if head_only or status < 200 or status in (204, 304):
            return Reply(version, status, headers, b"")
        return Reply(version, status, headers, self._body(headers, deadline))

    def closes_within(self, seconds: float) -> bool:
        """True when the server closes the connection in that time and sends nothing before."""
        if self._buffer:
            return False
        self._socket.settimeout(seconds)
        try:
            return self._socket.recv(1) == b""
        except TimeoutError:
            return False
        except OSError:
            return True

    def _body(self, headers: dict[str, str], deadline: float) -> bytes:
        if "chunked" in headers.get("transfer-encoding", "").lower():
            return self._chunks(deadline)
        if "content-length" in headers:
            return self._exactly(_number(headers["content-length"], 10), deadline)
        return self._until_close(deadline)

    def _chunks(self, deadline: float) -> bytes:
        body = b""
        while True:
            line = self._until(b"\r\n", 1024, deadline).decode("latin-1")
            size = _number(line.partition(";")[0], 16)
            if size == 0:
                while self._until(b"\r\n", LONGEST_HEAD, deadline):
                    pass
                return body
            body += self._exactly(size, deadline)
            if len(body) > LONGEST_BODY or self._until(b"\r\n", 2, deadline):
                raise ReplyError("a chunk is longer than it says")

    def _until(self, mark: bytes, limit: int, deadline: float) -> bytes:
        while (at := self._buffer.find(mark)) < 0:
            if len(self._buffer) > limit:
                raise ReplyError(f"no end of line or header within {limit:,} bytes")
            self._fill(deadline)
        found, self._buffer = self._buffer[:at], self._buffer[at + len(mark) :]
        return found

    def _exactly(self, count: int, deadline: float) -> bytes:
        if count > LONGEST_BODY:
            raise ReplyError(
                f"a body of {count:,} bytes is announced: expected at most {LONGEST_BODY:,}"
            )
        while len(self._buffer) < count:
            self._fill(deadline)
        found, self._buffer = self._buffer[:count], self._buffer[count:]
        return found

    def _until_close(self, deadline: float) -> bytes:
        while len(self._buffer) <= LONGEST_BODY:
            try:
                self._fill(deadline)
            except _ClosedError:
                found, self._buffer = self._buffer, b""
                return found
        raise ReplyError(f"a body without length goes on beyond {LONGEST_BODY:,} bytes")

    def _fill(self, deadline: float) -> None:
        left = deadline - monotonic()
        if left <= 0:
            raise self._silence()
        self._socket.settimeout(left)
        try:
            piece = self._socket.recv(262_144)
        except TimeoutError:
            raise self._silence() from None
        except OSError as error:
            raise ReplyError(f"connection broken: {error.strerror or error}") from None
        if not piece:
            got = f" after {len(self._buffer):,} bytes" if self._buffer else ""
            raise _ClosedError(f"the server closed the connection{got}")
        self._buffer += piece
        self.received += piece[: LONGEST_SHOWN - len(self.received)]

    def _silence(self) -> ReplyError:
        got = f"only {len(self._buffer):,} bytes" if self._buffer else "nothing"
        return SilenceError(f"{got} within {self._timeout_s:g} s")


class NoConnectionError(ReplyError):
    """The server cannot be reached."""


class SilenceError(ReplyError):
    """The server sends nothing, or nothing more, and the connection stays open."""


class _ClosedError(ReplyError):
    pass


def _parse_head(head: bytes) -> tuple[str, int, dict[str, str]]:
    # Parts of a reply end up on terminals; this changes no character that HTTP uses.
    first, *rest = map(printable, head.decode("latin-1").split("\r\n"))
    words = first.split(" ", 2)
    if len(words) < 2 or not words[0].startswith("HTTP/1.") or not words[1].isdigit():
        raise ReplyError(f"not an HTTP/1 status line: '{first[:60]}'")
    pairs = (line.partition(":") for line in rest)
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    return words[0].removeprefix("HTTP/"), int(words[1]), headers


def _number(text: str, base: int) -> int:
    try:
        return int(text.strip(), base)
    except ValueError:
        raise ReplyError(f"`{printable(text[:20])}` is not a length") from None
