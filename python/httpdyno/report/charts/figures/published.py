"""The column of the published numbers: grey, on its own axis, hollow where the log is invalid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from httpdyno import units
from httpdyno.report.charts.drawing import style
from httpdyno.report.charts.drawing.altair_border import alt
from httpdyno.report.charts.drawing.dots import axis_of
from httpdyno.report.charts.drawing.labels import BESIDE
from httpdyno.report.charts.drawing.rows import Row, beside, drawable
from httpdyno.report.charts.figures.column import AXIS, headed, rows_axis
from httpdyno.report.text.replay import ReplayRow
from httpdyno.result import PublishedRow

NO_NUMBER = "no number"
"""For a server that the post tried, or drew as a bar of zero."""
_HEADING = ("Published", "history: not comparable with the rest")
_WIDTH = 290


def history(rows: Sequence[ReplayRow], names: Sequence[str]) -> Any:
    """An Altair chart of the published numbers; `names` are those of the rows."""
    points = [
        _point(one, name) for row, name in zip(rows, names, strict=True) for one in row.published
    ]
    numbers, told = [point for point in points if point["published"] > 0], _told(points)
    shown = [{"value": point["published"]} for point in numbers]
    shown += [{"value": row["published"], "text": row["text"]} for row in told if row["published"]]
    x = axis_of(shown, AXIS, width=_WIDTH, field="published:Q")
    y = rows_axis(names, named=True)
    layers = [_places(names, y)]
    for invalid, look in ((False, {}), (True, style.HOLLOW)):
        drawn = [point for point in numbers if point["invalid"] == invalid]
        mark = {"shape": "diamond", "size": 70, "strokeWidth": 1.6, "color": style.MUTED} | look
        if drawn:
            base = alt.Chart(alt.Data(values=drawn)).encode(x=x, y=y)
            layers.append(base.mark_point(**mark).encode(tooltip=_tooltip()))
    layers += _words(told, x, y)
    return headed(alt.layer(*layers), _HEADING, names, _WIDTH, first=True)


def _point(row: PublishedRow, name: str) -> Row:
    verdict = row.verdict_of_log
    reasons = [reason.text for reason in verdict.reasons] if verdict else []
    return {
        "row": name,
        "published": drawable(row.requests_per_s) or 0.0,
        "said": units.rate(row.requests_per_s) if row.requests_per_s else NO_NUMBER,
        "invalid": verdict is not None and verdict.status == "invalid",
        "note": "; ".join(part for part in (row.source, row.note) if part) or "no note",
        "why": f"{verdict.status}: {'; '.join(reasons)}" if verdict else "not known",
    }


def _places(names: Sequence[str], y: Any) -> Any:
    """A place for every row, also for those without a published number."""
    chart = alt.Chart(alt.Data(values=[{"row": name} for name in names]))
    return chart.mark_point(opacity=0).encode(y=y)


def _told(points: Sequence[Row]) -> list[Row]:
    """The largest number of each row, with all of its numbers in words."""
    rows: dict[str, list[Row]] = {}
    for point in points:
        rows.setdefault(point["row"], []).append(point)
    return [
        max(same, key=lambda point: point["published"]) | {"text": _brief(same)}
        for same in rows.values()
    ]


def _words(told: Sequence[Row], x: Any, y: Any) -> list[Any]:
    """The words of each row, behind its last point; without a point, at the edge."""
    layers = []
    for place, shown in (
        (x, [row for row in told if row["published"] > 0]),
        (alt.value(0), [row for row in told if row["published"] == 0]),
    ):
        if shown:
            said = alt.Chart(alt.Data(values=shown))
            said = said.mark_text(align="left", dx=BESIDE, color=style.MUTED)
            layers.append(said.encode(x=place, y=y, text="text:N", tooltip=_tooltip()))
    return layers


def _brief(points: Sequence[Row]) -> str:
    """The numbers of a row: one, or the smallest and largest, and how many are invalid."""
    ordered = sorted(points, key=lambda point: point["published"])
    low, high = str(ordered[0]["said"]), str(ordered[-1]["said"])
    text = high if low == high else f"{low.removesuffix('/s')} to {high}"
    invalid = sum(point["invalid"] for point in points)
    if not invalid:
        return text
    return beside(text, "invalid" if invalid == len(points) else f"{invalid} invalid")


def _tooltip() -> list[Any]:
    titles = {"row": "arm", "said": "published", "note": "note", "why": "verdict on its log"}
    return [alt.Tooltip(f"{name}:N", title=title) for name, title in titles.items()]
