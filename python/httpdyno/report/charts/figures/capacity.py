"""The curves that a search for a capacity walked: latency, cost and the generator's lag by rate.

Each start is a line of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import median
from typing import Any

from httpdyno import units
from httpdyno.capacity.limits import in_words, parse_limits
from httpdyno.limits.walk import WalkStep
from httpdyno.report.charts.drawing.curve import curve
from httpdyno.report.charts.drawing.panels import Panel
from httpdyno.report.charts.drawing.rows import Scale
from httpdyno.report.charts.figures.cost import CPU
from httpdyno.report.charts.figures.latency import P99
from httpdyno.result import CellRow, Estimate, Status

LAG = Scale("p99_s", 1e6, "lag of the generator, p99", units.duration)


def latency(panel: Panel, arms: Sequence[str]) -> Any:
    """An Altair chart of p99 against the offered rate."""
    walked = _walked(panel, lambda step: step.p99_s)
    texts = {text for cell in panel.cells if cell.capacity for text in cell.capacity.limits}
    held = [one for one in parse_limits(sorted(texts)) if one.metric == "p99"]
    limits = [(one.limit * P99.factor, f"limit: {in_words([one])}") for one in held]
    return curve(walked, P99, arms, "p99 response time (ms)", log=True, limits=limits)


def cpu(panel: Panel, arms: Sequence[str]) -> Any:
    """An Altair chart of CPU time per request against the offered rate."""
    walked = _walked(panel, lambda step: step.server_cpu_s_per_request)
    return curve(walked, CPU, arms, "CPU time per request (µs)")


def lag(panel: Panel, arms: Sequence[str]) -> Any:
    """An Altair chart of the generator's own lag against the offered rate."""
    walked = _walked(panel, lambda step: step.generator_lag_p99_s)
    return curve(walked, LAG, arms, "lag of the load generator, p99 (µs)", log=True)


def _walked(panel: Panel, value: Callable[[WalkStep], float | None]) -> Panel:
    """The panel with a cell for each point of its curves; the value is in every field."""
    cells = [point for cell in panel.cells for point in _points(cell, value)]
    return replace(panel, cells=cells)


def _points(cell: CellRow, value: Callable[[WalkStep], float | None]) -> list[CellRow]:
    """A point for each rate of each start. Points of different starts are on different lines:
    each start has a capacity of its own. Steps of older results have no start, so no line joins
    them."""
    groups: dict[tuple[int | None, float], list[tuple[WalkStep, float]]] = {}
    for step in cell.capacity.curve if cell.capacity else ():
        found = value(step)
        if found is not None and step.rate_per_s > 0:
            groups.setdefault((step.start, step.rate_per_s), []).append((step, found))
    return [
        _point(cell, place if start is None else start, tries)
        for place, ((start, _), tries) in enumerate(groups.items())
    ]


def _point(cell: CellRow, line: int, tries: Sequence[tuple[WalkStep, float]]) -> CellRow:
    """The median of the tries at one rate; hollow where they did not hold the limits."""
    last, _ = tries[-1]
    status: Status = "valid" if last.outcome == "held" else "suspect"
    estimate = Estimate(
        value=median(found for _, found in tries), low=None, high=None, trials=len(tries)
    )
    update = {
        "load": f"{line}",
        "rate_per_s": last.rate_per_s,
        "point": units.rate(last.rate_per_s),
        "status": status,
        "reasons": [],
        "doubts": None,
        "p99_s": estimate,
        "server_cpu_s_per_request": estimate,
    }
    return cell.model_copy(update=update)
