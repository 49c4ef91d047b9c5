"""An error budget: the errors that limits or thresholds of a run allow.

`errors<1%` among limits, or `errors>1%` among thresholds, allows 1 % of all errors, wrong replies
included; a class such as `status_5xx<0.1%` allows its own. A budget that holds forgives the errors
that it covers. One that is broken forgives nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from httpdyno import units
from httpdyno.limits.errors import TIMEOUTS, error_count, error_share, statuses_of
from httpdyno.limits.thresholds import Threshold
from httpdyno.measurement import Endpoint, Measurement

__all__ = ["NO_BUDGET", "Budget", "UncoveredErrors"]


@dataclass(frozen=True)
class UncoveredErrors:
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
class Allowance:
    """The share of a class of errors that is allowed."""

    errors: Threshold
    below: bool
    """True if just that share is too much."""

    def holds(self, m: Measurement) -> bool:
        """True if the errors are within it."""
        share = self.share(m)
        limit = self.errors.limit
        return share < limit if self.below else share <= limit

    def share(self, m: Measurement) -> float:
        """The share of the class in all calls, or in those of its endpoint."""
        part = m.part(self.errors.endpoint)
        return 0.0 if part is None else error_share(self.errors.metric, part)

    def covers(self, part: Measurement | Endpoint) -> bool:
        """True if it is about these calls."""
        name = self.errors.endpoint
        return name is None or getattr(part, "name", name) == name


@dataclass(frozen=True)
class Budget:
    """The allowed share of each class."""

    allowed: tuple[Allowance, ...] = ()

    @classmethod
    def of_limits(cls, limits: Iterable[Threshold]) -> Budget:
        """The budget of limits that have to hold, such as `errors<1%`."""
        return cls(tuple(Allowance(one, below=False) for one in limits if one.is_of_errors))

    @classmethod
    def of_thresholds(cls, thresholds: Iterable[Threshold]) -> Budget:
        """The budget of thresholds that fail a run, such as `errors>1%`."""
        errors = (one for one in thresholds if one.is_of_errors)
        return cls(tuple(Allowance(one, below=one.sign == ">=") for one in errors))

    def exceeded_shares(self, m: Measurement) -> str:
        """The classes that exceed their share, in words: `errors 2.00 % (budget 1 %)`."""
        return ", ".join(
            f"{one.errors.name} {units.percent(one.share(m))}"
            f" (budget {one.errors.limit * 100:.4g} %)"
            for one in self.allowed
            if not one.holds(m)
        )

    def uncovered_errors(self, m: Measurement) -> UncoveredErrors:
        """The errors that are not within the budget."""
        kept = [one for one in self.allowed if one.holds(m)]
        by_endpoint = any(one.errors.endpoint is not None for one in kept)
        parts = m.endpoints if by_endpoint and m.endpoints else (m,)
        left = [
            _uncovered_errors(part, {one.errors.metric for one in kept if one.covers(part)})
            for part in parts
        ]
        return UncoveredErrors(
            sum(one.wrong_status for one in left),
            sum(one.wrong_body for one in left),
            sum(one.without_reply for one in left),
        )


def _uncovered_errors(part: Measurement | Endpoint, kept: set[str]) -> UncoveredErrors:
    """The errors of these calls that are of none of the classes within the budget."""
    c = part.calls
    if "errors" in kept:
        return UncoveredErrors(0, 0, 0)
    statuses = set[str]().union(*(statuses_of(name, part) for name in kept))
    accepted = sum(part.statuses[status] for status in statuses)
    wrong_status = 0 if "wrong_status" in kept else max(0, c.wrong_status - accepted)
    classes = (kept & c.errors.keys()) | (TIMEOUTS if "timeouts" in kept else set())
    without_reply = sum(n for name, n in c.errors.items() if name not in classes)
    return UncoveredErrors(
        wrong_status,
        0 if "wrong_body" in kept else error_count("wrong_body", part),
        without_reply + (0 if "unanswered" in kept else c.in_flight),
    )


NO_BUDGET = Budget()
