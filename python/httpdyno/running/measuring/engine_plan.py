"""A cell as a plan for the engine: the requests, the load, the generator's cores."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import assert_never

from httpdyno.engine_plan import (
    Arrivals,
    Base64,
    Body,
    ClosedLoad,
    EnginePlan,
    Expect,
    Length,
    Like,
    Load,
    Request,
    RequestsLoad,
    Same,
    SessionsLoad,
    Stop,
    Target,
    Timeouts,
)
from httpdyno.errors import InternalFault
from httpdyno.host import Pinning
from httpdyno.plan import Cell
from httpdyno.study import model as study
from httpdyno.workloads import Exchange, Workload

MOST_THREADS = 4
DRAIN_S = 5.0


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
        keep_alive=load.keep_alive,
        requests=[request(exchange) for exchange in workload.measured],
        load=_load(cell),
        calls_per_connection=_calls_per_connection(load),
        burst=load.burst,
        think_s=load.think,
        timeouts=Timeouts(
            connect_s=load.connect_timeout,
            first_byte_s=load.first_byte_timeout,
            reply_s=load.timeout,
        ),
        warm_up_s=cell.warm_up_s,
        stop=Stop(count=cell.count, duration_s=load.duration, drain_s=DRAIN_S),
        threads=threads,
        cpus=list(cpus)[:threads],
        seed=seed,
        low_latency=True,
        shared_cpus=pinning.shared,
    )


def request(exchange: Exchange) -> Request:
    """An exchange as a request whose reply is checked: byte for byte, unless it says otherwise."""
    body = None if exchange.body is None else _bytes(exchange.body)
    return Request(
        method=exchange.method,
        path=exchange.path,
        headers=list(exchange.headers),
        body=body,
        weight=exchange.weight,
        expect=Expect(
            status=None if exchange.status is None else [exchange.status],
            body=_right_body(exchange),
        ),
    )


def _right_body(exchange: Exchange) -> Body | Length | Same | Like | None:
    match exchange.right:
        case "answer":
            return _bytes(exchange.answer)
        case "length":
            return Length(length=exchange.length)
        case "same":
            return Same()
        case "like":
            return Like()
        case "any":
            return None
        case _:
            assert_never(exchange.right)


def longest_s(plan: EnginePlan) -> float:
    """The seconds after which a run that has not ended is stuck."""
    ends = plan.stop.duration_s if plan.stop.duration_s is not None else 3600.0
    return plan.warm_up_s + ends + plan.stop.drain_s + (plan.timeouts.reply_s or 0) + 30.0


def _bytes(content: bytes) -> Base64:
    return Base64(base64=base64.b64encode(content).decode())


def _load(cell: Cell) -> Load:
    load, point = cell.load, cell.point
    match load:
        case study.ClosedLoad():
            return ClosedLoad(connections=point.connections or 1)
        case study.RequestsLoad():
            arrivals = Arrivals.steady(point.rate_per_s or 0, load.arrivals)
            pool = point.connections or load.connections
            return RequestsLoad(arrivals=arrivals, connections=pool)
        case study.SessionsLoad():
            arrivals = Arrivals.steady(point.rate_per_s or 0, load.arrivals)
            return SessionsLoad(arrivals=arrivals, calls=load.calls, max_open=load.max_open)
        case study.CapacityLoad():
            raise InternalFault("a capacity load is measured step by step, not as a whole")
        case _:
            assert_never(load)


def _calls_per_connection(load: study.Load) -> int | None:
    return None if isinstance(load, study.SessionsLoad) else load.calls_per_connection


def _threads(cell: Cell, cpus: Sequence[int]) -> int:
    """One thread per core of the generator, but no more threads than connections."""
    connections = cell.point.connections or MOST_THREADS
    return max(1, min(len(cpus), MOST_THREADS, connections))
