"""An error budget: the errors that limits or thresholds of a run allow.

`errors<1%` among limits, or `errors>1%` among thresholds, allows 1 % of all errors, wrong replies
included; a class such as `status_5xx<0.1%` allows its own. A budget that holds forgives the errors
that it covers. One that is broken forgives nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from httpdyno import units
from httpdyno.limits.errors import TIMEOUTS, error_count, error_share, is_error_class, statuses_of
from httpdyno.limits.thresholds import Threshold
from httpdyno.measurement import Measurement

__all__ = ["NO_BUDGET", "Budget", "Unforgiven"]


@dataclass(frozen=True)
class Unforgiven:
    """The errors that no budget covers."""

    wrong_status: int
    wrong_body: int
    without_reply: int
    """Calls that failed without a complete reply, or were unanswered when the run ended."""

    @property
    def wrong(self) -> int:
        """Wrong replies."""
        return self.wrong_status + self.wrong_body


@dataclass(frozen=True)
class Budget:
    """The allowed share of each class, 0 to 1; and whether just that share is too much."""

    allowed: tuple[tuple[str, float, bool], ...] = ()

    @classmethod
    def of_limits(cls, limits: Iterable[Threshold]) -> Budget:
        """The budget of limits that have to hold, such as `errors<1%`."""
        errors = (one for one in limits if is_error_class(one.metric))
        return cls(tuple((one.metric, one.limit, False) for one in errors))

    @classmethod
    def of_thresholds(cls, thresholds: Iterable[Threshold]) -> Budget:
        """The budget of thresholds that fail a run, such as `errors>1%`."""
        errors = (one for one in thresholds if is_error_class(one.metric))
        return cls(tuple((one.metric, one.limit, one.sign == ">=") for one in errors))

    def broken(self, m: Measurement) -> str:
        """The classes that exceed their share, in words: `errors 2.00 % (budget 1 %)`."""
        return ", ".join(
            f"{name} {units.percent(error_share(name, m))} (budget {allowed * 100:.4g} %)"
            for name, allowed, below in self.allowed
            if not _holds(name, allowed, m, below=below)
        )

    def unforgiven(self, m: Measurement) -> Unforgiven:
        """The errors that are not within the budget."""
        c = m.calls
        kept = {
            name for name, allowed, below in self.allowed if _holds(name, allowed, m, below=below)
        }
        if "errors" in kept:
            return Unforgiven(0, 0, 0)
        statuses = set[str]().union(*(statuses_of(name, m) for name in kept))
        forgiven = sum(m.statuses[status] for status in statuses)
        wrong_status = 0 if "wrong_status" in kept else max(0, c.wrong_status - forgiven)
        classes = (kept & c.errors.keys()) | (TIMEOUTS if "timeouts" in kept else set())
        without_reply = sum(n for name, n in c.errors.items() if name not in classes)
        return Unforgiven(
            wrong_status,
            0 if "wrong_body" in kept else error_count("wrong_body", m),
            without_reply + (0 if "unanswered" in kept else c.in_flight),
        )


def _holds(name: str, allowed: float, m: Measurement, *, below: bool) -> bool:
    share = error_share(name, m)
    return share < allowed if below else share <= allowed


NO_BUDGET = Budget()
