"""The numbers of stored runs over time, and where they changed."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from httpdyno.history import Change, Gap, Series, follow
from httpdyno.history.words import (
    answer,
    causes,
    gap_words,
    grounds,
    hidden_words,
    outcome_words,
    relative,
    verdict_words,
    would_show,
)
from httpdyno.running.archive.histories import Selection, collect, is_of
from httpdyno.store import RunSummary, study_labels
from httpdyno.units import counted
from httpdyno.web.live.charts import Chart, Line, chart
from httpdyno.web.pages.answers import page_response, site_of
from httpdyno.web.site import Site

MOST_RUNS = 100
MOST_SERIES = 60


@dataclass(frozen=True)
class Row:
    """A series with its drawing and its claims in words."""

    series: Series
    latest: str
    suspect: int
    gap: str
    verdict: str
    changes: list[ChangeRow]
    chart: Chart


@dataclass(frozen=True)
class ChangeRow:
    """A change in words."""

    words: str
    run: int
    notes: list[str]


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
    found = await asyncio.to_thread(_find_series, site, chosen, arm)
    rows = [_row(one) for one in found.series[:MOST_SERIES]]
    return page_response(
        request,
        "history",
        study=study,
        studies=[(name, name) for name in names],
        arm=arm,
        rows=rows,
        found=len(found.series),
        answer=answer(found.series) if found.series else "",
        without=found.without,
        unreadable=found.unreadable,
    )


@dataclass(frozen=True)
class _Findings:
    series: list[Series]
    without: list[Gap]
    unreadable: list[str]


def _find_series(site: Site, runs: list[RunSummary], arm: str) -> _Findings:
    """The series of an arm or a server; those with changes that matter first."""
    name = arm or None
    collected = collect(site.store(), runs, Selection(), lambda _: None)
    every = follow(collected.observations, collected.gaps)
    fitting = [one for one in every if is_of(name, one.place.arm, one.latest.server)]
    fitting.sort(key=lambda one: not any(each.outcome != "small" for each in one.changes))
    return _Findings(fitting, collected.without(name), collected.unreadable)


def _row(series: Series) -> Row:
    metric, seen = series.place.metric, series.observations
    numbers = {(one.at, one.run): one.estimate.value for one in seen}
    measured = sorted([*numbers, *((gap.at, gap.run) for gap in series.gaps)])
    points = [(float(place), numbers.get(run)) for place, run in enumerate(measured)]
    drawn = chart(
        "series",
        f"{series.place.arm}: {metric.title} over {counted(len(seen), 'run')}",
        [Line(metric.name, points)],
        metric.words,
        x_words=lambda _: "",
    )
    return Row(
        series,
        latest=metric.words(series.latest.estimate.value),
        suspect=sum(one.is_suspect for one in seen),
        gap=gap_words(series),
        verdict=_verdict(series),
        changes=[_change(series, change) for change in series.changes],
        chart=drawn,
    )


def _change(series: Series, change: Change) -> ChangeRow:
    words = series.place.metric.words
    means = f"{words(change.point.before)} → {words(change.point.after)}"
    text = f"{means}, {relative(change.point.change)}, {outcome_words(series, change)}"
    return ChangeRow(text, change.after.run, [*grounds(series, change), *causes(change)])


def _verdict(series: Series) -> str:
    """The verdict on a series without a change; of one with small ones, what these do not say."""
    if series.changes:
        return hidden_words(series)
    would = would_show(series)
    return f"{verdict_words(series)}{f'; {would} would probably have shown' if would else ''}"
