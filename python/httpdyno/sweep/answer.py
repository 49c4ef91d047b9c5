"""The answer of a sweep in a few sentences: the rate up to which the server kept up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from httpdyno import units
from httpdyno.doubts import Number, why_invalid
from httpdyno.doubts.pace import FELL_BEHIND, disturbance
from httpdyno.sweep.claims import Claims, claims
from httpdyno.sweep.endpoints import first_to_rise
from httpdyno.sweep.point import Point, TimeKind
from httpdyno.sweep.rates import shown

__all__ = ["answer", "headline"]


def answer(points: Sequence[Point], kind: TimeKind, planned: int | None = None) -> str:
    """Says how far the server kept up, and which endpoint got slow first; empty if no point is
    complete.

    `planned`: the number of rates, if not all of them may have been measured.
    """
    found = claims(points, planned)
    if found is None:
        return ""
    rise = first_to_rise(points) if kind == "response" else ""
    return " ".join(filter(None, (*_sentences(found, kind), rise)))


def headline(points: Sequence[Point], kind: TimeKind, planned: int | None = None) -> str:
    """The rates that the server kept up with, in a clause; empty if no point is complete."""
    found = claims(points, planned)
    if found is None:
        return ""
    answered = _kept_up(found, kind).removesuffix(".")
    again = found.kept_up_again
    return answered if again is None else f"{answered}; it kept up again at {_offered_rate(again)}"


def _sentences(found: Claims, kind: TimeKind) -> Iterator[str]:
    yield _kept_up(found, kind)
    behind = found.fell_behind
    if behind is not None:
        yield f"At {_offered_rate(behind)}: {_failure(behind, kind)}."
    if found.unknown:
        yield _unknown(found.unknown)
    if found.kept_up_again is not None and behind is not None:
        again = f"{_offered_rate(found.kept_up_again)} ({_time(found.kept_up_again, kind)})"
        yield f"It kept up again at {again}: measure {_offered_rate(behind)} once more."
    if behind is not None and found.most_replies is not None:
        most = found.most_replies
        highest = units.rate(most.replies_per_s)
        yield f"The highest reply rate was {highest}, with {_offered_rate(most)} offered."


def _kept_up(found: Claims, kind: TimeKind) -> str:
    """The sentence that says how far the server kept up."""
    behind = found.fell_behind
    if not found.kept_up:
        if behind is None:
            return "No rate shows if the server keeps up."
        lowest = "the lowest rate" if not found.unknown else _offered_rate(behind)
        return f"The server did not keep up with {lowest}."
    last = found.kept_up[-1]
    known = f"{_offered_rate(last)} ({_time(last, kind)}{_why(last)})"
    if behind is not None:
        return f"The server kept up with up to {known}."
    if found.measured == 1 and found.ended_early:
        only = f"the only one of {found.planned} rates that was measured to its end"
        return f"The server kept up with {known}, {only}."
    return f"The server kept up with {_how_many(found)}, up to {known}."


def _how_many(found: Claims) -> str:
    """`every rate`, `every measured rate (2 of 4)`, `3 of 4 rates`, or `2 of 3 measured rates (10
    planned)`."""
    if found.unknown:
        known = f"{len(found.kept_up)} of {found.measured}"
        early = found.ended_early
        return f"{known} measured rates ({found.planned} planned)" if early else f"{known} rates"
    if found.ended_early:
        return f"every measured rate ({found.measured} of {found.planned})"
    return "every rate"


def _unknown(points: Sequence[Point]) -> str:
    """The points that do not show if the server kept up, and why the first of them does not."""
    more = ""
    if len(points) > 1:
        more = f"; also unknown at {units.counted(len(points) - 1, 'more rate')}"
    return f"Unknown at {_offered_rate(points[0])}: {_why_unknown(points[0])}{more}."


def _why_unknown(point: Point) -> str:
    """The reason why a point does not show if the server kept up."""
    if invalid := why_invalid(point.reasons):
        return f"no result: {invalid}"
    disturbed = disturbance(point.reasons)
    if disturbed is not None and any(reason.code == FELL_BEHIND for reason in point.reasons):
        return f"{_replies(point)}, but {disturbed.clause}"
    unsent = [reason for reason in point.reasons if reason.code == "unsent"]
    return unsent[0].text if unsent else "calls were never sent"


def _offered_rate(point: Point) -> str:
    return f"{shown(point.rate_per_s)}/s"


def _time(point: Point, kind: TimeKind) -> str:
    """`p99 3.20 ms, suspect`; for httperf, which has no percentiles, `mean 1.20 ms`."""
    name, value = ("p99", point.p99_s) if kind == "response" else ("mean", point.mean_s)
    if value is None:
        return "no times"
    bound = "at least " if name == "p99" and point.p99_is_lower_bound else ""
    numbers: tuple[Number, ...] = ("p99",) if name == "p99" else ("p50", "p99")
    doubt = ", suspect" if any(point.status_of(one) == "suspect" for one in numbers) else ""
    return f"{name} {bound}{units.duration(value)}{doubt}"


def _failure(point: Point, kind: TimeKind) -> str:
    """The replies at a rate that the server did not keep up with, and their times.

    An invalid point has a reason, and no numbers.
    """
    if invalid := why_invalid(point.reasons):
        return f"no result: {invalid}"
    failed = f", {units.percent(point.error_share)} failed" if point.error_share else ""
    return f"{_replies(point)}, {_time(point, kind)}{failed}"


def _replies(point: Point) -> str:
    return f"{units.rate(point.replies_per_s)} replies of {units.rate(point.offered_per_s)} due"


def _why(point: Point) -> str:
    """The fault of the load generator that makes a time suspect, if it has one."""
    faults = [reason for reason in point.reasons if reason.code.startswith("generator_")]
    return f": {faults[0].clause}" if faults else ""
