"""The decisions of a comparison as rows: for its report and for the terminal."""

from __future__ import annotations

from httpdyno.comparison.compare import CompareOutcome, cells
from httpdyno.report.text.doubts import doubt
from httpdyno.result import DecisionRow
from httpdyno.statistics.decide import Decision


def decision_rows(compared: CompareOutcome) -> list[DecisionRow]:
    """A row for each metric."""
    return [_row(compared, one) for one in compared.decisions]


def _row(compared: CompareOutcome, one: Decision) -> DecisionRow:
    baseline, arm = compared.names
    row, pair = one.comparison, cells(compared, one)
    values = (None, None) if row is None else (row.baseline_value, row.arm_value)
    before, after = (
        None if cell is None else value for cell, value in zip(pair, values, strict=True)
    )
    number = None if row is None else row.number
    doubts = ["" if cell is None or number is None else doubt(cell, number) for cell in pair]
    return DecisionRow(
        metric=one.metric,
        baseline=baseline,
        arm=arm,
        margin=one.margin,
        decided=one.decided,
        baseline_value=before,
        arm_value=after,
        ratio=None if row is None else row.ratio,
        baseline_doubt=doubts[0],
        arm_doubt=doubts[1],
        point="" if row is None else row.point,
    )
