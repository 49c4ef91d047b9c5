"""The machines of a run on several: what each measured by itself, beside the merged measurement."""

from __future__ import annotations

from httpdyno.value import Value

UNSURE_CLOCK_NS = 1_000_000
"""With a larger error of the clock, the same second is not the same on two machines."""


class NodePart(Value):
    """The part of a plan that one load generator carried out."""

    index: int
    """Its number, from 0 on."""
    of: int
    """Number of parts."""
    threads: int
    cpus: list[int]
    """The processors of its threads."""
    connections: int | None
    """Its share of the connections, or of the sessions that may be open; null: no limit."""
    count: int | None
    """Its share of a count of calls or sessions; null: the plan has none."""
    rates_per_s: list[float] | None
    """Its share of the rates of the schedule, in their order: one, or the ends of each step and
    ramp. Null: a closed load, or sessions without a rate."""
    source: str | None = None
    """The address that it connects from; null: chosen by its kernel."""

    def from_address(self, source: str | None) -> NodePart:
        """The same part, connecting from an address."""
        return self.model_copy(update={"source": source})


class Node(Value):
    """One load generator of several."""

    name: str
    ok: int
    """Calls with the right reply."""
    p99_ns: int
    """p99 of its own response times. The merged one is not computed from these."""
    lag_p99_ns: int
    """p99 of its own lag."""
    busy_share: float
    """Share of the window that its busiest engine thread spent on a processor, 0 to 1."""
    started_at_ns: int
    """Start of its schedule by its own wall clock, in nanoseconds since 1970."""
    offset_ns: int | None = None
    """Lead of its wall clock over that of the coordinator before the run; null: not measured."""
    offset_error_ns: int | None = None
    """Largest error of `offset_ns`."""
    part: NodePart | None = None
    """Null: nobody has named the machines."""
