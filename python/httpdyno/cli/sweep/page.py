"""The page of a sweep: `--report`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from httpdyno.cli.load.output.page_parts import conditions, numbers_table
from httpdyno.cli.load.output.words import describe_load, describe_stop
from httpdyno.cli.sweep.program import Program
from httpdyno.cli.sweep.table import columns, doubts, endpoint_columns, endpoint_names
from httpdyno.output.printable import printable
from httpdyno.report.charts.drawing.sheet import make_figure
from httpdyno.report.charts.figures.sweep import sweep
from httpdyno.report.contents.load import LoadPage, NumbersTable
from httpdyno.report.page import load_page
from httpdyno.report.text.safe_texts import make_safe
from httpdyno.sweep import Point, SweepRecord

__all__ = ["page"]


def page(program: Program, record: SweepRecord, answered: str, url: str, *, log: bool) -> str:
    """The page as text, of a sweep with one point at least. `url` is without secrets; `log`: its
    chart has response times on a logarithmic axis."""
    plan, points = program.plan.without_secrets(), record.points
    shown = record.model_copy(update={"url": url})
    statuses = [point.verdict for point in points]
    table = columns(points, program.times, program.unit)
    return load_page(
        LoadPage(
            verb="sweep",
            url=printable(url),
            load=f"{program.span}, the first: {describe_load(plan)}, {describe_stop(plan)}",
            status=next((one for one in ("suspect", "invalid") if one in statuses), "valid"),
            lead=printable(answered),
            thresholds=[],
            reasons=make_safe(list(doubts(points))),
            tables=[
                numbers_table("By rate", table, points, frozenset()),
                *_by_endpoint(points, program),
            ],
            charts=[make_figure(sweep(shown, log=log), "sweep")],
            slowest=None,
            counts=[],
            notes=[],
            measured=conditions(plan, points[0].measurement.started_at),
        )
    )


def _by_endpoint(points: Sequence[Point], program: Program) -> Iterator[NumbersTable]:
    """The p99 of each endpoint at each rate, if there are several."""
    names = endpoint_names(points) if program.times == "response" else []
    if names:
        yield numbers_table("By endpoint and rate", endpoint_columns(points), names, frozenset())
