"""The numbers of stored runs over time, and where they changed."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from httpdyno.history import FEWEST, Series, follow
from httpdyno.running.archive.histories import Wanted, collect, is_of
from httpdyno.store import RunSummary, study_labels
from httpdyno.units import counted
from httpdyno.web.live.charts import Chart, Line, chart
from httpdyno.web.pages.answers import shown, site_of
from httpdyno.web.site import Site

MOST_RUNS = 100
MOST_SERIES = 60


@dataclass(frozen=True)
class Row:
    """A series with its drawing."""

    series: Series
    latest: str
    chart: Chart


async def history(request: Request) -> Response:
    """The series of a study; those with changes first."""
    site = site_of(request)
    runs = [run for run in await asyncio.to_thread(site.runs) if run.trials]
    labels = study_labels(runs)
    names = list(dict.fromkeys(labels.values()))
    of_run = {str(run): label for run, label in labels.items()}.get(
        request.query_params.get("run", ""), ""
    )
    study = request.query_params.get("study", "") or of_run or (names[0] if names else "")
    arm = request.query_params.get("arm", "").strip()[:200]
    chosen = [run for run in runs if labels[run.id] == study][:MOST_RUNS]
    rows, unreadable = await asyncio.to_thread(_rows, site, chosen, arm)
    return shown(
        request,
        "history",
        study=study,
        studies=[(name, name) for name in names],
        arm=arm,
        rows=rows[:MOST_SERIES],
        found=len(rows),
        runs=len(chosen),
        fewest=FEWEST,
        unreadable=unreadable,
    )


def _rows(site: Site, runs: list[RunSummary], arm: str) -> tuple[list[Row], list[str]]:
    collected = collect(site.store(), runs, Wanted(), lambda _: None)
    every = follow(collected.observations)
    fitting = [one for one in every if is_of(arm or None, one.place.arm, one.latest.server)]
    fitting.sort(key=lambda one: not one.changes)
    return [_row(one) for one in fitting], collected.unreadable


def _row(series: Series) -> Row:
    metric, seen = series.place.metric, series.observations
    points = [(float(place), one.estimate.value) for place, one in enumerate(seen)]
    drawn = chart(
        "series",
        f"{series.place.arm}: {metric.title} over {counted(len(seen), 'run')}",
        [Line(metric.name, points)],
        metric.words,
        x_words=lambda _: "",
    )
    return Row(series, metric.words(series.latest.estimate.value), drawn)
