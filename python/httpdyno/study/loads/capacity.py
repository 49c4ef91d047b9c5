"""The search for the highest rate that holds limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field

from httpdyno import engine_plan
from httpdyno.capacity import limits as search
from httpdyno.errors import InternalFault
from httpdyno.limits.keys import Limits
from httpdyno.limits.walk import Task
from httpdyno.metrics import Purpose
from httpdyno.study.keys import Connections, OneRate, Spacing, Yes, up_to
from httpdyno.study.loads.shape import CEILING_S, GUESSED_RATE, LoadShape, Point, TrialFacts
from httpdyno.units import duration

STEP_S, RANDOM_STEP_S = 1.0, 5.0
"""The least time of a step: with constant spacing, and with random arrivals."""
QUICK_CONFIRM = 2
"""Fresh starts that confirm a capacity under `--quick`."""

BRACKET_S, STEPS_OF_A_BRACKET = 2.5, 10
"""The steps of a bracket, and the time before them, for the estimate only."""
STEPS_OF_A_CLIMB = {"constant": 7, "uniform": 9, "exponential": 9}
"""The steps of a climb by the spacing of its arrivals, for the estimate only."""
BETWEEN_S = 0.1
"""The time between two steps, for the estimate only."""
PROFILE_SHARES, PROFILE_STEP_S, OVERLOAD_S = (0.25, 0.5, 0.8), 2.0, 21.0
"""The steps of a profile, and the time of the overload after them."""


class CapacityLoad(LoadShape):
    """The search for the highest rate that holds limits: `docs/concepts/capacity.md`.

    Each trial is one start of the server and one climb along rates. `duration` is the least time of
    a step.
    """

    purpose: ClassVar[Purpose] = "capacity"
    sentence: ClassVar[str] = (
        "open loop: the rate climbs on each start until the limits no longer hold"
    )
    quick_keys: ClassVar[frozenset[str]] = frozenset({"skip", "duration"})
    count_key: ClassVar[str | None] = None
    schedule_key: ClassVar[str | None] = "limits"
    incidental_keys: ClassVar[frozenset[str]] = LoadShape.incidental_keys | {
        "confirm",
        "profile",
        "for_rate",
    }
    task: ClassVar[Task] = "climb"
    error_budget: ClassVar[tuple[str, ...]] = ()
    """Its limits say how many errors are allowed."""

    kind: Literal["capacity"]
    limits: Limits
    connections: Connections | None = None
    """At most; None: at each rate as many as can be busy within the limits."""
    calls_per_connection: Annotated[int, up_to(1_000_000_000)] | None = None
    arrivals: Spacing = "constant"
    confirm: Annotated[
        int, Field(ge=0, le=1000, strict=True, description="a whole number from 0 to 1,000")
    ] = 5
    """Fresh starts that have to hold the lower end of the interval."""
    profile: Yes = True
    """Also measure the cost at 25, 50 and 80 % of the capacity, and an overload."""
    rate_max: OneRate | None = None
    """The search ends at this rate; None: at the generator's ceiling."""
    for_rate: OneRate | None = None
    """Say how many cores this rate needs."""

    @property
    def least_step_s(self) -> float:
        """The least time of a step: random arrivals take longer to judge."""
        return self.duration or (STEP_S if self.arrivals == "constant" else RANDOM_STEP_S)

    @property
    def count(self) -> int | None:
        """None: a step stops by duration."""
        return None

    @property
    def calls_on_connection(self) -> int | None:
        """Calls on one connection; None: no limit."""
        return self.calls_per_connection

    def points(self) -> list[Point]:
        """A single one, whose label is the limits."""
        label = search.in_words(search.parse_limits(self.limits))
        return [Point(label, None, self.connections)]

    def follow_ups(self) -> list[Task]:
        """The tasks for a cell after its blocks: its capacity is confirmed and profiled."""
        confirm: list[Task] = ["confirm"] * self.confirm
        return [*confirm, "profile"] if self.profile else confirm

    def shorten(self) -> Self:
        """The load with fewer confirmations."""
        return self.model_copy(update={"confirm": min(self.confirm, QUICK_CONFIRM)})

    def step_s(self, rate_per_s: float, shares: Mapping[str, float] | None = None) -> float:
        """The length of a step at a rate. `shares`: of the calls, by their endpoint."""
        limits = search.parse_limits(self.limits)
        return search.step_s(limits, rate_per_s, self.least_step_s, self.arrivals, shares)

    def trial_s(self, trial: TrialFacts) -> float:
        """The estimated time of a climb or of what follows it; the first climb has a bracket before
        it."""
        rate_per_s = trial.rate_per_s or GUESSED_RATE
        settle_s = search.settle_s(search.parse_limits(self.limits)) + BETWEEN_S
        each_s = self.step_s(rate_per_s)
        if trial.task == "confirm":
            return search.confirm_s(each_s) + settle_s
        if trial.task == "profile":
            steps = (max(PROFILE_STEP_S, self.step_s(x * rate_per_s)) for x in PROFILE_SHARES)
            return OVERLOAD_S + sum(steps) + len(PROFILE_SHARES) * settle_s
        climb_s = STEPS_OF_A_CLIMB[self.arrivals] * (each_s + settle_s)
        if not trial.is_first:
            return climb_s
        bracket_s = BRACKET_S + STEPS_OF_A_BRACKET * (search.bracket_step_s(each_s) + settle_s)
        return climb_s + bracket_s + trial.around_s

    def ceiling_s(self, point: Point) -> float:
        """The longest window: the search ends at the ceiling."""
        return CEILING_S

    def engine_load(self, point: Point) -> engine_plan.Load:
        """Raises InternalFault: each step is an open load at its own rate."""
        raise InternalFault("a capacity load is measured step by step, not as a whole")

    def in_words(self) -> str:
        """The load in words."""
        most = "as many" if self.connections is None else f"at most {self.connections:,}"
        needed = " as needed" if self.connections is None else ""
        return (
            f"capacity: the highest rate with {', '.join(self.limits)}, on {most}"
            f" connections{needed}, {self.arrivals} spacing, {self.http_words()},"
            f" steps of 5 %, {duration(self.least_step_s)} each or longer"
        )
