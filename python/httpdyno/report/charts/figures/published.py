"""The column of a post's numbers: grey, on its own axis, hollow where their log refutes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from httpdyno import units
from httpdyno.report.charts.drawing import style
from httpdyno.report.charts.drawing.altair_border import alt
from httpdyno.report.charts.drawing.dots import axis_of
from httpdyno.report.charts.drawing.rows import Row
from httpdyno.report.charts.figures.column import AXIS, headed, rows_axis
from httpdyno.report.text.replay import ReplayRow
from httpdyno.result import PublishedRow

NO_NUMBER = "no number"
"""What a post drew as a bar of zero, or tried and did not publish."""
_HEADING = ("Published then", "history: not comparable with the rest")
_WIDTH = 290
_ROOM = 0.56
"""Share of the column for the words behind its points."""


def history(rows: Sequence[ReplayRow], names: Sequence[str]) -> Any:
    """An Altair chart of the published numbers of the rows, which are called by their names."""
    points = [
        _point(one, name) for row, name in zip(rows, names, strict=True) for one in row.published
    ]
    numbers = [point for point in points if point["published"] > 0]
    x = axis_of([point["published"] for point in numbers], AXIS, ",~r", "published:Q", _ROOM)
    y = rows_axis(names, named=True)
    layers = [_places(names, y)]
    for refused, look in ((False, {}), (True, style.HOLLOW)):
        shown = [point for point in numbers if point["refused"] == refused]
        mark = {"shape": "diamond", "size": 70, "strokeWidth": 1.6, "color": style.MUTED} | look
        if shown:
            base = alt.Chart(alt.Data(values=shown)).encode(x=x, y=y)
            layers.append(base.mark_point(**mark).encode(tooltip=_tooltip()))
    layers += _words(points, x, y)
    return headed(alt.layer(*layers), _HEADING, names, _WIDTH, first=True)


def _point(row: PublishedRow, name: str) -> Row:
    verdict = row.verdict_of_log
    refused = verdict is not None and verdict.status == "invalid"
    reasons = [reason.text for reason in verdict.reasons] if verdict else []
    return {
        "row": name,
        "published": row.requests_per_s,
        "said": units.rate(row.requests_per_s) if row.requests_per_s else NO_NUMBER,
        "refused": refused,
        "note": "; ".join(part for part in (row.source, row.note) if part) or "no note",
        "why": ("would be refused: " if refused else "") + "; ".join(reasons),
    }


def _places(names: Sequence[str], y: Any) -> Any:
    """Keeps a place for every row, also for those of which the post says nothing."""
    chart = alt.Chart(alt.Data(values=[{"row": name} for name in names]))
    return chart.mark_point(opacity=0).encode(y=y)


def _words(points: Sequence[Row], x: Any, y: Any) -> list[Any]:
    """The numbers of each row in words, behind its last point; without a point, at the edge."""
    rows: dict[str, list[Row]] = {}
    for point in points:
        rows.setdefault(point["row"], []).append(point)
    told = [
        max(same, key=lambda point: point["published"]) | {"text": _brief(same)}
        for same in rows.values()
    ]
    layers = []
    for place, shown in (
        (x, [row for row in told if row["published"] > 0]),
        (alt.value(0), [row for row in told if row["published"] == 0]),
    ):
        if shown:
            said = alt.Chart(alt.Data(values=shown))
            said = said.mark_text(align="left", dx=9, color=style.MUTED)
            layers.append(said.encode(x=place, y=y, text="text:N", tooltip=_tooltip()))
    return layers


def _brief(points: Sequence[Row]) -> str:
    """A row's numbers: one, or from the least to the largest, and how many would be refused."""
    ordered = sorted(points, key=lambda point: point["published"])
    low, high = str(ordered[0]["said"]), str(ordered[-1]["said"])
    text = high if low == high else f"{low.removesuffix('/s')} to {high}"
    refused = sum(point["refused"] for point in points)
    if not refused:
        return text
    return f"{text}, refused" if refused == len(points) else f"{text}, {refused} refused"


def _tooltip() -> list[Any]:
    titles = {"row": "arm", "said": "published then", "note": "note", "why": "its own log"}
    return [alt.Tooltip(f"{name}:N", title=title) for name, title in titles.items()]
