"""The decisions of a comparison as rows: for its report and for the terminal."""

from __future__ import annotations

from httpdyno.comparison.compare import Compared, cells
from httpdyno.result import CellRow, DecisionRow
from httpdyno.statistics.decide import Decision


def decision_rows(compared: Compared) -> list[DecisionRow]:
    """A row for each metric."""
    return [_row(compared, one) for one in compared.decisions]


def _row(compared: Compared, one: Decision) -> DecisionRow:
    baseline, arm = compared.names
    row, pair = one.comparison, cells(compared, one)
    values = (None, None) if row is None else (row.baseline_value, row.arm_value)
    before, after = (
        None if cell is None else value for cell, value in zip(pair, values, strict=True)
    )
    doubts = [_doubt(cell, one) for cell in pair]
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
    )


def _doubt(cell: CellRow | None, one: Decision) -> str:
    """Why a number is suspect; empty: it is not, or it has no result."""
    number = None if one.comparison is None else one.comparison.number
    if cell is None or number is None or cell.status_of(number) != "suspect":
        return ""
    return "; ".join(reason.text for reason in cell.reasons_of(number)) or "suspect"
