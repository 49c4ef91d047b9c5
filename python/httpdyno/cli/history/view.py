"""Output of `httpdyno history`: the answer, the changes and the series; or JSON."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence

from rich.console import Console

from httpdyno.cli.history.words import (
    answer,
    causes,
    change_words,
    date,
    estimate_words,
    left_out,
    likely,
)
from httpdyno.cli.runs.view import moment
from httpdyno.cli.servers.tables import cell, console, print_json, table
from httpdyno.history import Change, Observation, Series
from httpdyno.output.printable import printable

__all__ = ["show", "show_json"]

_STYLE = {"better": "green", "worse": "red"}
_WIDEST = 100


def show(series: Sequence[Series], suspect: int, *, points: bool) -> None:
    """Print the answer, each change with what changed beside it, and the series.

    Series that are all too short have only the answer, and their points if asked for.
    """
    paper = console()
    _print(paper, answer(series), "bold")
    for found_together in _events(series):
        _show_event(paper, found_together, series)
    if all(one.is_short for one in series):
        if not points:
            _print(paper, "`--points` shows the number of each run.")
    else:
        paper.print()
        _show_series(paper, series)
    lines = list(left_out(series, suspect))
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
        said = f"    {_name(one, series)}: {change_words(one, change)}"
        _print(paper, said, _STYLE[change.outcome])


def _show_series(paper: Console, series: Sequence[Series]) -> None:
    several = len({one.place.machine for one in series}) > 1
    shown = table(
        "series", "metric", "runs", "changes", "latest", *(["machine"] if several else [])
    )
    for one in series:
        row = [
            _name(one, series),
            one.place.metric.name,
            str(len(one.observations)),
            "too short" if one.is_short else str(len(one.changes)),
            estimate_words(one.latest),
            *([one.latest.machine_words] if several else []),
        ]
        shown.add_row(*map(cell, row))
    paper.print(shown)


def _show_points(paper: Console, series: Series, every: Sequence[Series]) -> None:
    paper.print()
    _print(paper, f"{_name(series, every)}, {series.place.metric.title}", "bold")
    _print(paper, f"  {series.latest.load_words}; {series.latest.machine_words}", "dim")
    changed = {change.after.run for change in series.changes}
    for one in series.observations:
        mark = "→" if one.run in changed else " "
        version = one.circumstances.get("server") or "version unknown"
        line = f"{mark} {moment(one.at)}  run {one.run:<4} {estimate_words(one)}  {version}"
        _print(paper, line)


def _name(series: Series, every: Sequence[Series]) -> str:
    """The place of a series; its study only where there are several."""
    place = series.place
    several = len({one.place.study for one in every}) > 1
    return f"{f'{place.study}: ' if several else ''}{place.arm} · {place.load} · {place.point}"


def _print(paper: Console, text: str, style: str = "") -> None:
    """A text of several lines at the indent of its first."""
    plain = printable(text.lstrip(" "))
    indent = " " * (len(text) - len(text.lstrip(" ")))
    lines = textwrap.wrap(
        plain,
        min(paper.width, _WIDEST),
        initial_indent=indent,
        subsequent_indent=f"{indent}  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    paper.print("\n".join(lines), style=style or None, markup=False, soft_wrap=True)


def show_json(series: Sequence[Series], suspect: int) -> None:
    """Print the series and their changes as one JSON object."""
    print_json(
        {
            "format": "httpdyno-history",
            "version": 1,
            "series": list(map(_json, series)),
            "suspect_left_out": suspect,
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
        "changes": list(_changes(series)),
    }


def _point(one: Observation) -> dict[str, object]:
    return {
        "run": one.run,
        "at": one.at,
        "value": one.estimate.value,
        "low": one.estimate.low,
        "high": one.estimate.high,
        "verdict": one.status,
    }


def _changes(series: Series) -> Iterator[dict[str, object]]:
    for change in series.changes:
        yield {
            "run": change.after.run,
            "at": change.after.at,
            "mean_before": change.point.before,
            "mean_after": change.point.after,
            "change": change.point.change if math.isfinite(change.point.change) else None,
            "change_interval": change.point.interval,
            "p_value": change.point.p,
            "outcome": change.outcome,
            "servers_changed": change.servers_changed,
            "servers_measured": change.servers_measured,
            "differences": [one._asdict() for one in change.differences],
        }
