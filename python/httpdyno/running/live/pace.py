"""A measurement under way: its seconds so far, and the time that is left of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Generic, TypeVar

from httpdyno.engine import PUBLISHED_S

if TYPE_CHECKING:
    from httpdyno.engine import Progress
    from httpdyno.running.live.records import PlanRecord, Sample

__all__ = ["Pace", "Series"]

Now = TypeVar("Now", "Progress", "Sample")

MOST = 1024
"""Most values of a series: beyond, pairs of neighbours become one."""


class Series:
    """A value for each second, or for each 2, 4, 8 … of them."""

    def __init__(self, join: Callable[[Sequence[float]], float]) -> None:
        self.join = join
        self.values: list[float] = []
        self._each = 1
        self._newest: list[float] = []

    def add(self, value: float) -> None:
        """Take in the value of a second."""
        self._newest.append(value)
        if len(self._newest) < self._each:
            return
        self.values.append(self.join(self._newest))
        self._newest = []
        if len(self.values) == MOST:
            pairs = zip(self.values[::2], self.values[1::2], strict=True)
            self.values = [self.join(pair) for pair in pairs]
            self._each *= 2


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


class Pace(Generic[Now]):
    """The progress of a plan, second by second, as the engine tells it or a journal."""

    def __init__(self, plan: PlanRecord) -> None:
        self.plan = plan
        self.now: Now | None = None
        self.busy: float | None = None
        """The share of its time that the busiest thread of the load generator worked."""
        self.drawn: tuple[object, Sequence[str]] | None = None
        """The last drawing of it, kept with that of which it is made."""
        self.rates, self.p50s = Series(_mean), Series(_mean)
        self.p99s = Series(max)
        self._second = 0
        self._measuring_since: float | None = None

    def add(self, progress: Now) -> bool:
        """Take in the newest progress. True if it is about another second than before."""
        before_s = self.now.elapsed_s if self.now else 0.0
        self.now = progress
        if self._measuring_since is None and progress.phase in ("measuring", "draining"):
            began_s = max(self.plan.warm_up_s, before_s)
            self._measuring_since = min(progress.elapsed_s, began_s)
            self._second = 0
        second = int(self.elapsed_s - PUBLISHED_S)
        if second <= self._second:
            return False
        self._second = second
        if progress.phase == "measuring":
            self.rates.add(progress.rate_per_s or 0.0)
            self.p50s.add(progress.p50_ns)
            self.p99s.add(progress.p99_ns)
        return True

    @property
    def elapsed_s(self) -> float:
        """The time of this phase: of the measured window, or of what comes before it."""
        elapsed_s = self.now.elapsed_s if self.now else 0.0
        return elapsed_s - (self._measuring_since or 0.0)

    @property
    def whole_s(self) -> float | None:
        """The length of this phase, if it is known."""
        if self.now is None or self.now.phase in ("connecting", "warm_up"):
            return self.plan.warm_up_s or None
        return self.plan.duration_s

    @property
    def count(self) -> tuple[int, int] | None:
        """The requests that fell due, and those that are planned; None: no count ends the run."""
        planned = self.plan.count
        if planned is None or self.now is None or self._measuring_since is None:
            return None
        return min(self.now.due, int(planned)), int(planned)

    @property
    def share(self) -> float | None:
        """The share of this phase that is over, if that is known."""
        shares = []
        if self.whole_s:
            shares.append(self.elapsed_s / self.whole_s)
        if self.count:
            shares.append(self.count[0] / self.count[1])
        return min(1.0, max(shares)) if shares else None

    @property
    def done_share(self) -> float:
        """The share of the whole plan that is over, its warm-up included; 0 if that is unknown."""
        duration_s, warm_up_s = self.plan.duration_s, self.plan.warm_up_s
        if duration_s is None:
            return (self.share or 0.0) if self._measuring_since is not None else 0.0
        over_s = self.elapsed_s + (warm_up_s if self._measuring_since is not None else 0.0)
        return min(1.0, over_s / (warm_up_s + duration_s))

    @property
    def left_s(self) -> float | None:
        """The time until the plan stops sending, if that is known."""
        phase = self.now.phase if self.now else "connecting"
        if phase in ("draining", "done"):
            return 0.0
        duration_s = self.plan.duration_s
        if phase != "measuring":
            before_s = max(0.0, self.plan.warm_up_s - self.elapsed_s)
            return None if duration_s is None else before_s + duration_s
        ends = [] if duration_s is None else [max(0.0, duration_s - self.elapsed_s)]
        if self.count and self.count[0]:
            due, planned = self.count
            ends.append((planned - due) * self.elapsed_s / due)
        return min(ends, default=None)

    @property
    def offered_per_s(self) -> float | None:
        """The rate at which requests are due, if it is one for the whole run."""
        if self.plan.in_sessions or len(self.plan.rates) != 1:
            return None
        low, high = self.plan.rates[0]
        return low if low == high else None
