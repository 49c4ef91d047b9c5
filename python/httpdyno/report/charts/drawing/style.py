"""The look of all charts: colours, fonts, widths.

In the page a colour is a CSS variable, so that one drawing serves light and dark; in a PNG or SVG
file it is its light value. `for_file` turns the first into the second.
"""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Sequence
from typing import Any

Spec = dict[str, Any]
"""A Vega-Lite specification: JSON, checked by Altair when it was made."""

WIDTH = 700
"""Least width of a chart, and its width as a file, CSS pixels."""
MARGINS = 50
"""The part of it that neither plot nor labels may use: padding, ticks."""
LONGEST_LABEL = 300
"""Labels of rows are cut at this length, CSS pixels."""
_ROW, _LOW_ROW, _MANY_ROWS = 30, 26, 10
"""Height of one row, CSS pixels; low where there are many."""
CURVE_HEIGHT = 320
TICKS = ",.6~r"
"""Format of numbers on axes. Without a precision, Vega rounds 1,250 to 1,300."""
_TITLE_LETTERS = 76

INK, MUTED, GRID, PAPER = "var(--ink)", "var(--muted)", "var(--grid)", "var(--card)"
_LIGHT = {INK: "#1c2430", MUTED: "#5a6472", GRID: "#dfe3e8", PAPER: "#ffffff"}

# Okabe & Ito, "Color Universal Design" (2008), without black (it is the ink), its yellow darkened
# to be seen on white.
_PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#a89a00", "#7f7f7f")
_DARK_PALETTE = (
    "#3f97d6",
    "#ee7733",
    "#1fbf8f",
    "#e39ac4",
    "#f0b429",
    "#a3d9f7",
    "#d6c832",
    "#a9a9a9",
)
_SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross")
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif"

_LIGHT |= {f"var(--arm-{place})": colour for place, colour in enumerate(_PALETTE)}

HOLLOW = {"filled": False, "fill": PAPER}
"""The point of a suspect cell."""

COLOURS = len(_PALETTE)
"""Arms beyond this number share colours."""


def row_height(rows: int) -> int:
    """Height of each of so many rows, CSS pixels."""
    return _ROW if rows <= _MANY_ROWS else _LOW_ROW


def palette_css(*, dark: bool = False) -> str:
    """The colours of the arms as CSS declarations; in the dark some are lighter."""
    palette = _DARK_PALETTE if dark else _PALETTE
    return " ".join(f"--arm-{place}: {colour};" for place, colour in enumerate(palette))


def colour_of(arm: str, arms: Sequence[str]) -> str:
    """The CSS variable that colours one arm."""
    return f"--arm-{list(arms).index(arm) % COLOURS}"


def colours(arms: Sequence[str]) -> list[str]:
    """One colour for each arm, in the study's order; after `COLOURS` they repeat."""
    return [f"var(--arm-{place % COLOURS})" for place in range(len(arms))]


def shapes(arms: Sequence[str]) -> list[str]:
    """One shape for each arm, so that colour is never the only difference."""
    return [_SHAPES[place % len(_SHAPES)] for place in range(len(arms))]


def config() -> Spec:
    """The Vega-Lite theme of all charts."""
    return {
        "background": "transparent",
        "aria": False,  # the page labels the chart as a whole; its numbers are in a table
        "font": FONT,
        "view": {"stroke": None},
        "axis": {
            "labelColor": MUTED,
            "titleColor": INK,
            "titleFontWeight": "normal",
            "titleFontSize": 13,
            "labelFontSize": 12,
            "titlePadding": 10,
            "gridColor": GRID,
            "domainColor": GRID,
            "tickColor": GRID,
            "labelLimit": LONGEST_LABEL,
            "labelSeparation": 8,
        },
        "axisY": {
            "titleAlign": "left",
            "titleAngle": 0,
            "titleAnchor": "start",
            "titleY": -14,
            "titleX": 0,
        },
        "legend": {
            "orient": "top",
            "title": None,
            "labelColor": INK,
            "labelFontSize": 12,
            "labelLimit": 230,
            "columns": 2,
            "offset": 28,
            "symbolSize": 90,
        },
        "text": {"color": INK, "fontSize": 12},
        "rule": {"color": MUTED},
        "point": {"filled": True, "opacity": 1},
    }


def log_ticks(low: float, high: float) -> list[float]:
    """1, 10, 100, ...; where that gives fewer than three, also 2 and 5 times each."""
    decades = [10.0**n for n in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]
    for steps in ((1,), (1, 2, 5)):
        ticks = [step * ten for ten in decades for step in steps if low <= step * ten <= high]
        if len(ticks) > 2:
            break
    return ticks


def finished(chart: Any, *, title: str) -> Spec:
    """The specification of an Altair chart with the theme; the page sets its width."""
    spec = _spec(chart)
    spec["autosize"] = {"type": "fit-x", "contains": "padding"}
    spec["width"] = WIDTH
    spec["description"] = title
    return spec


def finished_panels(chart: Any, *, title: str) -> Spec:
    """The specification of charts side by side: each has its own width, and the page scales all."""
    spec = _spec(chart)
    spec["config"]["axisY"] = {}
    spec["description"] = title
    return spec


def _spec(chart: Any) -> Spec:
    # The tests check each kind of chart against the schema of Vega-Lite. Here the check would take
    # 2 of 5.6 s of processor time for 34 charts.
    spec: Spec = chart.to_dict(validate=False)
    return spec | {
        "config": config(),
        "padding": {"left": 4, "right": 12, "top": 6, "bottom": 4},
    }


def for_file(spec: Spec, title: str) -> Spec:
    """The specification of a picture that stands alone: light colours, its title on top."""
    text = json.dumps(spec)
    for variable, colour in _LIGHT.items():
        text = text.replace(variable, colour)
    lone: Spec = json.loads(text)
    lone["config"]["background"] = _LIGHT[PAPER]
    lone["padding"] = 16
    lone["title"] = {
        "text": textwrap.wrap(title, _TITLE_LETTERS),
        "anchor": "start",
        "frame": "bounds",
        "offset": 16,
        "fontSize": 15,
        "color": _LIGHT[INK],
    }
    return lone
