"""The decisions of `httpdyno compare` as rows of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from httpdyno.metrics import COMPARED
from httpdyno.output.table import Cell, Column, Field, TextColumn, fields
from httpdyno.report.contents.rows.arms import ArmLabel, Labels
from httpdyno.report.text import words
from httpdyno.result import DecisionRow, StudyResult
from httpdyno.statistics.claims.changes import at, change, interval, number, percent


@dataclass(frozen=True)
class Decisions:
    """The table of a comparison: a row for each metric."""

    baseline: ArmLabel
    arm: ArmLabel
    columns: Sequence[Column[DecisionRow]]
    """The first two are those of the arms."""
    lines: Sequence[tuple[str, Sequence[Field]]]
    """A metric, and its fields."""


def decisions(result: StudyResult, labels: Labels) -> Decisions | None:
    """The table of the decisions; None: the study is no comparison."""
    if not result.decisions:
        return None
    first = result.decisions[0]
    columns: Sequence[Column[DecisionRow]] = (
        Column(first.baseline, lambda one: _number(one, one.baseline_value, one.baseline_doubt)),
        Column(first.arm, lambda one: _number(one, one.arm_value, one.arm_doubt)),
        Column("change", _change, is_prose=True, has_intervals_apart=True),
        Column("95 % CI", _interval, is_prose=True, in_markdown=False),
        Column("margin", lambda one: percent(one.margin), is_prose=True),
        TextColumn("decision", lambda one: Cell(one.decided, tone=words.TONES[one.decided])),
    )
    lines = [
        (COMPARED[one.metric].noun + at(one.point), fields(columns, one))
        for one in result.decisions
    ]
    return Decisions(labels(first.baseline), labels(first.arm), columns, lines)


def _number(one: DecisionRow, value: float | None, doubt: str) -> Cell:
    if value is None:
        return Cell(words.NO_RESULT)
    return Cell(number(one.metric, value), "", doubt, value)


def _change(one: DecisionRow) -> Cell:
    """The change and its interval, or why there is none."""
    if one.change is None:
        return Cell("–", "" if one.ratio is None else _interval(one))
    return Cell(change(one.metric, one.change.value), _interval(one), one.doubt)


def _interval(one: DecisionRow) -> str:
    ratio = one.ratio if one.change is None else one.change
    return "–" if ratio is None else interval(one.metric, ratio)
