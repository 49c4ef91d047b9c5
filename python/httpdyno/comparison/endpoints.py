"""The endpoints of a comparison: those that a change made slower, by their p99.

All of them are judged together (Holm), so that of equal builds at most 1 in 20 comparisons finds a
slower endpoint. A regression is a difference whose whole interval is worse than the margin of p99.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from httpdyno.listing import both
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
    """The p99 of an endpoint of the changed arm, compared with the baseline's."""

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
        return is_less(worst_ratio("p99", self.margin), ratio.low)

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
        size = change("p99", ratio.value)
        if "%" not in size:
            size += " as long"
        where = at(self.comparison.point)
        known = f"p99 of {self.name}: {size}{where} ({interval('p99', ratio)})"
        margin = f"your margin of {percent(self.margin)}"
        if self.is_regression:
            return f"{known}: a regression beyond {margin}"
        if self.comparison.outcome == "better":
            return known
        inside = not is_less(worst_ratio("p99", self.margin), ratio.high)
        return f"{known}, {'within' if inside else 'not shown to be beyond'} {margin}"


def endpoint_changes(
    result: StudyResult, names: tuple[str, str], load: str | None, margin: float
) -> list[EndpointChange]:
    """The endpoints of two arms under a load; none of a workload that has only one."""
    return [
        EndpointChange(one, margin)
        for one in result.endpoint_comparisons
        if (one.baseline, one.arm, one.load) == (*names, load)
    ]


def in_words(changes: Sequence[EndpointChange]) -> str:
    """The endpoints that changed, regressions first, and how many others there are; empty: none has
    a result."""
    known = [one for one in changes if one.has_result]
    if not known:
        return ""
    shown = sorted(
        (one for one in known if one.comparison.shown),
        key=lambda one: (not one.is_regression, one.comparison.outcome == "better"),
    )
    others = len(known) - len(shown)
    if not shown:
        which = known[0].name if others == 1 else f"each of the {others} endpoints"
        return f"p99 of {which}: no difference shown{_lost(changes)}."
    named = [one.words for one in shown[:MOST_NAMED]]
    if (more := len(shown) - MOST_NAMED) > 0:
        named.append(f"{counted(more, 'more endpoint')} changed")
    if others:
        rest = "the other endpoint" if others == 1 else f"the {others} other endpoints"
        named.append(f"{rest}: no difference shown")
    together = " Endpoints are judged together: their intervals hold at once."
    return "; ".join(named) + f"{_lost(changes)}.{together}"


def _lost(changes: Sequence[EndpointChange]) -> str:
    lost = [one.name for one in changes if not one.has_result]
    if len(lost) > MOST_NAMED:
        return f"; no result for {counted(len(lost), 'endpoint')}"
    return f"; no result for {both(lost)}" if lost else ""
