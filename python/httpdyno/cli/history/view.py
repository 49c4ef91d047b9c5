"""Output of `httpdyno history`: the answer, the changes and the series; or JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial

from rich.console import Console

from httpdyno.cli.history.words import estimate_words, latest_words, left_out
from httpdyno.cli.table import borderless_table
from httpdyno.cli.text import DASH, markup_console, paragraph, print_json
from httpdyno.dates import date, moment
from httpdyno.history import (
    FEWEST,
    Change,
    Gap,
    NoChangeShown,
    Observation,
    Series,
    SingleRun,
    TooFew,
)
from httpdyno.history.words import (
    answer,
    causes,
    change_words,
    grounds,
    likely,
    verdict_words,
    would_show,
)
from httpdyno.output.table import Column, TextColumn, fields

__all__ = ["show", "show_json"]

_STYLE = {"better": "green", "worse": "red"}

_print = partial(paragraph, hanging="  ")


def show(series: Sequence[Series], suspect: int, without: Sequence[Gap], *, points: bool) -> None:
    """Print the answer, each change with what changed beside it, and the series.

    Series that are all too short have only the answer, and their points on request.
    """
    paper = markup_console()
    _print(paper, answer(series), "bold")
    for found_together in _events(series):
        _show_event(paper, found_together, series)
    if all(one.is_short for one in series):
        if not points:
            _print(paper, "`--points` shows the number of each run.")
    else:
        paper.print()
        _show_series(paper, series)
    lines = list(left_out(series, suspect, without))
    if lines:
        paper.print()
    for line in lines:
        _print(paper, line)
    if points:
        for one in series:
            _show_points(paper, one, series)


_Event = list[tuple[Series, Change]]
"""Changes between the same two runs, with the same differences and the same likely cause."""


def _events(series: Sequence[Series]) -> list[_Event]:
    """The changes of all series in the order of time."""
    events: dict[tuple[object, ...], _Event] = {}
    for one in series:
        for change in one.changes:
            runs = (change.after.at, change.before.run, change.after.run)
            key = (*runs, change.differences, likely(change))
            events.setdefault(key, []).append((one, change))
    return sorted(events.values(), key=lambda event: event[0][1].after.at)


def _show_event(paper: Console, event: _Event, series: Sequence[Series]) -> None:
    first = event[0][1]
    paper.print()
    runs = f"run {first.after.run}, compared with run {first.before.run}"
    _print(paper, f"{date(first.after.at)}: {runs}", "bold")
    for line in causes(first):
        _print(paper, f"  {line}")
    _print(paper, f"  {likely(first)}")
    for one, change in event:
        line = f"    {_name(one, series)}: {change_words(one, change)}"
        _print(paper, line, _STYLE.get(change.outcome, ""))
        for sentence in grounds(one, change):
            _print(paper, f"      {sentence}")


def _show_series(paper: Console, series: Sequence[Series]) -> None:
    several = len({one.place.machine for one in series}) > 1
    quiet = any(would_show(one) for one in series)
    columns: Sequence[Column[Series]] = (
        TextColumn("series", lambda one: _name(one, series)),
        TextColumn("metric", lambda one: one.place.metric.name),
        TextColumn("runs", lambda one: str(len(one.observations))),
        TextColumn("changes", verdict_words),
        *([TextColumn("would show", lambda one: would_show(one) or DASH)] if quiet else []),
        TextColumn("latest", latest_words),
        *([TextColumn("machine", lambda one: one.latest.machine_words)] if several else []),
    )
    headings = [column.heading for column in columns]
    paper.print(borderless_table(headings, (fields(columns, one) for one in series)))


def _show_points(paper: Console, series: Series, every: Sequence[Series]) -> None:
    paper.print()
    _print(paper, f"{_name(series, every)}, {series.place.metric.title}", "bold")
    _print(paper, f"  {series.latest.load_words}; {series.latest.machine_words}", "dim")
    changed = {change.after.run for change in series.changes}
    lines = {
        (one.at, one.run): _point_words(one, one.run in changed) for one in series.observations
    }
    for gap in series.gaps:
        cause = f": {gap.reason}" if gap.reason else ""
        lines[gap.at, gap.run] = f"  {moment(gap.at, zone='')}  run {gap.run:<4} no result{cause}"
    for _, line in sorted(lines.items()):
        _print(paper, line)


def _point_words(one: Observation, changed: bool) -> str:
    version = one.circumstances.get("server") or "version unknown"
    doubt = f"  ({one.reasons[0].clause})" if one.reasons else ""
    mark = "→" if changed else " "
    at = f"{moment(one.at, zone='')}  run {one.run:<4}"
    return f"{mark} {at} {estimate_words(one)}  {version}{doubt}"


def _name(series: Series, every: Sequence[Series]) -> str:
    """The place of a series; its study only where there are several."""
    place = series.place
    several = len({one.place.study for one in every}) > 1
    return f"{f'{place.study}: ' if several else ''}{place.arm} · {place.load} · {place.point}"


def show_json(series: Sequence[Series], suspect: int, without: Sequence[Gap]) -> None:
    """Print the series with their verdicts as one JSON object."""
    print_json(
        {
            "format": "httpdyno-history",
            "version": 1,
            "margin": series[0].margin,
            "series": list(map(_json, series)),
            "suspect_left_out": suspect,
            "without_result": [
                {"arm": gap.place.arm, "load": gap.place.load, "point": gap.place.point} | _gap(gap)
                for gap in without
            ],
        }
    )


def _json(series: Series) -> dict[str, object]:
    place = series.place
    return {
        "study": place.study,
        "arm": place.arm,
        "load": place.load,
        "point": place.point,
        "metric": place.metric.name,
        "column": place.metric.column,
        "more_is_better": place.metric.more_is_better,
        "machine": series.latest.machine_words,
        "points": list(map(_point, series.observations)),
        "no_result": list(map(_gap, series.gaps)),
        "verdict": _verdict(series),
        "changes": list(_changes(series.changes)),
        "changes_without_suspect": list(_changes(series.hidden)),
    }


def _point(one: Observation) -> dict[str, object]:
    return {
        "run": one.run,
        "at": one.at,
        "value": one.estimate.value,
        "low": one.estimate.low,
        "high": one.estimate.high,
        "high_is_bound": one.high_is_bound,
        "verdict": one.status,
        "reasons": [reason.code for reason in one.reasons],
    }


def _gap(gap: Gap) -> dict[str, object]:
    return {"run": gap.run, "at": gap.at, "reason": gap.reason}


def _verdict(series: Series) -> dict[str, object]:
    """The verdict with its evidence. `would_show`: 1.2 is a rise to 1.2× or a fall to 1 ÷ 1.2."""
    verdict = series.verdict
    if isinstance(verdict, TooFew):
        return {"kind": "too_few_runs", "expected": FEWEST}
    if isinstance(verdict, SingleRun):
        return {"kind": "no_comparable_run"}
    return {
        "kind": "no_change_shown" if isinstance(verdict, NoChangeShown) else "changed",
        "would_show": verdict.factor if isinstance(verdict, NoChangeShown) else None,
        "adjusted_p_value": verdict.judged.p,
        "adjusted_with": verdict.judged.together_with,
        "level": verdict.judged.level,
    }


def _changes(changes: Sequence[Change]) -> Iterator[dict[str, object]]:
    for change in changes:
        yield {
            "run": change.after.run,
            "at": change.after.at,
            "mean_before": change.point.before,
            "mean_after": change.point.after,
            "change": change.point.change if math.isfinite(change.point.change) else None,
            "change_interval": change.point.interval,
            "p_value": change.point.p,
            "outcome": change.outcome,
            "suspect_runs": [one.run for one in change.suspect],
            "by_order": change.by_order,
            "other_servers": change.others._asdict(),
            "differences": [one._asdict() for one in change.differences],
        }
