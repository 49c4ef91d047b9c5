"""Compares a server's answers to its workloads with the contract, byte for byte."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from httpdyno.choices import HttpVersion
from httpdyno.compiled import call, compiled
from httpdyno.endpoints import endpoint_of
from httpdyno.engine_plan import ClosedLoad, EnginePlan, Stop, Target, parse_data, to_json
from httpdyno.listing import either
from httpdyno.servers.check.client import Conversation, Reply, ReplyError
from httpdyno.servers.check.requests import request
from httpdyno.servers.check.session import called_in_session
from httpdyno.servers.process.engine_calls import EngineCall, called_in_order
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
    reply_bytes: int = 0
    """Length of the reply's body."""
    http: HttpVersion = "1.1"

    @property
    def ok(self) -> bool:
        """True unless this answer keeps the server from being measured."""
        return self.agrees or self.exchange.recorded


def check_workloads(
    host: str,
    port: int,
    workloads: Sequence[Workload],
    *,
    target: Target | None = None,
    http: HttpVersion = "1.1",
) -> list[CheckRow]:
    """Send every request once, each on a connection of its own; those of a session on one. A wrong
    answer raises nothing. The engine sends sessions and calls of gRPC.

    `target`: where to connect, for a server behind a Unix socket or TLS. `http`: the version to
    speak. A request whose replies must be the same is sent twice.
    """
    at = target or Target(host=host, port=port)
    return [row for workload in workloads for row in _rows(at, workload, http)]


def request_bytes(host: str, port: int, exchange: Exchange) -> bytes:
    """The request of an exchange as HTTP/1.1, with `Connection: close`; with the values of the
    first call if it has placeholders."""
    if exchange.varies:
        return _compose(host, port, exchange)
    shown = f"[{host}]" if ":" in host else host
    body = exchange.body
    ours = {
        "Host": f"{shown}:{port}",
        "Connection": "close",
        **({} if body is None else {"Content-Length": f"{len(body)}"}),
    }
    given = {name.lower() for name, _ in exchange.headers}
    added = [f"{name}: {value}" for name, value in ours.items() if name.lower() not in given]
    lines = [
        f"{exchange.method} {exchange.path} HTTP/1.1",
        *added[:1],
        *(f"{name}: {value}" for name, value in exchange.headers),
        *added[1:],
    ]
    return "\r\n".join([*lines, "", ""]).encode() + (body or b"")


def _compose(host: str, port: int, exchange: Exchange) -> bytes:
    plan = _plan(host, port, exchange)
    composed: bytes = call(compiled().request_bytes, to_json(plan))
    return composed


def _content_fault(at: Target, exchange: Exchange, body: bytes) -> str | None:
    """The fault of a reply to the first call, which may have values that this call sent."""
    plan = _plan(at.host, at.port, exchange)
    fault: str | None = call(compiled().body_fault, to_json(plan), body)
    return fault


def _plan(host: str, port: int, exchange: Exchange) -> EnginePlan:
    return EnginePlan(
        target=Target(host=host, port=port),
        keep_alive=False,
        requests=[request(replace(exchange, grpc=False))],
        data=[parse_data(one) for one in exchange.data],
        load=ClosedLoad(connections=1),
        stop=Stop(count=1),
    )


def _rows(at: Target, workload: Workload, version: HttpVersion) -> list[CheckRow]:
    http: HttpVersion = "2" if workload.has_grpc else version
    if not workload.session:
        check = _check if http == "1.1" else _check_by_engine
        return [check(at, workload, exchange, http) for exchange in workload.exchanges]
    calls = zip(workload.measured, called_in_session(at, workload, http), strict=True)
    return [_session_row(workload, exchange, one, http) for exchange, one in calls]


def _check_by_engine(
    at: Target, workload: Workload, exchange: Exchange, http: HttpVersion
) -> CheckRow:
    times = 2 if exchange.right == "same" else 1
    data = [parse_data(one) for one in exchange.data]
    every_one = request(replace(exchange, check_one_in=1))
    calls = called_in_order(at, [every_one] * times, data=data, http=http)
    first = next((one for one in calls if one.fault), calls[0])
    if not first.fault and (fault := _type_fault(exchange, first.headers)):
        first = first._replace(fault=fault)
    return _session_row(workload, exchange, first, http)


def _session_row(
    workload: Workload, exchange: Exchange, one: EngineCall, http: HttpVersion
) -> CheckRow:
    name = endpoint_of(exchange.name, exchange.method, exchange.path)
    fault = one.fault.removeprefix(f"{exchange.method} {exchange.path}: ")
    detail = fault.removeprefix(f"{name}: ") or f"{one.status}, {one.body_bytes:,} bytes"
    return CheckRow(workload, exchange, not one.fault, detail, one.body_bytes, http)


def _check(at: Target, workload: Workload, exchange: Exchange, http: HttpVersion) -> CheckRow:
    try:
        reply = _reply(at, exchange)
        again = _reply(at, exchange) if exchange.right == "same" else reply
    except ReplyError as error:
        return CheckRow(workload, exchange, agrees=False, detail=str(error), http=http)
    faults = [*_head_faults(exchange, reply), *_body_faults(at, exchange, reply, again)]
    detail = "; ".join(faults) or f"{reply.status}, {len(reply.body):,} bytes"
    return CheckRow(workload, exchange, not faults, detail, len(reply.body), http)


def _reply(at: Target, exchange: Exchange) -> Reply:
    with Conversation(at.host, at.port, target=at) as conversation:
        conversation.send(request_bytes(at.host, at.port, exchange))
        return conversation.receive(head_only=exchange.method == "HEAD")


def _head_faults(exchange: Exchange, reply: Reply) -> list[str]:
    faults = []
    known = exchange.statuses
    if known is None and not 200 <= reply.status < 400:
        faults.append(f"status {reply.status}, expected 2xx or 3xx")
    elif known is not None and reply.status not in known:
        faults.append(f"status {reply.status}, expected {either(list(map(str, known)))}")
    if fault := _type_fault(exchange, reply.headers):
        faults.append(fault)
    return faults


def _type_fault(exchange: Exchange, headers: Mapping[str, str]) -> str:
    given = headers.get("content-type", "none")
    # A parameter may stand behind its `;` with or without a blank (RFC 9110, section 5.6.6).
    right = re.sub(r";\s*", "; ", given.lower()).startswith(exchange.content_type)
    return "" if right else f"type `{given}`, expected `{exchange.content_type}`"


def _body_faults(at: Target, exchange: Exchange, reply: Reply, again: Reply) -> list[str]:
    """`again`: the reply to the same request, sent a second time."""
    length = len(reply.body)
    match exchange.right:
        case "answer" if reply.body != exchange.answer:
            if exchange.recorded and length <= _SHORT:
                return [f"answers {reply.body.decode('latin-1')!r}"]
            return [difference(exchange.answer, reply.body)]
        case "length" if length != exchange.length:
            return [f"body: {length:,} bytes, expected {exchange.length:,}"]
        case "json" | "html" | "regex":
            fault = _content_fault(at, exchange, reply.body)
            return [f"body: {length:,} bytes, {fault}"] if fault else []
        case "same" if again.body != reply.body:
            return [
                f"the second reply differs from the first: {difference(reply.body, again.body)}"
            ]
        case _:
            return []


def difference(expected: bytes, got: bytes) -> str:
    """The difference of two bodies: lengths, the first differing byte, and the bytes around it."""
    pairs = zip(expected, got, strict=False)
    shorter = min(len(expected), len(got))
    at = next((place for place, (one, two) in enumerate(pairs) if one != two), shorter)
    start = max(at - _AROUND // 2, 0)
    right, seen = (body[start : start + _AROUND].decode("latin-1") for body in (expected, got))
    lengths = (
        f"{len(got):,} bytes, expected {len(expected):,}; " if len(got) != len(expected) else ""
    )
    return f"body: {lengths}from byte {at:,}: got {seen!r}, expected {right!r}"
