"""Published, rerun and corrected side by side: the same rows, each column with its own axis."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from httpdyno import units
from httpdyno.listing import both, either
from httpdyno.output.slugs import slug
from httpdyno.report.charts.drawing.rows import (
    Drawing,
    Mark,
    Row,
    RowsPlot,
    side_by_side,
)
from httpdyno.report.charts.drawing.shapes import DIAMOND
from httpdyno.report.charts.drawing.sheet import Sheet
from httpdyno.report.charts.figure import Table
from httpdyno.report.charts.figures.metrics import THROUGHPUT, row_of
from httpdyno.report.text.arms import coloured_names, short_names
from httpdyno.report.text.drawable import drawable
from httpdyno.report.text.findings import of_workload, with_doubts
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
from httpdyno.result import CellRow, PublishedRow, Ranking, StudyResult, few_trials

MOST_CORRECTED = 2
"""Corrected loads in the picture; the table has all."""
NO_NUMBER = "no number"
"""For a server that the post tried, or drew as a bar of zero."""
_AXIS = "requests per second"
_NAMED = 3
"""More arms than this are counted, not named."""
RERUN = "Rerun here"
_HOLLOW = "hollow: its log would be invalid"


def replays(result: StudyResult) -> Iterator[Sheet]:
    """A picture for each workload of the replay."""
    names = short_names(result)
    places = {name: place for place, name in enumerate(coloured_names(result))}
    for workload, rows in replay_groups(result):
        if not has_rerun(rows):
            continue
        ordered = in_order(rows)
        shown = [cell for _, _, cells in _measured_columns(rows) for cell in cells.values()]
        plots = _columns(ordered, names, places)
        where = f"{result.title}{f'; {workload}' if workload else ''}"
        yield Sheet(
            section="replay",
            slug=slug("replay", workload or ""),
            title=of_workload(
                with_doubts(_finding(result, rows, names), shown, "throughput"), workload
            ),
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
        _published_row(row, name, places.get(name)) for row, name in zip(rows, short, strict=True)
    ]
    subtitle = "history: not comparable with the rest"
    plots = [RowsPlot(history, _AXIS, heading=("Published", subtitle), hollow=_HOLLOW)]
    for heading, title, cells in _measured_columns(rows):
        few = _too_few(list(cells.values()))
        measured = [
            _measured_row(cells.get(row.arm), name, names, places, interval=not few)
            for row, name in zip(rows, short, strict=True)
        ]
        about = f"{title}; {few}" if few else title
        plots.append(RowsPlot(measured, _AXIS, named=False, heading=(heading, about)))
    keyed = any(mark.hollow for plot in plots for row in plot.rows for mark in row.marks)
    return [replace(plot, keyed=keyed) for plot in plots]


def _draw(plots: Sequence[RowsPlot], total: float, _: str) -> Drawing:
    return side_by_side(plots, total)


def _measured_columns(rows: Sequence[ReplayRow]) -> list[tuple[str, str, dict[str, CellRow]]]:
    """The columns of what was measured: heading, load, and the cell of each arm that has one."""
    found = []
    if loads := rerun_loads(rows):
        title = loads[0].title if len(loads) == 1 else "each arm under its own published load"
        cells = {row.arm: entry.cell for row in rows if (entry := post_entry(row)) is not None}
        found.append((RERUN, title, cells))
    for load in corrected_loads(rows)[:MOST_CORRECTED]:
        cells = {r.arm: e.cell for r in rows for e in r.corrected if e.load.name == load.name}
        found.append(("Corrected", load.title.removeprefix(CORRECTED), cells))
    return found


def _too_few(cells: Sequence[CellRow]) -> str:
    """Why no cell has an interval; empty if one has."""
    found = [cell.throughput_per_s for cell in cells if cell.throughput_per_s is not None]
    if not found or any(estimate.low is not None for estimate in found):
        return ""
    return few_trials(max(estimate.trials for estimate in found))


def _measured_row(
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


def _published_row(row: ReplayRow, name: str, arm: int | None) -> Row:
    """The published numbers of an arm: grey, hollow where the raw log would be invalid."""
    known = [one for one in row.published if drawable(one.requests_per_s)]
    marks = tuple(
        Mark(drawable(one.requests_per_s) or 0.0, hollow=_is_invalid(one), shape=DIAMOND)
        for one in known
    )
    text, invalid = _brief(row.published) if row.published else ("", "")
    tip = "\n".join([name, *(_about(one) for one in row.published)])
    return Row(name, arm, marks, text, invalid, tip if row.published else "", grey=True)


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


def _finding(result: StudyResult, rows: Sequence[ReplayRow], names: Mapping[str, str]) -> str:
    """The first of the post, and the first of each column measured here, where one is shown."""
    parts = [_in_the_post(rows, names)]
    for heading, title, cells in _measured_columns(rows):
        where = "under its load here" if heading == RERUN else f"corrected ({title})"
        parts.append(f"{where}, {_first(result, cells, names)}")
    found = "; ".join(filter(None, parts))
    return f"{found[:1].upper()}{found[1:]}" if parts[0] == "" else found


def _in_the_post(rows: Sequence[ReplayRow], names: Mapping[str, str]) -> str:
    """The arm with the highest published number; empty where the post has none."""
    numbers = {
        names.get(row.arm, row.arm): max(one.requests_per_s for one in row.published)
        for row in rows
        if row.published and row.published[0].measured
    }
    most = max(numbers.values(), default=0.0)
    first = [name for name, number in numbers.items() if number == most]
    if most <= 0 or len(numbers) < 2:
        return ""
    if len(first) > _NAMED:
        return f"In the post, {len(first)} arms share the highest number"
    verb = "has" if len(first) == 1 else "share"
    return f"In the post, {both(first)} {verb} the highest number"


def _first(result: StudyResult, cells: Mapping[str, CellRow], names: Mapping[str, str]) -> str:
    """The arms of a column that may answer most, as its ranking has them."""
    known = [arm for arm, cell in cells.items() if cell.status != "invalid"]
    if len(known) < 2:
        return f"only {names.get(known[0], known[0])} has a result" if known else "no result"
    if len({(cells[arm].load, cells[arm].point) for arm in known}) > 1:
        return "the arms are not ranked, each at its best load point"
    ranking = _ranking(result, [cells[arm] for arm in known])
    if ranking is None or len(ranking.first) == len(ranking.arms):
        return "no arm is shown to answer most"
    first = [names.get(arm, arm) for arm in ranking.first]
    which = either(first) if len(first) <= _NAMED else f"one of {len(first)} arms"
    lacking = ranking.unranked or len(ranking.arms) < len(cells)
    among = f"of {len(ranking.arms)} ranked arms, " if lacking else ""
    return f"{among}{which} answers most"


def _ranking(result: StudyResult, cells: Sequence[CellRow]) -> Ranking | None:
    """The ranking of these cells by throughput; None where they are not at one load point."""
    places = {(cell.load, cell.point) for cell in cells}
    arms = {cell.arm for cell in cells}
    for one in result.rankings:
        mine = {arm.arm for arm in one.arms}
        if one.metric == "throughput" and places == {(one.load, one.point)} and mine <= arms:
            return one
    return None


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
