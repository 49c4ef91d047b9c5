"""The time to merge the results of many load generators."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace

from httpdyno import engine
from httpdyno.engine_plan import (
    Arrivals,
    EnginePlan,
    PlanPart,
    Request,
    RequestsLoad,
    Stop,
    Target,
)
from peers.runs.compare import say
from peers.tables.goals import Goal

PAGE = ("/hello", "text/plain", b"Hello, world!")
MOST_S = 1.0
RATE = 10_000.0
SECONDS = 10.0
LEAD_S = 2.0
TIMES = 20


@dataclass(frozen=True)
class Merged:
    """The merging of one run."""

    nodes: int
    calls: int
    seconds: list[float]
    sizes: list[int]
    """Bytes of each load generator's results."""


def measure(nodes: int) -> Merged:
    """Run one plan in as many parts, all in this process, and merge their results many times."""
    say(f"merging {nodes} results")
    plan, parts = _parts(nodes)
    taken = []
    for _ in range(TIMES):
        began = time.perf_counter()
        whole = engine.merge(plan, parts)
        taken.append(time.perf_counter() - began)
    return Merged(nodes, whole.calls.ok, taken, [len(part) for part in parts])


def _parts(nodes: int) -> tuple[EnginePlan, list[bytes]]:
    with engine.reference(pages=[PAGE]) as server, ExitStack() as stack:
        host, _, port = server.address.rpartition(":")
        plan = EnginePlan(
            target=Target(host=host, port=int(port)),
            requests=[Request(path=PAGE[0])],
            load=RequestsLoad(arrivals=Arrivals.steady(RATE), connections=4 * nodes),
            warm_up_s=1.0,
            stop=Stop(duration_s=SECONDS),
        )
        at = time.time_ns() + round(LEAD_S * 1e9)
        running = []
        for index in range(nodes):
            part = replace(plan, part=PlanPart(index=index, of=nodes))
            running.append(stack.enter_context(engine.start(part, at=at)))
        for one in running:
            one.follow("done")
        return plan, [one.whole() for one in running]


def goal(merged: Merged) -> Goal:
    """The goal for the time of a merge."""
    title = f"results of {merged.nodes} load generators merged in < {MOST_S:g} s"
    middle = statistics.median(merged.seconds)
    return Goal(title, middle < MOST_S, f"{middle * 1e3:.1f} ms, the median of {TIMES}")


def table(merged: Merged) -> Iterator[str]:
    """The merge in words."""
    yield (
        f"Merging {merged.nodes} results of {merged.calls:,} requests in {SECONDS:g} s took"
        f" {statistics.median(merged.seconds) * 1e3:.1f} ms (median of {TIMES}). A load"
        f" generator's result has {statistics.median(merged.sizes) / 1024:.0f} KiB."
    )
