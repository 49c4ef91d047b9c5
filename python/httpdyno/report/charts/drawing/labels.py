"""Where the names of lines stand: beside their ends, moved apart so that none covers another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from httpdyno.report.charts.drawing import style
from httpdyno.report.charts.drawing.altair_border import alt

GAP = 15.0
"""Least distance between two lines of words, CSS pixels."""
_LETTER = 7.7
"""Width of a letter of the names, CSS pixels; they are bold."""
_BESIDE = 10
_WIDEST_SHARE = 0.45


def room(names: Sequence[str]) -> float:
    """The share of a chart's width that names beside its lines need."""
    longest = max((len(name) for name in names), default=0)
    return min(_WIDEST_SHARE, (longest * _LETTER + 2 * _BESIDE) / style.WIDTH)


def line_names(
    ends: Mapping[str, float], at: Mapping[str, float], x: Any, colour: Any
) -> list[Any]:
    """A layer for each line's name. `ends`: where each line ends, pixels from the top; `at`: the
    place on the x axis, as data, where the names begin."""
    places = spread(ends, style.CURVE_HEIGHT - GAP / 2)
    return [
        alt.Chart(alt.Data(values=[{"arm": name, **at}]))
        .mark_text(align="left", dx=_BESIDE, fontSize=12, fontWeight=600, text=name)
        .encode(x=x, y=alt.value(place), color=colour)
        for name, place in places.items()
    ]


def spread(wanted: Mapping[str, float], height: float, gap: float = GAP) -> dict[str, float]:
    """A place for each name, as near to the wanted one as the gap allows, within 0 to `height`.

    Places are pixels from the top. Too many names for the height stand closer than the gap.
    """
    names = sorted(wanted, key=lambda name: wanted[name])
    gap = min(gap, height / max(1, len(names) - 1)) if len(names) > 1 else gap
    groups: list[list[float]] = []
    sizes: list[int] = []
    for name in names:
        groups.append([wanted[name]])
        sizes.append(1)
        while len(groups) > 1 and _top(groups[-1], gap, height) < (
            _top(groups[-2], gap, height) + gap * sizes[-2]
        ):
            last = groups.pop()
            size = sizes.pop()
            # Each member's wish for where the group's first line stands.
            groups[-1] += [wish - gap * sizes[-1] for wish in last]
            sizes[-1] += size
    tops = [_top(group, gap, height) for group in groups]
    places = [
        top + gap * line for top, size in zip(tops, sizes, strict=True) for line in range(size)
    ]
    return dict(zip(names, places, strict=True))


def _top(wishes: Sequence[float], gap: float, height: float) -> float:
    """Where the first line of a group stands: the mean of its members' wishes, inside the chart."""
    mean = sum(wishes) / len(wishes)
    return min(max(0.0, mean), height - gap * (len(wishes) - 1))
