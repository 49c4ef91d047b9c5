"""The decisions of `httpdyno compare` as rows of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from httpdyno.metrics import COMPARED
from httpdyno.report.contents.rows.arms import ArmLabel, Labels
from httpdyno.report.contents.rows.tables import Shown
from httpdyno.report.text import words
from httpdyno.result import Decided, DecisionRow, StudyResult
from httpdyno.statistics.claims.changes import (
    BY_THEMSELVES,
    at,
    change,
    interval,
    number,
    percent,
)


@dataclass(frozen=True)
class DecisionLine:
    """The decision about one metric."""

    metric: str
    before: Shown
    after: Shown
    change: Shown
    margin: str
    decided: Decided


@dataclass(frozen=True)
class Decisions:
    """The table of a comparison."""

    baseline: ArmLabel
    arm: ArmLabel
    lines: Sequence[DecisionLine]
    level: str = BY_THEMSELVES


def decisions(result: StudyResult, labels: Labels) -> Decisions | None:
    """The table of the decisions; None: the study is no comparison."""
    if not result.decisions:
        return None
    first = result.decisions[0]
    lines = [_line(one) for one in result.decisions]
    return Decisions(labels(first.baseline), labels(first.arm), lines)


def _line(one: DecisionRow) -> DecisionLine:
    return DecisionLine(
        metric=COMPARED[one.metric].noun + at(one.point),
        before=_number(one, one.baseline_value, one.baseline_doubt),
        after=_number(one, one.arm_value, one.arm_doubt),
        change=_change(one),
        margin=percent(one.margin),
        decided=one.decided,
    )


def _number(one: DecisionRow, value: float | None, doubt: str) -> Shown:
    if value is None:
        return Shown(words.NO_RESULT, "")
    return Shown(number(one.metric, value), "", doubt, value)


def _change(one: DecisionRow) -> Shown:
    """The change and its interval, or why there is none."""
    ratio = one.change
    if ratio is None:
        return Shown("–", "" if one.ratio is None else interval(one.metric, one.ratio))
    return Shown(
        change(one.metric, ratio.value), interval(one.metric, ratio), one.doubt, ratio.value
    )
