"""Room for words: where the names of lines stand, and how far an axis reaches behind its points."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from httpdyno.report.charts.drawing import style
from httpdyno.report.charts.drawing.altair_border import alt

GAP = 15.0
"""Least distance between two lines of words, CSS pixels."""
BESIDE = 11
"""Distance of words from the point that they belong to, CSS pixels."""
_LETTER, _BOLD_LETTER = 6.9, 7.7
"""Width of a letter, CSS pixels."""
_WIDEST_SHARE = 0.45
LIMIT = round(_WIDEST_SHARE * style.WIDTH) - BESIDE
"""Names beside lines are cut at this length, CSS pixels."""
_LEAST_SHARE = 0.15
"""Share of the width for points, in front of very long words."""


def room(names: Sequence[str]) -> float:
    """The share of a chart's width that names beside its lines need."""
    longest = max((len(name) for name in names), default=0)
    return min(_WIDEST_SHARE, (longest * _BOLD_LETTER + 2 * BESIDE) / style.WIDTH)


def plot_width(rows: Sequence[str]) -> float:
    """The width of a chart with a row for each name that remains beside the names, CSS pixels."""
    longest = max((len(row) for row in rows), default=0)
    return style.WIDTH - style.MARGINS - min(style.LONGEST_LABEL, longest * _LETTER)


def reach(low: float, ends: Iterable[tuple[float, str]], width: float, *, log: bool) -> float:
    """The end of an axis that starts at `low`, so that words fit behind their values.

    `ends`: (value, words) of each row; `width`: of the axis, CSS pixels.
    """
    scale: Callable[[float], float] = math.log if log else float
    span = 0.0
    for value, words in ends:
        share = 1 - (BESIDE + _LETTER * len(words)) / width
        span = max(span, (scale(value) - scale(low)) / max(share, _LEAST_SHARE))
    return low * math.exp(span) if log else low + span


def line_names(
    ends: Mapping[str, float], at: Mapping[str, float], x: Any, colour: Any, *, top: float = 0.0
) -> list[Any]:
    """A layer for each line's name. `ends`: where each line ends, pixels from the top; `at`: the
    place on the x axis, as data, where the names begin; `top`: pixels that are taken."""
    places = spread(ends, style.CURVE_HEIGHT - GAP / 2, top=top)
    return [
        alt.Chart(alt.Data(values=[{"arm": name, **at}]))
        .mark_text(
            align="left",
            dx=BESIDE,
            fontSize=12,
            fontWeight=600,
            text=name,
            limit=LIMIT,
        )
        .encode(x=x, y=alt.value(place), color=colour)
        for name, place in places.items()
    ]


def spread(
    wanted: Mapping[str, float], bottom: float, gap: float = GAP, *, top: float = 0.0
) -> dict[str, float]:
    """A place for each name, as near to the wanted one as the gap allows, from `top` to `bottom`.

    Places are pixels from the top. Too many names for the height stand closer than the gap.
    """
    names = sorted(wanted, key=lambda name: wanted[name])
    height = bottom - top
    gap = min(gap, height / max(1, len(names) - 1)) if len(names) > 1 else gap
    groups: list[list[float]] = []
    sizes: list[int] = []
    for name in names:
        groups.append([wanted[name] - top])
        sizes.append(1)
        while len(groups) > 1 and _first(groups[-1], gap, height) < (
            _first(groups[-2], gap, height) + gap * sizes[-2]
        ):
            last = groups.pop()
            size = sizes.pop()
            # Each member's wish for where the group's first line stands.
            groups[-1] += [wish - gap * sizes[-1] for wish in last]
            sizes[-1] += size
    firsts = [top + _first(group, gap, height) for group in groups]
    places = [
        first + gap * line
        for first, size in zip(firsts, sizes, strict=True)
        for line in range(size)
    ]
    return dict(zip(names, places, strict=True))


def _first(wishes: Sequence[float], gap: float, height: float) -> float:
    """The place of the first line of a group: the mean of its members' wishes, inside the chart."""
    mean = sum(wishes) / len(wishes)
    return min(max(0.0, mean), height - gap * (len(wishes) - 1))
