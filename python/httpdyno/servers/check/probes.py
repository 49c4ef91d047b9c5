"""HTTP probes: small tests of one feature each, run against a live server.

No result by itself keeps a server from being measured. The results say which loads a server can
take (one that drops pipelined requests must not get bursts) and explain numbers (one that closes
the connection after each HTTP/1.0 reply).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from httpdyno.engine_plan import Target
from httpdyno.servers.check.client import Conversation, Reply, ReplyError, SilenceError
from httpdyno.value import Value

Answer = Literal["yes", "no", "partly"]

TIMEOUT_S = 3.0
"""Longest wait for one reply."""

CLOSE_S = 0.5
"""Idle time after which a connection that is still open counts as kept alive."""

CONTINUE_S = 1.0
"""Longest wait for `100 Continue`; then the body is sent anyway."""

OVERSIZED = 64 * 1024
"""Bytes of the oversized header; servers commonly stop at 8 KiB or 16 KiB."""


class ProbeResult(Value):
    """The result of one probe. `detail` says in a line what was observed."""

    name: str
    answer: Answer
    detail: str


@dataclass(frozen=True)
class _Target:
    at: Target
    path: str
    status: int = 200
    """The status of a plain request, which a probe of the same request has to get as well."""

    @property
    def authority(self) -> str:
        host = f"[{self.at.host}]" if ":" in self.at.host else self.at.host
        return f"{host}:{self.at.port}"

    def connect(self) -> Conversation:
        return Conversation(self.at.host, self.at.port, TIMEOUT_S, target=self.at)

    def request(
        self, *headers: str, method: str = "GET", path: str = "", version: str = "1.1"
    ) -> bytes:
        first = f"{method} {path or self.path} HTTP/{version}"
        lines = [first, f"Host: {self.authority}", *headers, "", ""]
        return "\r\n".join(lines).encode()


_Observation = tuple[Answer, str]
Probe = Callable[[_Target], _Observation]


def run_probes(host: str, port: int, path: str = "/pong") -> list[ProbeResult]:
    """Run every probe against a running server."""
    return [run_probe(host, port, path, name) for name in PROBES]


def run_probe(
    host: str,
    port: int,
    path: str,
    name: str,
    *,
    target: Target | None = None,
    status: int = 200,
) -> ProbeResult:
    """Run one probe. One that gets no proper reply is a `no` that says what came instead.

    `target`: where to connect, for a server behind a Unix socket or TLS. `status`: that of a plain
    request for the path.
    """
    at = target or Target(host=host, port=port)
    try:
        answer, detail = PROBES[name](_Target(at, path, status))
    except ReplyError as error:
        answer, detail = "no", str(error)
    return ProbeResult(name=name, answer=answer, detail=detail)


def plain_status(host: str, port: int, path: str, *, target: Target | None = None) -> int | None:
    """The status of a plain request; None: no reply. After a probe, some servers never reply."""
    probed = _Target(target or Target(host=host, port=port), path)
    try:
        with probed.connect() as conversation:
            conversation.send(probed.request("Connection: close"))
            return conversation.receive().status
    except ReplyError:
        return None


def _keep_alive(target: _Target) -> _Observation:
    with target.connect() as conversation:
        for number in range(1, 51):
            conversation.send(target.request())
            reply = conversation.receive()
            if not reply.keeps_open:
                return "partly" if number > 1 else "no", f"closes after {number} of 50 requests"
    return "yes", "50 requests on one connection"


def _honours_close(target: _Target) -> _Observation:
    with target.connect() as conversation:
        conversation.send(target.request("Connection: close"))
        conversation.receive()
        if conversation.closes_within(CLOSE_S):
            return "yes", "closes after the reply"
    return "no", f"still open {CLOSE_S:g} s after the reply"


def _pipelining(count: int) -> Probe:
    def probe(target: _Target) -> _Observation:
        replies: list[Reply] = []
        with target.connect() as conversation:
            conversation.send(target.request() * count)
            try:
                while len(replies) < count:
                    replies.append(conversation.receive())
            except ReplyError as error:
                return (
                    "partly" if replies else "no"
                ), f"{len(replies)} of {count} replies: {error}"
        if len({(reply.status, reply.body) for reply in replies}) > 1:
            return "partly", f"{count} replies that differ"
        return "yes", f"{count} replies to {count} requests in one packet"

    return probe


def _http_10(target: _Target) -> _Observation:
    with target.connect() as conversation:
        conversation.send(target.request(version="1.0"))
        reply = conversation.receive()
        closes = conversation.closes_within(CLOSE_S)
    text = f"answers HTTP/{reply.version} {reply.status}"
    if reply.status != target.status:
        return "no", text
    if "transfer-encoding" in reply.headers:
        return "no", f"{text} in chunks, unknown to HTTP/1.0"
    return ("yes", f"{text}, closes") if closes else ("partly", f"{text}, but stays open")


def _http_10_keep_alive(target: _Target) -> _Observation:
    request = target.request("Connection: keep-alive", version="1.0")
    with target.connect() as conversation:
        conversation.send(request)
        reply = conversation.receive()
        header = reply.headers.get("connection", "none")
        if conversation.closes_within(CLOSE_S):
            return "no", f"closes after the reply (Connection: {header})"
        conversation.send(request)
        conversation.receive()
    if "keep-alive" not in header.lower():
        return "partly", "stays open without `Connection: keep-alive`; ab -k does not count it"
    return "yes", "2 requests on one connection"


def _head(target: _Target) -> _Observation:
    with target.connect() as conversation:
        conversation.send(target.request(method="HEAD"))
        reply = conversation.receive(head_only=True)
        if reply.status != target.status:
            return "no", f"status {reply.status}"
        if not reply.keeps_open:
            silent = conversation.closes_within(CLOSE_S)
            return (
                "yes" if silent else "no"
            ), f"{reply.status}, {'no body' if silent else 'a body'}, closes"
        conversation.send(target.request())
        following = conversation.receive()
    length = reply.headers.get("content-length", "none")
    text = f"{reply.status}, no body, Content-Length {length}"
    return "yes", f"{text}, then a GET answers {following.status}"


def _not_found(target: _Target) -> _Observation:
    with target.connect() as conversation:
        conversation.send(target.request(path="/no-such-page-httpdyno"))
        reply = conversation.receive()
    return ("yes" if reply.status == 404 else "no"), f"status {reply.status}"


def _split(target: _Target) -> _Observation:
    """Sends the request byte by byte, each in a packet of its own (TCP_NODELAY is on)."""
    with target.connect() as conversation:
        for byte in target.request():
            conversation.send(bytes((byte,)))
        reply = conversation.receive()
    return ("yes" if reply.status == target.status else "no"), f"status {reply.status}"


def _continue(target: _Target) -> _Observation:
    """RFC 9110 §10.1.1: the server must send 100 or a final status at once."""
    request = target.request("Content-Length: 4", "Expect: 100-continue", method="POST")
    with target.connect() as conversation:
        conversation.send(request)
        try:
            first = conversation.receive(within_s=CONTINUE_S)
        except SilenceError:
            conversation.send(b"PING")
            status = conversation.receive().status
            return "partly", f"no 100 within {CONTINUE_S:g} s; {status} after the body"
        if first.status != 100:
            return "yes", f"{first.status} at once, without the body"
        conversation.send(b"PING")
        return "yes", f"100, then {conversation.receive().status}"


def _oversized_header(target: _Target) -> _Observation:
    size = f"{OVERSIZED // 1024} KiB"
    with target.connect() as conversation:
        try:
            conversation.send(target.request(f"X-Oversized: {'x' * OVERSIZED}"))
            status = conversation.receive().status
        except SilenceError:
            raise
        except ReplyError:
            return "yes", f"closes the connection without a reply to a header of {size}"
    if status >= 500:
        return "partly", f"status {status}"
    return "yes", f"status {status}{' (accepted)' if status < 300 else ''}"


def _absolute_form(target: _Target) -> _Observation:
    """RFC 9112 §3.2.2: a server must accept the absolute form, as proxies send it."""
    with target.connect() as conversation:
        scheme = "http" if target.at.tls is None else "https"
        whole = f"{scheme}://{target.authority}{target.path}"
        conversation.send(target.request(path=whole))
        reply = conversation.receive()
    return ("yes" if reply.status == target.status else "no"), f"status {reply.status}"


PROBES: Mapping[str, Probe] = {
    "keep-alive": _keep_alive,
    "closes when asked": _honours_close,
    "pipelining, 2": _pipelining(2),
    "pipelining, 10": _pipelining(10),
    "HTTP/1.0": _http_10,
    "HTTP/1.0 keep-alive": _http_10_keep_alive,
    "HEAD": _head,
    "404": _not_found,
    "request in single bytes": _split,
    "100-continue": _continue,
    "oversized header": _oversized_header,
    "absolute-form URI": _absolute_form,
}
"""The probes, in the order of the conformance table."""
