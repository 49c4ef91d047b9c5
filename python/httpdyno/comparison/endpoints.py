"""The endpoints of a comparison: those that a change made slower, by their p99, and those of which
more calls fail.

All of them are judged together (Holm), so that of equal builds at most 1 in 20 comparisons finds a
worse endpoint. A regression is a difference whose whole interval is worse than the margin.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from httpdyno import units
from httpdyno.listing import both
from httpdyno.metrics import COMPARED, ComparedBy
from httpdyno.output.printable import printable
from httpdyno.result import Comparison, StudyResult
from httpdyno.statistics.claims.changes import at, change, interval, percent
from httpdyno.statistics.compare import is_less
from httpdyno.statistics.decide import worst_ratio
from httpdyno.units import counted

MOST_NAMED = 5
"""Endpoints that the answer names; there may be 200 of them."""


@dataclass(frozen=True)
class EndpointChange:
    """The p99 of an endpoint of the changed arm, or its errors, compared with the baseline's."""

    comparison: Comparison
    margin: float

    @property
    def name(self) -> str:
        """Of the endpoint, without control characters."""
        return printable(self.comparison.endpoint)

    @property
    def has_result(self) -> bool:
        """True if there were enough trials to decide."""
        return self.comparison.outcome != "no result"

    @property
    def is_regression(self) -> bool:
        """True if it is worse than the margin, whichever ratio of its interval is the true one."""
        ratio = self.comparison.ratio
        if ratio is None or ratio.low is None:
            return False
        return is_less(self._limit, ratio.low)

    @property
    def _limit(self) -> float:
        """The ratio at the margin: of calls per right reply if it is about errors."""
        if self.is_of_errors:
            return 1 / (1 - self.margin)
        return worst_ratio("p99", self.margin)

    @property
    def is_of_errors(self) -> bool:
        """True if its errors are compared, and not its p99."""
        return self.comparison.metric == "errors"

    @property
    def noun(self) -> str:
        """`p99 of GET /items`."""
        return f"{COMPARED[self.comparison.metric].noun} of {self.name}"

    @property
    def values(self) -> tuple[float | None, float | None]:
        """The number of the baseline and that of the arm: a p99, or a share of errors."""
        both = (self.comparison.baseline_value, self.comparison.arm_value)
        if not self.is_of_errors:
            return both
        before, after = (None if one is None else share_of(one) for one in both)
        return before, after

    @property
    def change(self) -> str:
        """`42 % longer`, or `2.9 % fewer right replies`; empty without an interval."""
        ratio = self.comparison.ratio
        if ratio is None or ratio.low is None:
            return ""
        if self.is_of_errors:
            return _fewer(ratio.value)
        return change("p99", ratio.value)

    @property
    def interval(self) -> str:
        """The interval of the change."""
        ratio = self.comparison.ratio
        if ratio is None:
            return ""
        if not self.is_of_errors or ratio.low is None or ratio.high is None:
            return interval("p99", ratio)
        inner, outer = sorted((ratio.low, ratio.high), key=lambda one: abs(math.log(one)))
        near = _fewer(inner)
        if (inner < 1) == (outer < 1):
            near = near.partition(" ")[0]
        return f"{near} to {_fewer(outer)}"

    @property
    def decision(self) -> str:
        """`regression`, `worse`, `better`, `no difference shown` or `no result`."""
        return "regression" if self.is_regression else self.comparison.outcome

    @property
    def words(self) -> str:
        """`p99 of GET /items: 42 % longer at 260/s (…): a regression beyond your margin of 9 %`."""
        ratio = self.comparison.ratio
        if ratio is None or ratio.high is None:
            return ""
        size, where = self.change, at(self.comparison.point)
        if self.is_of_errors:
            before, after = (units.percent(one or 0.0) for one in self.values)
            size = f"{after} of the calls instead of {before}"
        elif "%" not in size:
            size += " as long"
        known = f"{self.noun}: {size}{where} ({self.interval})"
        margin = f"your margin of {percent(self.margin)}"
        if self.is_regression:
            return f"{known}: a regression beyond {margin}"
        if self.comparison.outcome == "better":
            return known
        inside = not is_less(self._limit, ratio.high)
        return f"{known}, {'within' if inside else 'not shown to be beyond'} {margin}"


def share_of(calls_per_right_reply: float) -> float:
    """The share of calls that fail: 0.02 of 1.0204."""
    return 1 - 1 / calls_per_right_reply


def _fewer(ratio: float) -> str:
    """The right replies of a ratio of calls per right reply: `2.9 % fewer`."""
    right = 1 / ratio
    return f"{units.percent(abs(right - 1))} {'fewer' if right <= 1 else 'more'} right replies"


def endpoint_changes(
    result: StudyResult,
    names: tuple[str, str],
    load: str | None,
    margins: Mapping[ComparedBy, float],
) -> list[EndpointChange]:
    """The endpoints of two arms under a load; none of a workload that has only one."""
    return [
        EndpointChange(one, margins[one.metric])
        for one in result.endpoint_comparisons
        if (one.baseline, one.arm, one.load) == (*names, load)
    ]


def in_words(changes: Sequence[EndpointChange]) -> str:
    """The endpoints that changed, regressions first, and how many others there are, by their p99;
    empty: none has a result."""
    times = [one for one in changes if not one.is_of_errors]
    known = [one for one in times if one.has_result]
    if not known:
        return ""
    shown = sorted(
        (one for one in changes if one.comparison.shown),
        key=lambda one: (not one.is_regression, one.comparison.outcome == "better"),
    )
    others = sum(not one.comparison.shown for one in known)
    if not shown:
        which = known[0].name if others == 1 else f"each of the {others} endpoints"
        return f"p99 of {which}: no difference shown{_without_result(times)}."
    named = [one.words for one in shown[:MOST_NAMED]]
    if (more := len(shown) - MOST_NAMED) > 0:
        named.append(f"{counted(more, 'more endpoint')} changed")
    if others:
        rest = "the other endpoint" if others == 1 else f"the {others} other endpoints"
        if len(shown) > sum(not one.is_of_errors for one in shown):
            rest = f"p99 of {'one endpoint' if others == 1 else f'{others} endpoints'}"
        named.append(f"{rest}: no difference shown")
    together = " Endpoints are judged together: their intervals hold at once."
    if named[0].startswith("errors"):
        named[0] = f"E{named[0][1:]}"
    return "; ".join(named) + f"{_without_result(times)}.{together}"


def _without_result(changes: Sequence[EndpointChange]) -> str:
    lost = [one.name for one in changes if not one.has_result]
    if len(lost) > MOST_NAMED:
        return f"; no result for {counted(len(lost), 'endpoint')}"
    return f"; no result for {both(lost)}" if lost else ""
