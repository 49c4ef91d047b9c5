"""The charts of a result in the order of the page: section by section, load by load."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import get_args

from httpdyno.metrics import RankedBy
from httpdyno.output.slugs import all_different
from httpdyno.report.charts.drawing.sheet import Sheet, make_figure
from httpdyno.report.charts.figure import Figure, Section
from httpdyno.report.charts.figures.capacity import capacities
from httpdyno.report.charts.figures.distribution import distributions
from httpdyno.report.charts.figures.endpoints import endpoints_of
from httpdyno.report.charts.figures.metrics import CHARTS, has_chart, metric_rows
from httpdyno.report.charts.figures.rates import by_rate
from httpdyno.report.charts.figures.ratio import forests
from httpdyno.report.charts.figures.replay import replays
from httpdyno.report.charts.figures.timeline import timelines
from httpdyno.report.charts.panels import Panel, capacity_panels, comparisons_of, panels, ranking_of
from httpdyno.report.text.findings import of_workload
from httpdyno.result import StudyResult

ORDER: tuple[Section, ...] = (
    "replay",
    "capacity",
    "ratio",
    "rates",
    "throughput",
    "latency",
    "spectrum",
    "errors",
    "cpu",
    "memory",
    "timeline",
)
"""The sections from the top of the page."""
CURVES: tuple[Section, ...] = ("capacity", "rates", "spectrum", "timeline")
"""Sections whose charts say more of a single arm than a table of its numbers."""


def figures(result: StudyResult) -> list[Figure]:
    """All charts of a result, each with a name of its own; they are drawn on request.

    A panel has no chart for a metric that none of its cells has.
    """
    return _finish(_sheets(result))


def figures_of_arm(result: StudyResult, arm: str, prefix: str) -> list[Figure]:
    """The curves of one arm, without the others. `prefix`: of their names."""
    own = result.model_copy(update={"cells": [one for one in result.cells if one.arm == arm]})
    curves = [sheet for sheet in _sheets(own) if sheet.section in CURVES]
    return _finish(curves, prefix)


def replay_figures(result: StudyResult) -> list[Figure]:
    """Published, rerun and corrected side by side: a picture for each workload of the replay."""
    return _finish(replays(result))


def _finish(sheets: Iterable[Sheet], prefix: str = "") -> list[Figure]:
    ordered = sorted(sheets, key=lambda sheet: ORDER.index(sheet.section))
    names = all_different([f"{prefix}{sheet.slug}" for sheet in ordered])
    return [make_figure(sheet, name) for sheet, name in zip(ordered, names, strict=True)]


def _sheets(result: StudyResult) -> Iterator[Sheet]:
    yield from replays(result)
    yield from forests(result)
    for panel in capacity_panels(result):
        yield from _of_panel(panel, capacities(panel, ranking_of(result, panel, "capacity")))
    for panel in panels(result):
        yield from _of_panel(panel, by_rate(panel) if panel.by_rate else _rows(result, panel))
        yield from _of_panel(panel, distributions(panel))
        yield from _of_panel(panel, endpoints_of(panel))
        yield from _of_panel(panel, timelines(panel))


def _of_panel(panel: Panel, sheets: Iterable[Sheet]) -> Iterator[Sheet]:
    """The charts of a panel: their titles name its workload, which the names of its arms lack."""
    for one in sheets:
        yield replace(one, title=of_workload(one.title, panel.workload))


def _rows(result: StudyResult, panel: Panel) -> Iterator[Sheet]:
    for metric in CHARTS:
        if has_chart(panel, metric):
            by, ranked = metric.compared, metric.compared in get_args(RankedBy)
            ranking = ranking_of(result, panel, by) if by and ranked else None
            compared = comparisons_of(result, panel, by) if by and not ranked else ()
            yield metric_rows(panel, metric, ranking, compared)
