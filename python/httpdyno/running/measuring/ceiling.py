"""The generator's ceiling: its throughput under a load shape against the reference server.

A server that comes near the ceiling may be faster than its number shows: the generator limits it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from httpdyno.engine_plan import EnginePlan
from httpdyno.errors import HttpdynoError, NodeFault
from httpdyno.measurement import Measurement
from httpdyno.plan import CEILING_TRIES, Cell, Point, ceiling_warm_up_s
from httpdyno.running.machines.site import Site
from httpdyno.running.measuring.engine_plan import engine_plan, longest_s
from httpdyno.study import ClosedLoad
from httpdyno.study.abilities import calls_per_connection
from httpdyno.workloads import Workload

SESSION_CONNECTIONS = 64
BUILT_IN = "/echo"


def shape(cell: Cell) -> str:
    """Names everything that a ceiling depends on: cells with the same shape share one."""
    load = cell.load
    use = "keep-alive" if load.keep_alive else "close"
    return (
        f"{cell.arm.workload}, {_connections(cell)} connections, HTTP/{load.http}, {use},"
        f" burst {load.burst}, calls {calls_per_connection(cell.load) or 'any'}"
    )


def shape_title(cell: Cell) -> str:
    """The shape in words: `hello, 10 connections, HTTP/1.1, keep-alive`."""
    load, calls = cell.load, calls_per_connection(cell.load)
    limit = "" if calls is None else f", {calls:,} requests per connection"
    connections = f"{_connections(cell):,} connections"
    return f"{cell.arm.workload}, {connections}, {load.connection_words}{limit}"


def measure_ceiling(cell: Cell, workload: Workload, site: Site) -> float | None:
    """Replies/s of the reference server under a closed load of the cell's shape, at full speed.

    The reference server runs where the servers do, and the load generators are those of the trials.
    None when it cannot be measured; the trials are measured all the same. An interruption ends it
    at once, without a result. Raises NodeFault when another machine is lost.
    """
    pages = [
        (exchange.path, exchange.content_type, exchange.answer)
        for exchange in workload.measured
        if not exchange.path.startswith(BUILT_IN)
    ]
    try:
        with site.reference(pages) as (target, pinning):
            plan = engine_plan(closed(cell, cell.ceiling_s), workload, target, pinning, seed=1)
            tries = [_measure(plan, site) for _ in range(CEILING_TRIES)]
    except NodeFault:
        raise
    except HttpdynoError:
        return None
    return max((one.throughput_per_s for one in tries if one.calls.failed == 0), default=None)


def for_reference(workload: Workload, reply_bytes: Sequence[int]) -> Workload:
    """A study's own workload as the reference server can answer it: replies of the same lengths.

    Its paths are replaced, because some of them tell the reference server to delay or to fail.
    """
    if not workload.own:
        return workload
    lengths = [*reply_bytes, *[0] * len(workload.measured)]
    measured = [
        replace(
            exchange,
            path=f"/{number}",
            content_type="text/plain",
            status=200,
            right="any" if exchange.method == "HEAD" else "answer",
            answer=b"x" * length,
        )
        for number, (exchange, length) in enumerate(zip(workload.measured, lengths, strict=False))
    ]
    return replace(workload, measured=tuple(measured))


def _measure(plan: EnginePlan, site: Site) -> Measurement:
    with site.generator.start(plan) as running:
        running.follow("done", within_s=longest_s(plan))
        return running.result()


def closed(cell: Cell, window_s: float) -> Cell:
    """The same shape as a closed load, at full speed."""
    connections = _connections(cell)
    load = ClosedLoad(
        kind="closed",
        connections=(connections,),
        duration=window_s,
        http=cell.load.http,
        keep_alive=cell.load.keep_alive,
        burst=cell.load.burst,
        calls_per_connection=calls_per_connection(cell.load),
    )
    point = Point("ceiling", None, connections)
    return replace(cell, load=load, point=point, warm_up_s=ceiling_warm_up_s(window_s))


def _connections(cell: Cell) -> int:
    return cell.point.connections or SESSION_CONNECTIONS
