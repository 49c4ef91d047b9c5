"""The generator's ceiling: its throughput under a load shape against the reference server.

A server that comes near the ceiling may be faster than its number shows: the generator limits it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from httpdyno.engine_plan import EnginePlan
from httpdyno.errors import HttpdynoError, NodeFault
from httpdyno.host.pinning import Pinning
from httpdyno.plan import CEILING_TRIES, Cell, ceiling_warm_up_s
from httpdyno.running.machines.site import Site
from httpdyno.running.measuring.engine_plan import engine_plan, longest_s
from httpdyno.running.measuring.processors import Processors
from httpdyno.servers.check.session import without_kept
from httpdyno.servers.process.usage import UsageMeter
from httpdyno.study import ClosedLoad
from httpdyno.study.loads import Point
from httpdyno.units import counted
from httpdyno.verdict import Context, judge
from httpdyno.workloads import Workload
from httpdyno.workloads.call import GRPC, PREFIX, framed_message

SESSION_CONNECTIONS = 64
BUILT_IN = "/echo"
DISTURBANCES = {"generator_stopped", "server_starved"}
"""Reasons that other programs disturbed a try. `generator_busy` is none: that is the ceiling."""


def shape(cell: Cell) -> str:
    """Names everything that a ceiling depends on: cells with the same shape share one."""
    load = cell.load
    use = "keep-alive" if load.keep_alive else "close"
    return (
        f"{cell.arm.workload}, {_connections(cell)} connections, HTTP/{load.version}, {use},"
        f" streams {load.streams}, burst {load.burst}, calls {load.calls_on_connection or 'any'}"
    )


def shape_title(cell: Cell) -> str:
    """The shape in words: `hello, 10 connections, HTTP/1.1, keep-alive`."""
    load, connections = cell.load, counted(_connections(cell), "connection")
    calls = f", {load.calls_per_arrival:,} requests per connection" if load.in_sessions else ""
    return f"{cell.arm.workload}, {connections}, {load.http_words()}{calls}"


class Ceiling(NamedTuple):
    """The ceiling of a load shape."""

    per_s: float
    is_bound: bool = False
    """Only a lower bound is known: the machine was busy whenever it was measured."""


def measure_ceiling(cell: Cell, workload: Workload, site: Site) -> Ceiling | None:
    """Replies/s of the reference server under a closed load of the cell's shape, at full speed.

    The reference server runs where the servers do, and the load generators are those of the trials.
    It is measured once more if other programs disturbed all tries. None when it cannot be measured;
    the trials are measured all the same. An interruption ends it at once, without a result. Raises
    NodeFault when another machine is lost.
    """
    pages = [
        (exchange.path, exchange.content_type, exchange.answer)
        for exchange in workload.measured
        if not exchange.path.startswith(BUILT_IN)
    ]
    try:
        with site.reference(pages) as (target, pinning):
            plan = engine_plan(closed(cell, cell.ceiling_s), workload, target, pinning, seed=1)
            found = _tries(CEILING_TRIES, plan, site, pinning)
            if found and all(one.is_bound for one in found):
                found += _tries(1, plan, site, pinning)
    except NodeFault:
        raise
    except HttpdynoError:
        return None
    if not found:
        return None
    return Ceiling(max(one.per_s for one in found), all(one.is_bound for one in found))


def _tries(number: int, plan: EnginePlan, site: Site, pinning: Pinning) -> list[Ceiling]:
    """The results of so many tries; of those in which no call failed."""
    tries = [_measure(plan, site, pinning) for _ in range(number)]
    return [one for one in tries if one is not None]


def for_reference(workload: Workload, reply_bytes: Sequence[int]) -> Workload:
    """A workload as the reference server can answer it: replies of the same lengths.

    The paths of a study's own are replaced, because some of them tell the reference server to delay
    or to fail. So are those with placeholders, or with answers that are not fixed bytes. A session
    has no pauses, and its replies no values.
    """
    if not workload.own and all(one.right == "answer" for one in workload.measured):
        return workload
    workload = without_kept(workload).without_pauses
    lengths = [*reply_bytes, *[0] * len(workload.measured)]
    measured = [
        replace(
            exchange,
            path=f"/{number}",
            content_type=GRPC if exchange.grpc else "text/plain",
            status=200,
            right="any" if exchange.method == "HEAD" else "answer",
            answer=framed_message(bytes(max(0, length - PREFIX)))
            if exchange.grpc
            else b"x" * length,
        )
        for number, (exchange, length) in enumerate(zip(workload.measured, lengths, strict=False))
    ]
    return replace(workload, measured=tuple(measured))


def _measure(plan: EnginePlan, site: Site, pinning: Pinning) -> Ceiling | None:
    """One try; None if a call failed."""
    watch, within_s = site.watch(), longest_s(plan)
    # The reference server of this machine is a part of this process, as the engine is.
    meter = None if site.machines else UsageMeter(os.getpid())
    with site.generator.start(plan) as running:
        running.follow("measuring", within_s=within_s)
        watch.begin()
        before = meter.snapshot() if meter else None
        running.follow("draining", within_s=within_s)
        after = meter.snapshot() if meter else None
        machines = watch.end()
        running.follow("done", within_s=within_s)
        found = running.result()
    if found.calls.failed:
        return None
    engine_s, reference_s = found.cpu.user_s + found.cpu.system_s, None
    if before is not None and after is not None:
        reference_s = max(0.0, after.cpu_s - before.cpu_s - engine_s)
    cores = sorted({*pinning.server, *(pinning.generator if pinning.shared else ())})
    processors = Processors(cores, list(pinning.generator), site.watch, lambda: meter)
    contention = processors.share(machines, reference_s, engine_s, found.throughput_per_s)
    verdict = judge(
        found, Context(plan, shared_cores=pinning.shared, in_study=True, contention=contention)
    )
    disturbed = not DISTURBANCES.isdisjoint(reason.code for reason in verdict.reasons)
    return Ceiling(found.throughput_per_s, disturbed)


def closed(cell: Cell, window_s: float) -> Cell:
    """The same shape as a closed load, at full speed."""
    connections = _connections(cell)
    load = ClosedLoad(
        kind="closed",
        connections=(connections,),
        duration=window_s,
        http=cell.load.http,
        streams=cell.load.streams,
        keep_alive=cell.load.keep_alive,
        burst=cell.load.burst,
        calls_per_connection=cell.load.calls_on_connection,
    )
    point = Point("ceiling", None, connections)
    return replace(cell, load=load, point=point, warm_up_s=ceiling_warm_up_s(window_s))


def _connections(cell: Cell) -> int:
    return cell.point.connections or SESSION_CONNECTIONS
