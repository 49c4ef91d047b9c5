"""The load that the answer is about, so that the table below it shows no other."""

from __future__ import annotations

from collections.abc import Mapping

from httpdyno.result import Comparison, Estimate, StudyResult
from httpdyno.units import times


def answer_place(result: StudyResult) -> tuple[str, str] | None:
    """The load and the load point of the answer's first sentence; None: it has none.

    A result of an earlier version does not say. There it is the place of the comparison whose arms
    and interval the answer names first.
    """
    if result.answer_load:
        return result.answer_load, result.answer_point
    spoken = {arm.name: arm.description or arm.name for arm in result.arms}
    told = [
        (at, row)
        for row in result.comparisons
        if row.metric == "throughput" and (at := _told_at(row, result.answer, spoken)) is not None
    ]
    if not told:
        return None
    _, first = min(told, key=_first)
    return first.load, first.point


def _first(one: tuple[int, Comparison]) -> int:
    return one[0]


def _told_at(row: Comparison, text: str, spoken: Mapping[str, str]) -> int | None:
    """The place of a comparison's interval in a text that names both arms before it."""
    if row.ratio is None:
        return None
    at = text.find(_interval(row.ratio))
    before = text[: max(at, 0)]
    named = all(spoken.get(arm, arm) in before for arm in (row.arm, row.baseline))
    return at if at >= 0 and named else None


def _interval(ratio: Estimate) -> str:
    """`3.73 to 4.02`; without an interval the ratio itself."""
    if ratio.low is None or ratio.high is None:
        return times(ratio.value)
    return f"{times(ratio.low)} to {times(ratio.high)}".replace("×", "")
