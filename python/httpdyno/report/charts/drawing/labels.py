"""Names beside lines: as near to the ends of their lines as the others allow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

GAP = 15.0
"""Least distance between two lines of words, CSS pixels."""


def spread(
    ideal: Mapping[str, float], bottom: float, gap: float = GAP, *, top: float = 0.0
) -> dict[str, float]:
    """A place for each name, as near to the ideal one as the gap allows, from `top` to `bottom`.

    Places are pixels from the top. Too many names for the height stand closer than the gap.
    """
    names = sorted(ideal, key=lambda name: ideal[name])
    height = bottom - top
    gap = min(gap, height / max(1, len(names) - 1)) if len(names) > 1 else gap
    groups: list[list[float]] = []
    sizes: list[int] = []
    for name in names:
        groups.append([ideal[name] - top])
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
