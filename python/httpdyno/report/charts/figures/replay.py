"""Published, rerun and corrected side by side: the same rows, each column with its own axis."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from httpdyno import units
from httpdyno.output.slugs import slug
from httpdyno.report.charts.drawing.rows import (
    Drawn,
    Mark,
    Row,
    RowsPlot,
    side_by_side,
)
from httpdyno.report.charts.drawing.shapes import DIAMOND
from httpdyno.report.charts.drawing.sheet import Sheet
from httpdyno.report.charts.figure import Table
from httpdyno.report.charts.figures.metrics import THROUGHPUT, row_of
from httpdyno.report.text.arms import coloured, short_names
from httpdyno.report.text.drawable import drawable
from httpdyno.report.text.findings import with_doubts
from httpdyno.report.text.replay import (
    CORRECTED,
    ReplayRow,
    corrected_loads,
    has_rerun,
    in_order,
    post_entry,
    replay_groups,
    rerun_loads,
)
from httpdyno.result import CellRow, PublishedRow, StudyResult

MOST_CORRECTED = 2
"""Corrected loads in the picture; the table has all."""
NO_NUMBER = "no number"
"""For a server that the post tried, or drew as a bar of zero."""
NO_INTERVALS = "too few trials for intervals"
_AXIS = "requests per second"
_ALIKE = 0.99
"""Share of the largest throughput from which an arm shares the first place."""
_HOLLOW = "hollow: its log would be invalid"


def replays(result: StudyResult) -> Iterator[Sheet]:
    """A picture for each workload of the replay."""
    names = short_names(result)
    places = {name: place for place, name in enumerate(coloured(result))}
    for workload, rows in replay_groups(result):
        if not has_rerun(rows):
            continue
        ordered = in_order(rows)
        shown = [cell for _, _, cells in _told(rows) for cell in cells.values()]
        plots = _columns(ordered, names, places)
        where = f"{result.title}{f'; {workload}' if workload else ''}"
        yield Sheet(
            section="replay",
            slug=slug("replay", workload or ""),
            title=with_doubts(_finding(rows, names), shown, "throughput"),
            subtitle=(
                f"Published, rerun and corrected: {where}. Each column has its own axis: published "
                "numbers are history, on another machine."
            ),
            load=None,
            draw=partial(_draw, plots),
            table=partial(_table, ordered, names, plots),
        )


def _columns(
    rows: Sequence[ReplayRow], names: Mapping[str, str], places: Mapping[str, int]
) -> list[RowsPlot]:
    """The post, the rerun of its load, and the corrected loads."""
    short = [names.get(row.arm, row.arm) for row in rows]
    history = [
        _published(row, name, places.get(name)) for row, name in zip(rows, short, strict=True)
    ]
    told = "history: not comparable with the rest"
    plots = [RowsPlot(history, _AXIS, heading=("Published", told), hollow=_HOLLOW)]
    for heading, title, cells in _told(rows):
        lacking = _lack_intervals(list(cells.values()))
        measured = [
            _measured(cells.get(row.arm), name, names, places, interval=not lacking)
            for row, name in zip(rows, short, strict=True)
        ]
        about = f"{title}; {NO_INTERVALS}" if lacking else title
        plots.append(RowsPlot(measured, _AXIS, named=False, heading=(heading, about)))
    keyed = any(mark.hollow for plot in plots for row in plot.rows for mark in row.marks)
    return [replace(plot, keyed=keyed) for plot in plots]


def _draw(plots: Sequence[RowsPlot], total: float, _: str) -> Drawn:
    return side_by_side(plots, total)


def _told(rows: Sequence[ReplayRow]) -> list[tuple[str, str, dict[str, CellRow]]]:
    """The columns of what was measured: heading, load, and the cell of each arm that has one."""
    told = []
    if loads := rerun_loads(rows):
        title = loads[0].title if len(loads) == 1 else "each arm under its own published load"
        cells = {row.arm: entry.cell for row in rows if (entry := post_entry(row)) is not None}
        told.append(("Rerun here", title, cells))
    for load in corrected_loads(rows)[:MOST_CORRECTED]:
        cells = {r.arm: e.cell for r in rows for e in r.corrected if e.load.name == load.name}
        told.append(("Corrected", load.title.removeprefix(CORRECTED), cells))
    return told


def _lack_intervals(cells: Sequence[CellRow]) -> bool:
    found = [cell.throughput_per_s for cell in cells if cell.throughput_per_s is not None]
    return bool(found) and all(estimate.low is None for estimate in found)


def _measured(
    cell: CellRow | None,
    name: str,
    names: Mapping[str, str],
    places: Mapping[str, int],
    *,
    interval: bool,
) -> Row:
    """The row of an arm; an arm that a load does not apply to is left blank."""
    if cell is None:
        return Row(name, places.get(name), (), "")
    short = names.get(cell.arm, cell.arm)
    own = cell.model_copy(update={"arm": short})
    return row_of(own, THROUGHPUT, places, name, interval=interval)


def _published(row: ReplayRow, name: str, arm: int | None) -> Row:
    """The published numbers of an arm: grey, hollow where the raw log would be invalid."""
    known = [one for one in row.published if drawable(one.requests_per_s)]
    marks = tuple(
        Mark(drawable(one.requests_per_s) or 0.0, hollow=_is_invalid(one), shape=DIAMOND)
        for one in known
    )
    said, invalid = _brief(row.published) if row.published else ("", "")
    tip = "\n".join([name, *(_about(one) for one in row.published)])
    return Row(name, arm, marks, said, invalid, tip if row.published else "", grey=True)


def _is_invalid(row: PublishedRow) -> bool:
    return row.verdict_of_log is not None and row.verdict_of_log.status == "invalid"


def _about(row: PublishedRow) -> str:
    number = units.rate(row.requests_per_s) if row.requests_per_s else NO_NUMBER
    verdict = row.verdict_of_log
    reasons = "; ".join(reason.text for reason in verdict.reasons) if verdict else ""
    log = f"log: {verdict.status}{f': {reasons}' if reasons else ''}" if verdict else ""
    return "; ".join(part for part in (number, row.source, row.note, log) if part)


def _brief(rows: Sequence[PublishedRow]) -> tuple[str, str]:
    """The numbers of a row, one or the smallest and largest, and how many are invalid."""
    ordered = sorted(rows, key=lambda one: one.requests_per_s)
    low, high = (
        units.rate(one.requests_per_s) if one.requests_per_s else NO_NUMBER
        for one in (ordered[0], ordered[-1])
    )
    text = high if low == high else f"{low.removesuffix('/s')} to {high}"
    invalid = sum(_is_invalid(one) for one in rows)
    if not invalid:
        return text, ""
    return text, "(invalid)" if invalid == len(rows) else f"({invalid} invalid)"


def _finding(rows: Sequence[ReplayRow], names: Mapping[str, str]) -> str:
    """The first of the post and the first of the columns measured here."""
    post = [
        (max(one.requests_per_s for one in row.published), names.get(row.arm, row.arm))
        for row in rows
        if row.published and row.published[0].measured
    ]
    first = max(post)[1] if post else None
    measured = {arm for _, _, cells in _told(rows) for arm in _answers(cells)}
    if len(measured) == 1:
        (only,) = measured
        return f"Only {names.get(only, only)} has a result here"
    here: dict[str, str] = {}
    for heading, _, cells in _told(rows):
        if leaders := _leaders(cells, names):
            one = leaders[0] if len(leaders) == 1 else f"{len(leaders)} arms alike"
            # Of several corrected loads, one under which another arm answers most.
            if here.setdefault(heading, one) in list(here.values())[:-1]:
                here[heading] = one
    if not here:
        return "Published and measured"
    said = list(dict.fromkeys(here.values()))
    if len(said) == 1:
        verb = "answer" if said[0].endswith(" alike") else "answers"
        here_too = f"{said[0]} {verb} the most requests here"
        if first is None:
            return here_too
        return f"{here_too}, {'as in the post' if said[0] == first else f'in the post {first}'}"
    without = f"{said[-1]} without the faults of that load"
    if said[0] == first:
        same = f"{first} answers the most requests in the post, and here under its load"
        return f"{same}; it is {without}"
    begin = f"In the post, {first} answers the most requests" if first else "The most requests"
    return f"{begin}; here it is {said[0]} under the load of the post, and {without}"


def _leaders(cells: Mapping[str, CellRow], names: Mapping[str, str]) -> list[str]:
    """The arms that answer most; several where they are alike, as at a rate that all hold."""
    known = _answers(cells)
    most = max(known.values(), default=0.0)
    return [names.get(arm, arm) for arm, value in known.items() if value >= _ALIKE * most]


def _answers(cells: Mapping[str, CellRow]) -> dict[str, float]:
    """The throughput of each arm that has a result."""
    return {
        arm: cell.throughput_per_s.value
        for arm, cell in cells.items()
        if cell.throughput_per_s is not None and cell.status != "invalid"
    }


def _table(rows: Sequence[ReplayRow], names: Mapping[str, str], plots: Sequence[RowsPlot]) -> Table:
    heads = [plot.heading[0] if plot.heading else "" for plot in plots]
    lines = tuple(
        (names.get(row.arm, row.arm), *(_in_table(plot.rows[at]) for plot in plots))
        for at, row in enumerate(rows)
    )
    return Table(("arm", *heads), lines)


def _in_table(row: Row) -> str:
    """The words of a row; history with the number of its invalid logs."""
    invalid = row.aside if row.grey else ""
    return " ".join(part for part in (row.words, invalid) if part) or "–"
