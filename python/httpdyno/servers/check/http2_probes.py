"""Probes of HTTP/2: small tests of one feature each, run against a live server (RFC 9113).

They say which loads over HTTP/2 a server can take, and explain numbers, such as calls that wait for
a stream. None keeps a server from being measured.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from httpdyno.engine_plan import Target
from httpdyno.servers.check import http2_client as h2
from httpdyno.servers.check.client import ReplyError, SilenceError
from httpdyno.servers.check.http2_client import Http2Conversation, frame
from httpdyno.servers.check.probes import Answer, ProbeResult

TIMEOUT_S = 3.0
"""Longest time of one probe, but for the wait for a close."""
CLOSE_S = 0.5
"""Time in which a server closes the connection after an error."""
STREAMS = 100
CANCELS = 50
OVERSIZED = 64 * 1024
"""Bytes of the oversized header, as over HTTP/1."""

_Observation = tuple[Answer, str]
_OPEN = h2.END_STREAM | h2.END_HEADERS


@dataclass(frozen=True)
class _Server:
    at: Target
    path: str
    status: int

    def connect(self, window: int = 2**31 - 1) -> Http2Conversation:
        return Http2Conversation(self.at, TIMEOUT_S, window)

    def judge(self, answer: h2.Answer, seen: str = "") -> _Observation:
        """`yes` if it is the answer to a plain request."""
        if answer.reset is not None:
            return "no", f"resets the stream (code {answer.reset})"
        right = answer.status == self.status
        return ("yes" if right else "no"), seen if right and seen else f"status {answer.status}"


Probe = Callable[[_Server], _Observation]


def run_http2_probe(at: Target, path: str, name: str, status: int) -> ProbeResult:
    """Runs one probe. One that gets no proper reply is a `no` that says what came instead.

    `status`: that of a plain request for the path.
    """
    try:
        answer, detail = HTTP2_PROBES[name](_Server(at, path, status))
    except ReplyError as error:
        answer, detail = "no", str(error)
    return ProbeResult(name=name, answer=answer, detail=detail)


def plain_http2_status(at: Target, path: str) -> int | None:
    """The status of a plain request; None: no reply."""
    try:
        with Http2Conversation(at, TIMEOUT_S) as conversation:
            return conversation.ask(path).status
    except ReplyError:
        return None


def _streams(probed: _Server) -> _Observation:
    """As many requests at once as the server allows, in one packet, answered in any order."""
    with probed.connect() as conversation:
        conversation.ask(probed.path)  # its SETTINGS have come by now
        limit = conversation.settings.streams
        count = STREAMS if limit is None else min(STREAMS, limit)
        requests = [conversation.request(probed.path) for _ in range(count)]
        whole = b"".join(frame(h2.HEADERS, block, _OPEN, stream) for stream, block in requests)
        conversation.send(whole)
        answers = conversation.wait_for([stream for stream, _ in requests])
    right = sum(one.status == probed.status and one.reset is None for one in answers)
    allowed = "sets no limit" if limit is None else f"allows {limit:,}"
    words = f"{right} of {count} requests at once answered, {allowed}"
    return ("yes" if right == count else "partly" if right else "no"), words


def _ping(probed: _Server) -> _Observation:
    with probed.connect() as conversation:
        conversation.send(frame(h2.PING, b"httpdyno"))
        while not conversation.pings:
            conversation.read()
    same = conversation.pings == [b"httpdyno"]
    return ("yes", "answered with the same bytes") if same else ("no", "answered with other bytes")


def _unknown(probed: _Server) -> _Observation:
    """RFC 9113 §5.5: frames and settings of unknown types are ignored."""
    with probed.connect() as conversation:
        conversation.send(frame(0xFA, b"\0" * 8) + frame(h2.SETTINGS, b"\xfa\xfa\0\0\0\1"))
        return probed.judge(conversation.ask(probed.path), "an unknown frame and setting ignored")


def _continuation(probed: _Server) -> _Observation:
    with probed.connect() as conversation:
        stream, block = conversation.request(probed.path)
        pieces = block[:1], block[1:5], block[5:]
        conversation.send(
            frame(h2.HEADERS, pieces[0], h2.END_STREAM, stream)
            + frame(h2.CONTINUATION, pieces[1], 0, stream)
            + frame(h2.CONTINUATION, pieces[2], h2.END_HEADERS, stream)
        )
        return probed.judge(conversation.wait_for([stream])[0], "a header in 3 frames")


def _split(probed: _Server) -> _Observation:
    """Sends the request byte by byte, each in a packet of its own (TCP_NODELAY is on)."""
    with probed.connect() as conversation:
        stream, block = conversation.request(probed.path)
        for byte in frame(h2.HEADERS, block, _OPEN, stream):
            conversation.send(bytes([byte]))
        return probed.judge(conversation.wait_for([stream])[0])


def _window(probed: _Server) -> _Observation:
    """RFC 9113 §5.2: no more data than the window, and the rest once it is open."""
    with probed.connect(window=1) as conversation:
        stream, block = conversation.request(probed.path)
        conversation.send(frame(h2.HEADERS, block, _OPEN, stream) + frame(h2.PING, b"httpdyno"))
        answer = conversation.answers[stream]
        while not (conversation.pings and (answer.body_bytes or answer.has_ended)):
            conversation.read()
        before = answer.body_bytes
        if answer.has_ended and before <= 1:
            return "partly", f"a body of {before} bytes needs no larger window"
        conversation.send(frame(h2.WINDOW_UPDATE, (2**30).to_bytes(4, "big"), 0, stream))
        (answer,) = conversation.wait_for([stream])
    if before > 1:
        return "no", f"sent {before:,} bytes into a window of 1"
    return probed.judge(answer, f"waits for a window, then sends {answer.body_bytes:,} bytes")


def _head(probed: _Server) -> _Observation:
    with probed.connect() as conversation:
        answer = conversation.ask(probed.path, "HEAD")
    if answer.body_bytes:
        return "no", f"a body of {answer.body_bytes:,} bytes"
    return probed.judge(answer, f"{answer.status}, no body")


def _not_found(probed: _Server) -> _Observation:
    with probed.connect() as conversation:
        answer = conversation.ask("/no-such-page-httpdyno")
    return ("yes" if answer.status == 404 else "no"), f"status {answer.status}"


def _oversized_header(probed: _Server) -> _Observation:
    with probed.connect() as conversation:
        more = h2.named_field(b"x-oversized", b"x" * OVERSIZED)
        stream, block = conversation.request(probed.path, more=more)
        pieces = [block[at : at + h2.MOST_PAYLOAD] for at in range(0, len(block), h2.MOST_PAYLOAD)]
        sent = frame(h2.HEADERS, pieces[0], h2.END_STREAM, stream)
        for piece in pieces[1:]:
            flags = h2.END_HEADERS if piece is pieces[-1] else 0
            sent += frame(h2.CONTINUATION, piece, flags, stream)
        try:
            conversation.send(sent)
            (answer,) = conversation.wait_for([stream])
        except SilenceError:
            raise
        except ReplyError:
            code = "" if conversation.goaway is None else f" (GOAWAY, code {conversation.goaway})"
            return "yes", f"ends the connection{code}"
    if answer.reset is not None:
        return "yes", f"resets the stream (code {answer.reset})"
    if (answer.status or 0) >= 500:
        return "partly", f"status {answer.status}"
    return "yes", f"status {answer.status}{' (accepted)' if (answer.status or 0) < 300 else ''}"


def _cancels(probed: _Server) -> _Observation:
    """Timeouts of a load cancel calls. Some servers take many of them for an attack."""
    with probed.connect() as conversation:
        try:
            for _ in range(CANCELS):
                stream, block = conversation.request(probed.path)
                cancel = frame(h2.RST_STREAM, b"\0\0\0\x08", 0, stream)
                conversation.send(frame(h2.HEADERS, block, _OPEN, stream) + cancel)
            answer = conversation.ask(probed.path)
        except ReplyError as error:
            return "no", f"after at most {CANCELS} cancelled requests: {error}"
    return probed.judge(answer, f"answers after {CANCELS} cancelled requests")


def _refuses_nonsense(probed: _Server) -> _Observation:
    """RFC 9113 §5.1.1: a request on a stream of the server's is an error of the connection."""
    with probed.connect() as conversation:
        conversation.ask(probed.path)
        _, block = conversation.request(probed.path)
        conversation.send(frame(h2.HEADERS, block, _OPEN, 2))
        closed = conversation.closes_within(CLOSE_S)
    if conversation.goaway is not None:
        return "yes", f"GOAWAY, code {conversation.goaway}"
    return ("partly", "closes without GOAWAY") if closed else ("no", "goes on")


HTTP2_PROBES: Mapping[str, Probe] = {
    f"HTTP/2 streams, {STREAMS}": _streams,
    "HTTP/2 PING": _ping,
    "HTTP/2 unknown frame": _unknown,
    "HTTP/2 CONTINUATION": _continuation,
    "HTTP/2 in single bytes": _split,
    "HTTP/2 window": _window,
    "HTTP/2 HEAD": _head,
    "HTTP/2 404": _not_found,
    "HTTP/2 oversized header": _oversized_header,
    f"HTTP/2 cancels, {CANCELS}": _cancels,
    "HTTP/2 wrong stream": _refuses_nonsense,
}
"""The probes, in the order of the conformance table."""
