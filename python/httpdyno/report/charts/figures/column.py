"""Rows, axis and headings of the columns of a replay's picture."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

from httpdyno.report.charts.drawing import style
from httpdyno.report.charts.drawing.altair_border import alt

AXIS = "requests per second"
_LETTER = 6.2
"""Width of a letter of the subtitle, CSS pixels."""


def rows_axis(names: Sequence[str], *, named: bool) -> Any:
    """The rows from top to bottom; only the first column names them."""
    return alt.Y(
        "row:N",
        title=None,
        sort=None,
        scale=alt.Scale(domain=list(names)),
        axis=alt.Axis(grid=True, labels=named, ticks=named, domain=named),
    )


def headed(
    chart: Any, heading: tuple[str, str], names: Sequence[str], width: int, *, first: bool = False
) -> Any:
    """A column under its heading and subtitle; the first one, history, is grey."""
    if not first:
        for layer in chart.layer:
            layer.encoding.y = rows_axis(names, named=False)
    return chart.properties(
        width=width,
        height=style.row_height(len(names)) * max(1, len(names)),
        title=alt.TitleParams(
            heading[0],
            subtitle=textwrap.wrap(heading[1], int(width / _LETTER)) or [""],
            anchor="start",
            color=style.MUTED if first else style.INK,
            subtitleColor=style.MUTED,
            fontSize=14,
            subtitleFontSize=11,
        ),
    )
