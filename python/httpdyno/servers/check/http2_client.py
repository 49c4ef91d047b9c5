"""A plain HTTP/2 client for probes: it sends exact frames, and bounds every wait.

It encodes header fields without compression and asks for none (RFC 7541 §6.2.2, §4.2), so that of a
reply it has to read the status only. The load engine reads replies in full.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from time import monotonic
from types import TracebackType
from typing import NamedTuple

from httpdyno.engine_plan import Target
from httpdyno.servers.check.client import NoConnectionError, ReplyError, SilenceError
from httpdyno.servers.check.connect import connect

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY = 0, 1, 3, 4, 6, 7
WINDOW_UPDATE, CONTINUATION = 8, 9
END_STREAM, END_HEADERS, ACK = 1, 4, 1
HEADER_TABLE_SIZE, MAX_CONCURRENT_STREAMS, INITIAL_WINDOW_SIZE = 1, 3, 4
MOST_PAYLOAD = 16_384
"""A peer may send no more before our SETTINGS allow it."""
MOST_BYTES, MOST_FRAMES = 32 * 1024**2, 20_000
"""A server that sends more than this in a probe is given up."""

_METHOD, _PATH, _SCHEME, _AUTHORITY = 2, 4, 6, 1
_INDEXED = {0x88: 200, 0x89: 204, 0x8A: 206, 0x8B: 304, 0x8C: 400, 0x8D: 404, 0x8E: 500}
_SHORT = {0b00000: "0", 0b00001: "1", 0b00010: "2"}
"""Huffman codes of 5 bits (RFC 7541 Appendix B); the other digits have 6, from 3 on."""


class Frame(NamedTuple):
    """A frame that came from the server."""

    kind: int
    flags: int
    stream: int
    payload: bytes


@dataclass
class Answer:
    """The reply on a stream, as far as it has come."""

    status: int | None = None
    body_bytes: int = 0
    has_ended: bool = False
    reset: int | None = None
    """The code with which the server reset the stream."""


@dataclass
class Settings:
    """The settings of the server that probes ask for."""

    streams: int | None = None
    """The streams that it allows at once; None: any number."""


@dataclass
class Http2Conversation:
    """One connection to a server, over HTTP/2. No wait is longer than `timeout_s` in total."""

    target: Target
    timeout_s: float
    window: int = 2**31 - 1
    """The bytes that the server may send on each stream."""
    settings: Settings = field(default_factory=Settings)
    answers: dict[int, Answer] = field(default_factory=dict)
    goaway: int | None = None
    """The code with which the server ended the connection."""
    pings: list[bytes] = field(default_factory=list)
    """The payloads of its answers to PING."""
    _buffer: bytes = b""
    _bytes: int = 0
    _frames: int = 0
    _next: int = 1

    def __enter__(self) -> Http2Conversation:
        self._deadline = monotonic() + self.timeout_s
        try:
            self._socket = connect(self.target, self.timeout_s, ["h2"])
        except OSError as error:
            raise NoConnectionError(f"no connection: {error.strerror or error}") from None
        ours = {HEADER_TABLE_SIZE: 0, INITIAL_WINDOW_SIZE: self.window}
        settings = b"".join(struct.pack(">HI", *one) for one in ours.items())
        whole = struct.pack(">I", 2**31 - 1 - 65_535)
        self.send(PREFACE + frame(SETTINGS, settings) + frame(WINDOW_UPDATE, whole))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._socket.close()

    def send(self, data: bytes) -> None:
        """Sends the bytes with one call."""
        try:
            self._socket.sendall(data)
        except OSError as error:
            raise ReplyError(f"could not send: {error.strerror or error}") from None

    def request(self, path: str, method: str = "GET", more: bytes = b"") -> tuple[int, bytes]:
        """The number of a new stream, and the block of header fields of a request on it."""
        stream, self._next = self._next, self._next + 2
        self.answers[stream] = Answer()
        scheme = "http" if self.target.tls is None else "https"
        shown = f"[{self.target.host}]" if ":" in self.target.host else self.target.host
        fields = [(_METHOD, method), (_SCHEME, scheme), (_PATH, path)]
        fields.append((_AUTHORITY, f"{shown}:{self.target.port}"))
        return stream, b"".join(literal(index, value.encode()) for index, value in fields) + more

    def ask(self, path: str, method: str = "GET") -> Answer:
        """Sends a request and waits for its reply."""
        stream, block = self.request(path, method)
        self.send(frame(HEADERS, block, END_STREAM | END_HEADERS, stream))
        return self.wait_for([stream])[0]

    def wait_for(self, streams: Sequence[int]) -> list[Answer]:
        """The answers on these streams, once all have ended; raises ReplyError if they do not."""
        while not all(self.answers[one].has_ended for one in streams):
            if self.goaway is not None and self.goaway != 0:
                raise ReplyError(f"ends the connection (GOAWAY, code {self.goaway})")
            self.read()
        return [self.answers[one] for one in streams]

    def read(self) -> Frame:
        """The next frame, after its meaning is noted; SETTINGS and PING are answered."""
        head = self._exactly(9)
        length = int.from_bytes(head[:3], "big")
        if length > MOST_PAYLOAD:
            raise ReplyError(f"a frame of {length:,} bytes: expected at most {MOST_PAYLOAD:,}")
        self._frames += 1
        if self._frames > MOST_FRAMES:
            raise ReplyError(f"more than {MOST_FRAMES:,} frames")
        stream = int.from_bytes(head[5:9], "big") & 0x7FFF_FFFF
        found = Frame(head[3], head[4], stream, self._exactly(length))
        self._note(found)
        return found

    def closes_within(self, seconds: float) -> bool:
        """True if the server closes the connection in that time, whatever it sends before."""
        self._deadline = monotonic() + seconds
        try:
            while True:
                self.read()
        except SilenceError:
            return False
        except ReplyError:
            return True

    def _note(self, found: Frame) -> None:
        answer = self.answers.get(found.stream)
        match found.kind:
            case kind if kind in (DATA, HEADERS) and answer is not None:
                if kind == DATA:
                    answer.body_bytes += len(found.payload)
                elif answer.status is None or answer.status < 200:
                    answer.status = _status(found)
                answer.has_ended |= bool(found.flags & END_STREAM)
            case kind if kind == RST_STREAM and answer is not None:
                answer.reset = int.from_bytes(found.payload[:4], "big")
                answer.has_ended = True
            case kind if kind == SETTINGS and not found.flags & ACK:
                for at in range(0, len(found.payload) - 5, 6):
                    name, value = struct.unpack_from(">HI", found.payload, at)
                    if name == MAX_CONCURRENT_STREAMS:
                        self.settings.streams = value
                self.send(frame(SETTINGS, b"", ACK))
            case kind if kind == PING and found.flags & ACK:
                self.pings.append(found.payload)
            case kind if kind == PING:
                self.send(frame(PING, found.payload, ACK))
            case kind if kind == GOAWAY:
                self.goaway = int.from_bytes(found.payload[4:8], "big")

    def _exactly(self, count: int) -> bytes:
        while len(self._buffer) < count:
            left = self._deadline - monotonic()
            if left <= 0:
                raise SilenceError(f"nothing more within {self.timeout_s:g} s")
            self._socket.settimeout(left)
            try:
                piece = self._socket.recv(262_144)
            except TimeoutError:
                continue
            except OSError as error:
                raise ReplyError(f"connection broken: {error.strerror or error}") from None
            self._bytes += len(piece)
            if not piece or self._bytes > MOST_BYTES:
                raise ReplyError("the server closed the connection" if not piece else "too much")
            self._buffer += piece
        found, self._buffer = self._buffer[:count], self._buffer[count:]
        return found


def frame(kind: int, payload: bytes = b"", flags: int = 0, stream: int = 0) -> bytes:
    """The bytes of a frame."""
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def literal(index: int, value: bytes) -> bytes:
    """A header field whose name is in the static table, not to be kept in any table."""
    return bytes([index]) + _length(len(value)) + value


def named_field(name: bytes, value: bytes) -> bytes:
    """A header field with a name of its own, not to be kept in any table."""
    return b"\0" + _length(len(name)) + name + _length(len(value)) + value


def _length(value: int) -> bytes:
    """An integer with a prefix of 7 bits (RFC 7541 §5.1)."""
    if value < 127:
        return bytes([value])
    out, value = bytearray([127]), value - 127
    while value >= 128:
        out.append(value % 128 + 128)
        value //= 128
    return bytes([*out, value])


def _status(found: Frame) -> int:
    """The status of a reply: its first header field. Raises ReplyError for another one."""
    padded, weighted = bool(found.flags & 8), bool(found.flags & 32)
    block = found.payload[padded + 5 * weighted :].lstrip(bytes(range(0x20, 0x40)))
    if block[:1] and block[0] in _INDEXED:
        return _INDEXED[block[0]]
    # A literal whose name is one of the seven entries `:status`: kept, not kept, never kept.
    if len(block) > 2 and block[0] & 0x0F in range(8, 15) and block[0] >> 4 in (0, 1, 4):
        text = block[2 : 2 + (block[1] & 0x7F)]
        digits = _huffman_digits(text) if block[1] & 0x80 else text.decode("latin-1")
        if digits.isascii() and digits.isdigit() and len(digits) == 3:
            return int(digits)
    raise ReplyError("the reply does not begin with a status")


def _huffman_digits(text: bytes) -> str:
    bits, at, found = "".join(f"{byte:08b}" for byte in text), 0, ""
    while len(bits) - at >= 5 and len(found) < 3:
        short = _SHORT.get(int(bits[at : at + 5], 2))
        long = int(bits[at : at + 6], 2) - 0b011001 + 3
        found += short or (str(long) if 3 <= long <= 9 else "?")
        at += 5 if short else 6
    return found
