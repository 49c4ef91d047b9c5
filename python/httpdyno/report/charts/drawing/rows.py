"""One row of data for each thing drawn: plain values with the words of their tooltip.

A cell without a result has a row whose value is null: it keeps its place, and nothing is drawn.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from httpdyno.doubts import NUMBER_OF
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
_LARGEST, _SMALLEST = 1e15, 1e-15


@dataclass(frozen=True)
class Scale:
    """A metric as it is drawn: `shown = stored × factor`, and in words."""

    metric: Metric
    factor: float
    title: str
    words: words.Format


def drawable(value: float | None, factor: float = 1.0) -> float | None:
    """A stored number for an axis; None for one that no axis holds: negative, huge, not a number.

    JSON has no infinity, and no measurement has such numbers; a hand-edited result may.
    """
    try:
        scaled = None if value is None else float(value * factor)
    except OverflowError:
        return None
    if scaled is None or not 0 <= scaled <= _LARGEST:
        return None
    return scaled if scaled >= _SMALLEST else 0.0


def beside(value: str, *asides: str) -> str:
    """The words beside a point: `28.4 µs (no interval, suspect)`."""
    told = [aside for aside in asides if aside]
    return f"{value} ({', '.join(told)})" if told else value


def label(cell: CellRow, *, several_points: bool) -> str:
    """The name of a cell within its load."""
    return f"{cell.arm} · {cell.point}" if several_points else cell.arm


def has_several_points(cells: Iterable[CellRow]) -> bool:
    """True if the cells are at more than one load point."""
    return len({cell.point for cell in cells}) > 1


def estimate_row(cell: CellRow, scale: Scale, name: str, *, intervals: bool = True) -> Row:
    """The estimate of one cell. Without `intervals`, the words do not say that it has none."""
    estimate: Estimate | None = getattr(cell, scale.metric)
    number = NUMBER_OF[scale.metric]
    row: Row = {
        "row": name,
        "arm": cell.arm,
        "point": cell.point,
        "rate": drawable(cell.rate_per_s),
        "status": cell.status_of(number),
        "metric": scale.title,
        "value": None,
        "said": words.without_result(cell),
        "trials": estimate.trials if estimate is not None else len(cell.trials),
        "why": "; ".join(reason.text for reason in cell.reasons_of(number)),
    }
    if estimate is None or cell.status == "invalid":
        return row
    row["value"] = drawable(estimate.value, scale.factor)
    row["low"], row["high"] = bounds(estimate, scale.factor)
    row["said"] = words.estimate(estimate, scale.words)
    lacking = words.without_interval(estimate) if intervals else ""
    doubt = "suspect" if row["status"] == "suspect" else ""
    row["text"] = beside(scale.words(estimate.value), lacking, doubt)
    return row


def bounds(estimate: Estimate, factor: float = 1.0) -> tuple[float | None, float | None]:
    """The interval for an axis; (None, None) where there is none, or none that can be drawn."""
    low, high = drawable(estimate.low, factor), drawable(estimate.high, factor)
    return (None, None) if low is None or high is None else (low, high)


def trial_rows(cell: CellRow, scale: Scale, name: str) -> list[Row]:
    """Each trial of one cell that counts; an invalid one is no measurement and is not drawn."""
    rows = []
    for trial in cell.trials:
        stored: float | None = getattr(trial, scale.metric)
        value = drawable(stored, scale.factor)
        if stored is None or value is None or "invalid" in (trial.status, cell.status):
            continue
        rows.append(
            {
                "row": name,
                "arm": cell.arm,
                "value": value,
                "said": scale.words(stored),
                "block": trial.block,
                "status": trial.status_of(NUMBER_OF[scale.metric]),
            }
        )
    return rows


def numbers(rows: Iterable[Row]) -> list[float]:
    """Every number of these rows that is drawn."""
    return [
        row[key] for row in rows for key in ("value", "low", "high") if row.get(key) is not None
    ]


def ends(rows: Iterable[Row]) -> list[tuple[float, str]]:
    """The value that the words of each row stand behind: the end of its interval, or its point."""
    return [(max(numbers([row])), str(row["text"])) for row in rows if row["value"] is not None]
