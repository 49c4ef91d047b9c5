"""Compares a server's answers to its workloads with the contract, byte for byte."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from httpdyno.servers.check.client import Conversation, Reply, ReplyError
from httpdyno.workloads import Exchange, Workload

_AROUND = 20
_SHORT = 200
"""Longest recorded body, in bytes, that is shown whole."""


@dataclass(frozen=True)
class CheckRow:
    """One exchange and the server's answer. `agrees`: it is the contract's, byte for byte.

    `detail` describes the answer. An exchange that is only recorded is `ok` whatever the answer.
    """

    workload: Workload
    exchange: Exchange
    agrees: bool
    detail: str

    @property
    def ok(self) -> bool:
        """True unless this answer keeps the server from being measured."""
        return self.agrees or self.exchange.recorded


def check_workloads(host: str, port: int, workloads: Sequence[Workload]) -> list[CheckRow]:
    """Send every request once, each on a connection of its own. A wrong answer raises nothing."""
    return [
        _check(host, port, workload, exchange)
        for workload in workloads
        for exchange in workload.exchanges
    ]


def request_bytes(host: str, port: int, exchange: Exchange) -> bytes:
    """The request of an exchange as HTTP/1.1, with `Connection: close`."""
    lines = [
        f"{exchange.method} {exchange.path} HTTP/1.1",
        f"Host: {host}:{port}",
        *(f"{name}: {value}" for name, value in exchange.headers),
        "Connection: close",
    ]
    if exchange.body is not None:
        lines.append(f"Content-Length: {len(exchange.body)}")
    return "\r\n".join([*lines, "", ""]).encode() + (exchange.body or b"")


def _check(host: str, port: int, workload: Workload, exchange: Exchange) -> CheckRow:
    try:
        with Conversation(host, port) as conversation:
            conversation.send(request_bytes(host, port, exchange))
            reply = conversation.receive(head_only=exchange.method == "HEAD")
    except ReplyError as error:
        return CheckRow(workload, exchange, agrees=False, detail=str(error))
    faults = _faults(exchange, reply)
    detail = "; ".join(faults) or f"{reply.status}, {len(reply.body):,} bytes"
    return CheckRow(workload, exchange, agrees=not faults, detail=detail)


def _faults(exchange: Exchange, reply: Reply) -> list[str]:
    faults = []
    if reply.status != exchange.status:
        faults.append(f"status {reply.status}, expected {exchange.status}")
    content_type = reply.headers.get("content-type", "none")
    if not content_type.lower().startswith(exchange.content_type):
        faults.append(f"type `{content_type}`, expected `{exchange.content_type}`")
    if reply.body != exchange.answer:
        short = exchange.recorded and len(reply.body) <= _SHORT
        faults.append(
            f"answers {reply.body.decode('latin-1')!r}"
            if short
            else difference(exchange.answer, reply.body)
        )
    return faults


def difference(expected: bytes, got: bytes) -> str:
    """The difference of two bodies: lengths, the first differing byte, and the bytes around it."""
    pairs = zip(expected, got, strict=False)
    shorter = min(len(expected), len(got))
    at = next((place for place, (one, two) in enumerate(pairs) if one != two), shorter)
    start = max(at - _AROUND // 2, 0)
    wanted, seen = (body[start : start + _AROUND].decode("latin-1") for body in (expected, got))
    lengths = (
        f"{len(got):,} bytes, expected {len(expected):,}; " if len(got) != len(expected) else ""
    )
    return f"body: {lengths}from byte {at:,}: got {seen!r}, expected {wanted!r}"
