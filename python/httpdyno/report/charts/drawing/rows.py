"""One row of data for each thing drawn: plain values with the words of their tooltip.

A cell without a result has a row whose value is null: it keeps its place and says so, and nothing
is drawn for it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from httpdyno.report.text import words
from httpdyno.result import CellRow, Estimate

Row = dict[str, Any]
Metric = Literal[
    "throughput_per_s",
    "p50_s",
    "p99_s",
    "error_share",
    "server_cpu_s_per_request",
    "server_rss_bytes",
    "body_bytes_per_s",
]


@dataclass(frozen=True)
class Scale:
    """How a metric is drawn and told: `shown = stored × factor`, in `unit`."""

    metric: Metric
    factor: float
    title: str
    words: words.Format
    format: str = ",.4~r"


def label(cell: CellRow, *, several_points: bool) -> str:
    """The name of a cell within its load."""
    return f"{cell.arm} · {cell.point}" if several_points else cell.arm


def has_several_points(cells: Iterable[CellRow]) -> bool:
    """Whether the cells lie at more than one load point."""
    return len({cell.point for cell in cells}) > 1


def estimate_row(cell: CellRow, scale: Scale, name: str) -> Row:
    """The estimate of one cell."""
    estimate: Estimate | None = getattr(cell, scale.metric)
    row: Row = {
        "row": name,
        "arm": cell.arm,
        "point": cell.point,
        "rate": cell.rate_per_s,
        "status": cell.status,
        "metric": scale.title,
        "value": None,
        "said": words.without_result(cell),
        "restarts": estimate.trials if estimate is not None else len(cell.trials),
        "why": "; ".join(reason.text for reason in cell.reasons),
    }
    if estimate is None or cell.status == "invalid":
        return row
    row["value"] = estimate.value * scale.factor
    row["low"] = None if estimate.low is None else estimate.low * scale.factor
    row["high"] = None if estimate.high is None else estimate.high * scale.factor
    row["said"] = words.estimate(estimate, scale.words)
    row["brief"] = scale.words(estimate.value) + words.without_interval(estimate)
    return row


def trial_rows(cell: CellRow, scale: Scale, name: str) -> list[Row]:
    """Each restart of one cell that counts; an invalid one is no measurement and is not drawn."""
    rows = []
    for trial in cell.trials:
        value: float | None = getattr(trial, scale.metric)
        if value is None or trial.status == "invalid" or cell.status == "invalid":
            continue
        rows.append(
            {
                "row": name,
                "arm": cell.arm,
                "value": value * scale.factor,
                "said": scale.words(value),
                "block": trial.block,
                "status": trial.status,
            }
        )
    return rows
