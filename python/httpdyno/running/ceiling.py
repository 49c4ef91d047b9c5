"""What the generator reaches on this machine: the same load shape against the reference server.

A server that comes near it may be faster than its number: the generator would not know.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from httpdyno import engine
from httpdyno.errors import HttpdynoError
from httpdyno.host import split
from httpdyno.plan import Cell, Point
from httpdyno.running.engine_plan import order
from httpdyno.study import ClosedLoad
from httpdyno.study.abilities import calls_per_connection
from httpdyno.workloads import Workload

WARM_UP_S = 0.3
WINDOW_S = 1.5
SESSION_CONNECTIONS = 64
BUILT_IN = "/echo"
TRIES = 2
"""A neighbour can only make a ceiling lower: the higher of two is nearer to it."""


def shape(cell: Cell) -> str:
    """Names all that a ceiling depends on: cells with the same shape share one."""
    load = cell.load
    use = "keep-alive" if load.keep_alive else "close"
    return (
        f"{cell.arm.workload}, {_connections(cell)} connections, HTTP/{load.http}, {use},"
        f" burst {load.burst}, calls {calls_per_connection(cell.load) or 'any'}"
    )


def measure_ceiling(cell: Cell, workload: Workload, cpus: Sequence[int]) -> float | None:
    """Replies a second of the reference server under a closed load of the cell's shape.

    None when it cannot be had; the trials are measured all the same.
    """
    pinning = split(cpus, 1)
    pages = [
        (exchange.path, exchange.content_type, exchange.answer)
        for exchange in workload.measured
        if not exchange.path.startswith(BUILT_IN)
    ]
    try:
        with engine.reference(pages=pages, cpus=pinning.server) as server:
            host, _, port = server.address.rpartition(":")
            target = (host, int(port))
            plan = order(_closed(cell), workload, target, pinning, seed=1)
            tries = [engine.measure(plan) for _ in range(TRIES)]
    except HttpdynoError:
        return None
    return max((one.throughput_per_s for one in tries if one.calls.failed == 0), default=None)


def _closed(cell: Cell) -> Cell:
    """The same shape, as fast as it goes, for two seconds."""
    connections = _connections(cell)
    load = ClosedLoad(
        kind="closed",
        connections=(connections,),
        duration=WINDOW_S,
        http=cell.load.http,
        keep_alive=cell.load.keep_alive,
        burst=cell.load.burst,
        calls_per_connection=calls_per_connection(cell.load),
    )
    point = Point("ceiling", None, connections)
    return replace(cell, load=load, point=point, warm_up_s=WARM_UP_S)


def _connections(cell: Cell) -> int:
    return cell.point.connections or SESSION_CONNECTIONS
