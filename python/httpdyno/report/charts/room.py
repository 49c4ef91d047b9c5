"""The charts that a page has room for, whatever the shape of its study.

A small study has all its charts whole. A larger one has the first chart of each section whole, as
long as there is room, and then the others plain; in the end only findings are told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from httpdyno.report.charts.figure import Figure, Form

SMALL = 800_000
"""Bytes of plain drawings up to which all charts of a page are whole."""
WHOLE, MOST = 800_000, 2_300_000
"""Bytes of all drawings of a larger page up to which the next chart is whole, or there at all."""


def fit_charts(charts: Sequence[Figure]) -> list[Figure]:
    """The same charts in the same order, each in the form that there is room for."""
    plain = 0
    for chart in charts:
        plain += _size(replace(chart, form="plain"))
        if plain > SMALL:
            return _fit(charts)
    return list(charts)


def _fit(charts: Sequence[Figure]) -> list[Figure]:
    forms: dict[str, Form] = {}
    used = 0
    for turn, chart in _in_turn(charts):
        form: Form = "plain" if turn == 0 or used < MOST else "title"
        forms[chart.name] = "whole" if turn == 0 and used < WHOLE else form
        used += _size(replace(chart, form=forms[chart.name]))
    return [replace(chart, form=forms[chart.name]) for chart in charts]


def _in_turn(charts: Sequence[Figure]) -> list[tuple[int, Figure]]:
    """The first chart of each section, then the second of each, and so on."""
    places: Counter[str] = Counter()
    turns = []
    for chart in charts:
        turns.append((places[chart.section], chart))
        places[chart.section] += 1
    return sorted(turns, key=lambda one: one[0])


def _size(chart: Figure) -> int:
    """Bytes of its drawings and its table, nearly: most of its letters are ASCII."""
    if chart.form == "title":
        return 0
    rows = sum(len(field) + 30 for row in chart.table.rows for field in row)
    return rows + sum(len(one) for one in (chart.svg, chart.narrow, chart.other) if one)
