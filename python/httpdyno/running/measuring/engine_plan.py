"""A cell as a plan for the engine: the requests, the load, the generator's cores."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from httpdyno.engine_plan import (
    EnginePlan,
    Http2,
    Request,
    Stop,
    Target,
    Timeouts,
    parse_data,
)
from httpdyno.host.pinning import Pinning
from httpdyno.plan import Cell
from httpdyno.servers.check.requests import request, script_of
from httpdyno.workloads import Exchange, Workload

MOST_THREADS = 4


def engine_plan(
    cell: Cell, workload: Workload, target: Target | tuple[str, int], pinning: Pinning, seed: int
) -> EnginePlan:
    """The engine's plan for one trial of `cell` against `target`, or a host and port."""
    cpus = pinning.generator
    load = cell.load
    threads = _threads(cell, cpus)
    script, shape = script_of(workload, load.think), load.engine_load(cell.point)
    return EnginePlan(
        target=target if isinstance(target, Target) else Target(host=target[0], port=target[1]),
        http=load.version,
        http2=Http2(streams=load.streams) if load.version == "2" else None,
        keep_alive=load.keep_alive,
        requests=_requests(workload.measured),
        data=[parse_data(one) for one in workload.data],
        load=shape if script is None else shape.of_sessions(len(script)),
        scripts=None if script is None else [script],
        calls_per_connection=None if script else load.calls_per_connection,
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


def longest_s(plan: EnginePlan) -> float:
    """The seconds after which a run that has not ended is stuck."""
    ends = plan.stop.duration_s if plan.stop.duration_s is not None else 3600.0
    return plan.warm_up_s + ends + plan.stop.drain_s + (plan.timeouts.reply_s or 0) + 30.0


def _threads(cell: Cell, cpus: Sequence[int]) -> int:
    """One thread per core of the generator, but no more threads than connections."""
    connections = cell.point.connections or MOST_THREADS
    return max(1, min(len(cpus), MOST_THREADS, connections))
