"""Published, rerun and corrected side by side: the same rows, three axes that are not one scale."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from httpdyno import units
from httpdyno.report.charts import style, throughput
from httpdyno.report.charts.altair_border import alt
from httpdyno.report.charts.dots import MOST_UNSORTED, axis_of, drawn
from httpdyno.report.charts.rows import Row, estimate_row, trial_rows
from httpdyno.report.replay import ReplayRow, measured_loads
from httpdyno.statistics.result import CellRow, PublishedRow

MOST_CORRECTED = 2
"""Corrected loads that the picture has room for; the table has all."""
_WIDE, _NARROW = 260, 220
_TITLE_LETTERS = 42
_AXIS = "requests per second"
_ROOM = 0.45
"""Share of a column for the words behind its points."""


def columns(rows: Sequence[ReplayRow], short: Mapping[str, str], arms: Sequence[str]) -> Any:
    """An Altair chart of the rows: a column for the post, one for each load measured here."""
    ordered = _ordered(rows)
    names = [short.get(row.arm, row.arm) for row in ordered]
    drawn_columns = [_published(ordered, names)] if any(row.published for row in rows) else []
    rerun, corrected = measured_loads(rows)
    for heading, loads in (
        ("Same shape, rerun here", rerun),
        ("Corrected", corrected[:MOST_CORRECTED]),
    ):
        for load, title in loads:
            cells = _cells(ordered, load)
            chart = _measured(cells, names, short, arms)
            first = not drawn_columns
            drawn_columns.append(_headed(chart, heading, title, names, first=first))
    return alt.hconcat(*drawn_columns, spacing=18).resolve_scale(x="independent", color="shared")


def _ordered(rows: Sequence[ReplayRow]) -> list[ReplayRow]:
    """The post's order; of many rows, best first by what was measured here."""
    if len(rows) <= MOST_UNSORTED:
        return list(rows)
    return sorted(rows, key=lambda row: -_best(row))


def _best(row: ReplayRow) -> float:
    cells = [e.cell for e in (*row.rerun, *row.corrected) if e.status != "invalid"]
    values = [cell.throughput_per_s.value for cell in cells if cell.throughput_per_s]
    published = max((one.requests_per_s for one in row.published), default=0.0)
    # What has no result here comes behind what has one, in the order of the post's numbers.
    return max(values) if values else published * 1e-9


def _cells(rows: Sequence[ReplayRow], load: str) -> list[CellRow]:
    entries = [entry for row in rows for entry in (*row.rerun, *row.corrected)]
    return [entry.cell for entry in entries if entry.cell.load == load]


def _published(rows: Sequence[ReplayRow], names: Sequence[str]) -> Any:
    """The post's numbers: grey, on an axis of their own; what its log would refuse is hollow."""
    points = [
        _history(one, name) for row, name in zip(rows, names, strict=True) for one in row.published
    ]
    x = axis_of([p["published"] for p in points], _AXIS, ",~r", "published:Q", _ROOM)
    y = _y(names, first=True)
    layers = [_silent(names, y)]
    for refused, look in ((False, {}), (True, style.HOLLOW)):
        shown = [point for point in points if point["refused"] == refused]
        mark = {"shape": "diamond", "size": 70, "strokeWidth": 1.6, "color": style.MUTED} | look
        if shown:
            base = alt.Chart(alt.Data(values=shown)).encode(x=x, y=y)
            layers.append(base.mark_point(**mark).encode(tooltip=_tooltip()))
    layers.append(_told(points, x, y))
    chart = alt.layer(*layers)
    return _headed(
        chart, "Published then", "history: not comparable with the rest", names, first=True
    )


def _history(row: PublishedRow, name: str) -> Row:
    verdict = row.verdict_of_log
    refused = verdict is not None and verdict.status == "invalid"
    reasons = [reason.text for reason in verdict.reasons] if verdict else []
    return {
        "row": name,
        "published": row.requests_per_s,
        "said": units.rate(row.requests_per_s),
        "refused": refused,
        "note": "; ".join(part for part in (row.source, row.note) if part) or "no note",
        "why": ("would be refused: " if refused else "") + "; ".join(reasons),
    }


def _told(points: Sequence[Row], x: Any, y: Any) -> Any:
    """The numbers of each row in words, behind its last point."""
    rows: dict[str, list[Row]] = {}
    for point in points:
        rows.setdefault(point["row"], []).append(point)
    told = [
        max(same, key=lambda point: point["published"])
        | {"text": ", ".join(dict.fromkeys(_brief(point) for point in same))}
        for same in rows.values()
    ]
    words = alt.Chart(alt.Data(values=told)).mark_text(align="left", dx=9, color=style.MUTED)
    return words.encode(x=x, y=y, text="text:N")


def _brief(point: Row) -> str:
    return f"{point['said']} refused" if point["refused"] else str(point["said"])


def _measured(
    cells: Sequence[CellRow],
    names: Sequence[str],
    short: Mapping[str, str],
    arms: Sequence[str],
) -> Any:
    estimates, trials = [], []
    for cell in cells:
        name = short.get(cell.arm, cell.arm)
        own = cell.model_copy(update={"arm": name})
        estimates.append(estimate_row(own, throughput.SCALE, name))
        trials.extend(trial_rows(own, throughput.SCALE, name))
    values = [
        row[key]
        for row in (*estimates, *trials)
        for key in ("value", "low", "high")
        if row.get(key) is not None
    ]
    x = axis_of(values, _AXIS, ",~r", room=_ROOM)
    told = {row["row"] for row in estimates}
    absent = [_absent(name) for name in names if name not in told]
    return drawn([*estimates, *absent], trials, names, arms, x)


def _absent(name: str) -> Row:
    return {
        "row": name,
        "arm": name,
        "status": "invalid",
        "value": None,
        "said": "not measured",
        "why": "this load was not for this arm",
    }


def _silent(names: Sequence[str], y: Any) -> Any:
    """Keeps a place for every row, also for those of which the post says nothing."""
    chart = alt.Chart(alt.Data(values=[{"row": name} for name in names]))
    return chart.mark_point(opacity=0).encode(y=y)


def _headed(chart: Any, heading: str, title: str, names: Sequence[str], *, first: bool) -> Any:
    """A column under its heading; only the first one names the rows."""
    colour = style.MUTED if heading == "Published then" else style.INK
    if not first:
        for layer in chart.layer:
            layer.encoding.y = _y(names, first=False)
    return chart.properties(
        width=_NARROW if heading == "Published then" else _WIDE,
        height=style.row_height(len(names)) * max(1, len(names)),
        title=alt.TitleParams(
            heading,
            subtitle=textwrap.wrap(title, _TITLE_LETTERS) or [""],
            anchor="start",
            color=colour,
            subtitleColor=style.MUTED,
            fontSize=14,
            subtitleFontSize=11,
        ),
    )


def _y(names: Sequence[str], *, first: bool) -> Any:
    return alt.Y(
        "row:N",
        title=None,
        sort=None,
        scale=alt.Scale(domain=list(names)),
        axis=alt.Axis(grid=True, labels=first, ticks=first, domain=first),
    )


def _tooltip() -> list[Any]:
    titles = {"row": "arm", "said": "published then", "note": "note", "why": "its own log"}
    return [alt.Tooltip(f"{name}:N", title=title) for name, title in titles.items()]
