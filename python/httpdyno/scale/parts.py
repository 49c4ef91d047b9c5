"""The part of a plan that one load generator of several carries out, as it is sent and stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from httpdyno.engine_plan import EnginePlan, PlanPart, to_json
from httpdyno.measurement import NodePart

__all__ = ["document", "part_of"]

_MOST_THREADS = 1024


def part_of(
    plan: EnginePlan, cores: Sequence[int], most_threads: int | None, index: int, of: int
) -> NodePart:
    """Part `index` of `of`, on these cores; None: one thread per core.

    The engine divides the plan. These are its numbers: the first parts get what is left over.
    """

    def share(total: int | None) -> int | None:
        return None if total is None else total // of + (index < total % of)

    load = plan.load
    # Each thread needs a connection, in the smallest part too.
    useful = _MOST_THREADS if load.in_sessions else max(1, (load.most_open or 1) // of)
    threads = min(most_threads or len(cores), len(cores), useful)
    return NodePart(
        index=index,
        of=of,
        threads=threads,
        cpus=list(cores[:threads]),  # always: the agent is pinned to its own
        connections=share(load.most_open),
        count=share(plan.stop.count),
        rates_per_s=_rates(plan, of),
    )


def document(plan: EnginePlan, part: NodePart) -> str:
    """The plan of a load generator, for its agent."""
    source = plan.source
    if part.source and not source.addresses:
        source = replace(source, addresses=[part.source])
    own = PlanPart(index=part.index, of=part.of)
    threads, cpus = part.threads, part.cpus
    return to_json(replace(plan, part=own, threads=threads, cpus=cpus, source=source))


def _rates(plan: EnginePlan, of: int) -> list[float] | None:
    if plan.load.schedule is None:
        return None
    segments = plan.load.schedule.segments
    ends = (rate for one in segments for rate in (one.from_per_s, one.to_per_s))
    return [rate / of for rate, _ in groupby(ends)]
