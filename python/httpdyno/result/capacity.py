"""The capacity of an arm, as a result has it."""

from __future__ import annotations

from httpdyno.limits.walk import OverloadSecond, WalkStep
from httpdyno.result.estimate import Estimate
from httpdyno.value import Value


class CapacityRow(Value):
    """The capacity of an arm: the median over its restarts of the highest rate within limits.

    Rates per second. See `docs/concepts/capacity.md`.
    """

    limits: list[str]
    """As declared: `p99<20ms`."""
    limits_in_words: str
    """`p99 ≤ 20 ms, errors ≤ 0.1 %`"""
    capacity_per_s: Estimate | None
    """None: no result, or only a lower bound."""
    at_least_per_s: float | None = None
    """The highest rate that held, where the generator or `rate_max` ended half of the climbs or
    more."""
    high_is_bound: bool = False
    """The upper end of the interval is at least so high: a climb among the highest ended before the
    limits did."""
    calls_per_session: int = 1
    """Of a workload that is a session: the rates are still those of requests."""
    cores: int
    """Cores on which the server was allowed to run."""
    confirmed_at_per_s: float | None = None
    """The rate of the confirmations: the lower end of the interval."""
    held: int = 0
    """Fresh starts that held it, of `confirmations`."""
    sustained: bool = False
    """The fresh starts did not hold what the climbs found: `capacity_per_s` is the median of what
    they held instead."""
    confirmations: int = 0
    knee_per_s: float | None = None
    """Where more load begins to cost more latency, by the steps that held."""
    curve: list[WalkStep] = []
    """Every step of every climb, and those at 25, 50 and 80 % of the capacity."""
    profile: list[WalkStep] = []
    """The steps at 25, 50 and 80 % of the capacity."""
    overload: list[OverloadSecond] = []
    goodput_per_s: dict[str, float] = {}
    """Right replies per second while `1.5` and `2` times the capacity were offered."""
    recovery_s: float | None = None
    """Whole seconds from the end of the overload to the first of two seconds within the limit.
    None: it was not measured, or did not recover while it was."""
    for_rate_per_s: float | None = None
    cores_needed: Estimate | None = None
    """Cores for `for_rate_per_s`, if capacity grows in proportion to the cores."""
    cores_at_most: float | None = None
    """The cores that suffice, where there is only a lower bound of the capacity."""
    cores_from: str | None = None
    """The arm from which `cores_needed` is computed: the one with the most cores."""

    @property
    def half(self) -> WalkStep | None:
        """The step at 50 % of the capacity; None: it was not measured."""
        return self.profile[1] if len(self.profile) > 1 else None
