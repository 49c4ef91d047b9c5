"""The walk of one start of a server along rates: its steps, and what they say about its capacity.

A walk is stored in the outcome of a trial, and shown in the result of a study.
"""

from __future__ import annotations

from typing import Literal

from httpdyno.value import Value

Task = Literal["measure", "climb", "confirm", "profile"]
"""The task of a trial. `measure`: one load point. The others belong to a capacity load: climb to
the limits, confirm the capacity on a fresh start, or measure its cost and an overload."""
StepOutcome = Literal["held", "failed", "generator", "disturbed"]
"""`generator`: a limit failed while the load generator could send no more, by its own counters.
`disturbed`: a limit failed while something else took the time. Neither says anything about the
server."""
Ending = Literal[
    "limit", "ceiling", "generator", "disturbed", "contradicted", "never", "longest", "skipped"
]
"""Why a climb ended: two failures at one rate; the next rate is too near the generator's ceiling;
two failures of the generator; too many disturbed steps; rates far above its ends held; no rate
held; the longest climb."""


class WalkStep(Value):
    """One rate, held for a while on a running server. Rates per second, times in seconds."""

    rate_per_s: float
    outcome: StepOutcome
    use: float | None
    """The largest of value ÷ limit: above 1, a limit did not hold. None: nothing was measured, or
    the server fell behind, so that its latency grows with the length of the step."""
    start: int | None = None
    """In a result: the start of the server that took this step, from 0."""
    why: str = ""
    """Why it did not hold, in words."""
    seconds: float = 0.0
    throughput_per_s: float | None = None
    p50_s: float | None = None
    p99_s: float | None = None
    error_share: float | None = None
    generator_lag_p99_s: float | None = None
    server_cpu_s_per_request: float | None = None
    server_cores_used: float | None = None
    """CPU seconds of the server per second."""
    server_rss_bytes: int | None = None
    excess: float | None = None
    """The share of late calls ÷ the share that the limit allows, of the limit where it is largest;
    of a mean, or of errors, value ÷ limit. None: of a maximum there is none."""
    taken_share: float = 0.0
    """Share of the server's processors that other programs or the host of the machine took."""


class OverloadSecond(Value):
    """One second of the overload: more than the capacity is offered, then less again."""

    second: int
    share: float
    """Offered rate ÷ capacity."""
    due: int
    ok: int
    p99_s: float


class Walk(Value):
    """The steps of one start, in order."""

    task: Task
    cores: int
    """Cores on which the server was allowed to run."""
    steps: tuple[WalkStep, ...] = ()
    ended: Ending | None = None
    why: str = ""
    """Why a climb has no capacity, in words, where its last step does not say it."""
    repeated: int = 0
    """Climbs before this one that the machine disturbed, each on a start of its own."""
    capacity_per_s: float | None = None
    """The rate at which the limits stop to hold on this start; climbs only."""
    at_least_per_s: float | None = None
    """The highest rate that held, where the generator or the longest climb ended it."""
    held: bool | None = None
    """Confirmations only: the rate to confirm held."""
    sustained_per_s: float | None = None
    """Confirmations only: the highest rate that held, going down from the rate to confirm."""
    overload: tuple[OverloadSecond, ...] = ()
    """Profiles only."""
