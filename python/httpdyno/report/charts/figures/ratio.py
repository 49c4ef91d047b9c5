"""Each arm compared with the baseline: the ratio, its interval and each pair of trials."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache

from httpdyno import units
from httpdyno.doubts import MARKS
from httpdyno.metrics import COMPARED
from httpdyno.output.slugs import slug
from httpdyno.plan import AA_SUFFIX
from httpdyno.report.charts.drawing.rows import MOST_UNSORTED, Mark, Row, RowsPlot, draw_rows
from httpdyno.report.charts.drawing.sheet import Sheet
from httpdyno.report.charts.figure import Table
from httpdyno.report.charts.panels import telling_ratios, tie_places
from httpdyno.report.text import words
from httpdyno.report.text.arms import by_workload, coloured_names, short_names
from httpdyno.report.text.doubts import Cells, cells_of, doubt_of_ratio
from httpdyno.report.text.drawable import bounds, drawable
from httpdyno.report.text.findings import count_doubts, of_ratios, of_workload
from httpdyno.result import CellRow, Comparison, LoadInfo, Ranking, StudyResult

_ORDER: list[str] = sorted(COMPARED, key=lambda metric: metric != "capacity")
_SIBLINGS = {"p99": "throughput", "throughput": "p99"}
"""The metrics of which a pair of arms at a rate is compared by one: see `metrics_of`."""


def forests(result: StudyResult) -> Iterator[Sheet]:
    """A chart for each metric, load and baseline with a result; the load of the answer first."""
    groups: dict[tuple[str, str, str], list[Comparison]] = {}
    for row in result.comparisons:
        groups.setdefault((row.metric, row.load, row.baseline), []).append(row)
    places = {name: place for place, name in enumerate(coloured_names(result))}
    names, cells, workloads = short_names(result), cells_of(result), by_workload(result)
    of_load: dict[str, list[CellRow]] = {}
    for cell in result.cells:
        of_load.setdefault(cell.load, []).append(cell)
    loads = {load.name: load for load in result.loads}
    rankings: dict[tuple[str, str, str], list[Ranking]] = {}
    for one in result.rankings:
        rankings.setdefault((one.metric, one.load, one.point), []).append(one)
    known = [key for key in groups if key[1] in loads]
    first = result.answer_load
    for key in sorted(known, key=lambda key: (_ORDER.index(key[0]), key[1] != first)):
        rows = groups[key]
        other = groups.get((_SIBLINGS.get(key[0], ""), *key[1:]), ())
        if all(map(_is_control, rows)) and not all(map(_is_control, other)):
            continue  # only the control kept up, or only it did not: that is no finding about arms
        if any(row.outcome != "no result" for row in rows):
            drawn, which = telling_ratios(rows, of_load.get(key[1], ()))
            found = rankings.get((key[0], key[1], drawn[0].point), ())
            ranking = next((r for r in found if any(a.arm == key[2] for a in r.arms)), None)
            more = _elsewhere(drawn, other)
            workload = next((name for name, arms in workloads if key[2] in arms), None)
            where = f"{'; '.join(filter(None, (loads[key[1]].title, workload)))}{which}"
            sheet = _forest(drawn, loads[key[1]], where, ranking, more, (names, places, cells))
            yield replace(sheet, title=of_workload(sheet.title, workload))


def _forest(
    rows: Sequence[Comparison],
    load: LoadInfo,
    where: str,
    ranking: Ranking | None,
    elsewhere: Sequence[Comparison],
    context: tuple[Mapping[str, str], Mapping[str, int], Cells],
) -> Sheet:
    names, places, cells = context
    first = rows[0]
    several = len({row.point for row in rows}) > 1
    short = [names.get(row.arm, row.arm) for row in rows]
    shown = [
        f"{name} · {row.point}" if several else name for name, row in zip(short, rows, strict=True)
    ]
    doubts = [doubt_of_ratio(row, cells) for row in rows]
    baseline = names.get(first.baseline, first.baseline)

    @cache
    def plot() -> RowsPlot:
        made = [
            (row, _row(row, name, places.get(arm), doubt))
            for row, name, arm, doubt in zip(rows, shown, short, doubts, strict=True)
        ]
        order = _sort(made)
        at = {one.arm: place for place, (one, _) in enumerate(order)}
        return RowsPlot(
            [row for _, row in order],
            f"{COMPARED[first.metric].in_full} relative to {baseline}",
            ratios=True,
            ties=[] if several else tie_places(ranking, at),
        )

    return Sheet(
        section="ratio",
        slug=slug("ratio", first.metric, load.name, first.baseline),
        title=_title(
            list(zip(rows, shown, doubts, strict=True)), baseline, elsewhere, several=several
        ),
        subtitle=_subtitle(rows, where, baseline),
        load=load,
        draw=lambda total, _: draw_rows(plot(), total),
        table=lambda: _table(rows, shown),
    )


def _elsewhere(drawn: Sequence[Comparison], other: Sequence[Comparison]) -> list[Comparison]:
    """The comparisons at the same load points by the other metric: those of an arm that did not
    keep up with the rate are by throughput."""
    points = {row.point for row in drawn}
    known = {(row.arm, row.point) for row in drawn}
    return [
        row
        for row in other
        if row.point in points and (row.arm, row.point) not in known and not _is_control(row)
    ]


def _is_control(row: Comparison) -> bool:
    return row.arm.endswith(AA_SUFFIX)


def _title(
    made: Sequence[tuple[Comparison, str, str]],
    baseline: str,
    elsewhere: Sequence[Comparison],
    *,
    several: bool,
) -> str:
    """The finding; an A/A control is a test of the machine, and no part of it."""
    shown = [one for one in made if not _is_control(one[0])] or made
    rows, names = [row for row, _, _ in shown], [name for _, name, _ in shown]
    doubted = [bool(doubt) for row, _, doubt in shown if row.outcome != "no result"]
    finding = of_ratios(rows, names, baseline, points=several, elsewhere=elsewhere)
    return count_doubts(finding, doubted, noun="ratios")


def _subtitle(compared: Sequence[Comparison], where: str, baseline: str) -> str:
    """`where`: the load, the workload if there are several, and the load point."""
    where = f"{where[:1].upper()}{where[1:]}"
    what = COMPARED[compared[0].metric].in_full
    parts = [f"{what[:1].upper()}{what[1:]} relative to {baseline}. {where}."]
    if level := words.levels(compared):
        parts.append(f"Bar: {level} confidence interval; if it crosses 1×, no difference is shown.")
    if any(row.dots for row in compared):
        parts.append("Small dots: pairs of trials.")
    if len(compared) > MOST_UNSORTED:
        parts.append("Sorted by value.")
    return " ".join(parts)


def _sort(made: list[tuple[Comparison, Row]]) -> list[tuple[Comparison, Row]]:
    """The study's order; many rows by their ratio, best first, those without a result last."""
    if len(made) <= MOST_UNSORTED:
        return made
    points = list(dict.fromkeys(one.point for one, _ in made))

    def rank(pair: tuple[Comparison, Row]) -> tuple[int, bool, float]:
        one, row = pair
        value = row.marks[0].value if row.marks else 0.0
        sign = -1.0 if COMPARED[one.metric].more_is_better else 1.0
        return points.index(one.point), not row.marks, sign * value

    return sorted(made, key=rank)


def _row(row: Comparison, name: str, arm: int | None, doubt: str) -> Row:
    value = drawable(row.ratio.value) if row.ratio is not None else None
    if row.ratio is None or not value or row.outcome == "no result":
        return Row(name, arm, (), words.NO_RESULT, tip=f"{name}\n{words.NO_RESULT}")
    low, high = bounds(row.ratio)
    if not low:  # no logarithmic axis has a place for zero
        low = high = None
    pairs = tuple(one for _, pair in row.dots if (one := drawable(pair)))
    same = row.outcome == "no difference shown"
    aside = words.interval(row.ratio, words.ratio) if low else words.NO_INTERVAL
    tip = [name, words.estimate(row.ratio, words.ratio), words.outcome(row)]
    if len(pairs) > 1:
        spread = f"{words.ratio(min(pairs))} to {words.ratio(max(pairs))}"
        tip.insert(2, f"{len(pairs)} pairs of trials, {spread}")
    tip += [f"suspect: {doubt}"] if doubt else []
    mark = MARKS["suspect"] if doubt else ""
    text = f"{words.ratio(row.ratio.value)}{mark}{' (no difference shown)' if same and low else ''}"
    return Row(
        name, arm, (Mark(value, low, high, pairs, bool(doubt)),), text, aside, "\n".join(tip)
    )


def _table(rows: Sequence[Comparison], names: Sequence[str]) -> Table:
    lines = tuple(
        (
            name,
            words.estimate(row.ratio, words.ratio)
            if row.outcome != "no result"
            else words.NO_RESULT,
            words.outcome(row),
            "–" if row.adjusted_p_value is None else units.significant(row.adjusted_p_value, 2),
        )
        for row, name in zip(rows, names, strict=True)
    )
    level = words.levels(rows)
    head = f"ratio ({level} CI)" if level else "ratio"
    return Table(("arm", head, "outcome", "p value, adjusted"), lines)
