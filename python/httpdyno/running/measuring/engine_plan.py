"""A cell as a plan for the engine: the requests, the load, the generator's cores."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from functools import lru_cache
from typing import assert_never

from httpdyno.engine_plan import (
    Base64,
    Body,
    EnginePlan,
    Expect,
    Html,
    Http2,
    InCookie,
    InHeader,
    InJson,
    InMatch,
    Json,
    Keep,
    Length,
    Like,
    Regex,
    Request,
    Same,
    Script,
    ScriptStep,
    Stop,
    Target,
    Text,
    Timeouts,
    parse_data,
)
from httpdyno.host.pinning import Pinning
from httpdyno.plan import Cell
from httpdyno.workloads import Exchange, Workload

MOST_THREADS = 4


def engine_plan(
    cell: Cell, workload: Workload, target: Target | tuple[str, int], pinning: Pinning, seed: int
) -> EnginePlan:
    """The engine's plan for one trial of `cell` against `target`, or a host and port."""
    cpus = pinning.generator
    load = cell.load
    threads = _threads(cell, cpus)
    return EnginePlan(
        target=target if isinstance(target, Target) else Target(host=target[0], port=target[1]),
        http=load.http,
        http2=Http2(streams=load.streams) if load.http == "2" else None,
        keep_alive=load.keep_alive,
        requests=_requests(workload.measured),
        data=[parse_data(one) for one in workload.data],
        load=load.engine_load(cell.point),
        calls_per_connection=load.calls_per_connection,
        burst=load.burst,
        think_s=load.think,
        timeouts=Timeouts(
            connect_s=load.connect_timeout,
            first_byte_s=load.first_byte_timeout,
            reply_s=load.timeout,
        ),
        warm_up_s=cell.warm_up_s,
        stop=Stop(count=load.count, duration_s=load.duration),
        threads=threads,
        cpus=list(cpus)[:threads],
        seed=seed,
        low_latency=True,
        shared_cpus=pinning.shared,
    )


@lru_cache(maxsize=8)
def _requests(exchanges: tuple[Exchange, ...]) -> list[Request]:
    """The requests of a workload, made once for all of its trials: it may have 100,000."""
    return [request(exchange) for exchange in exchanges]


def request(exchange: Exchange) -> Request:
    """An exchange as a request whose reply is checked: byte for byte, unless it says otherwise."""
    body: Body | None = None if exchange.body is None else _bytes(exchange.body)
    if exchange.body is not None and exchange.body_varies:
        body = Text(text=exchange.body.decode())
    return Request(
        name=exchange.name,
        method=exchange.method,
        path=exchange.path,
        headers=list(exchange.headers),
        body=body,
        placeholders=exchange.varies,
        keep=[_keep(*one) for one in exchange.keep],
        weight=exchange.weight,
        expect=Expect(
            status=None if exchange.statuses is None else list(exchange.statuses),
            body=_right_body(exchange),
            check_one_in=exchange.check_one_in,
        ),
    )


def _keep(name: str, kind: str, place: str) -> Keep:
    source: InJson | InMatch | InHeader | InCookie
    match kind:
        case "regex":
            source = InMatch(regex=place)
        case "header":
            source = InHeader(header=place)
        case "cookie":
            source = InCookie(cookie=place)
        case _:
            source = InJson(json=place)
    return Keep(name=name, source=source)


def script_of(workload: Workload, think_s: float) -> Script | None:
    """The script of a workload's session over its requests; None: the workload is no session.

    `think_s` is the pause behind calls that name none.
    """
    if not workload.session:
        return None
    return [
        ScriptStep(requests=[index], think_s=think_s if one.think_s is None else one.think_s)
        for index, one in enumerate(workload.measured)
        for _ in range(one.weight)
    ]


def _right_body(exchange: Exchange) -> Body | Length | Same | Like | Json | Html | Regex | None:
    text = exchange.answer.decode
    right: Body | Length | Same | Like | Json | Html | Regex | None
    match exchange.right:
        case "answer":
            right = _bytes(exchange.answer)
        case "length":
            right = Length(length=exchange.length)
        case "same":
            right = Same()
        case "like":
            right = Like()
        case "json":
            right = Json(json=text())
        case "html":
            right = Html(html=text())
        case "regex":
            right = Regex(regex=text())
        case "any":
            right = None
        case _:
            assert_never(exchange.right)
    return right


def longest_s(plan: EnginePlan) -> float:
    """The seconds after which a run that has not ended is stuck."""
    ends = plan.stop.duration_s if plan.stop.duration_s is not None else 3600.0
    return plan.warm_up_s + ends + plan.stop.drain_s + (plan.timeouts.reply_s or 0) + 30.0


def _bytes(content: bytes) -> Base64:
    return Base64(base64=base64.b64encode(content).decode())


def _threads(cell: Cell, cpus: Sequence[int]) -> int:
    """One thread per core of the generator, but no more threads than connections."""
    connections = cell.point.connections or MOST_THREADS
    return max(1, min(len(cpus), MOST_THREADS, connections))
