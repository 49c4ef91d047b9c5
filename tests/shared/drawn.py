"""Reads a drawing back: its words with their boxes, its marks, its rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from xml.etree import ElementTree

from httpdyno.report.charts.drawing.letters import SIZE, SMALL, width

SVG = "{http://www.w3.org/2000/svg}"
_MOVE = re.compile(r"translate\(([-0-9.]+) ([-0-9.]+)\)")
_ABOVE, _BELOW = 0.72, 0.12
"""Height of letters above and below their line, as shares of their size."""


@dataclass(frozen=True)
class Words:
    """A line of text and the box it takes."""

    text: str
    left: float
    right: float
    top: float
    bottom: float
    classes: frozenset[str]

    def covers(self, other: Words) -> bool:
        """True if the boxes have an area in common."""
        across = min(self.right, other.right) - max(self.left, other.left)
        down = min(self.bottom, other.bottom) - max(self.top, other.top)
        return across > 0.5 and down > 0.5


def tree(svg: str) -> ElementTree.Element:
    """The elements; raises ParseError for what is not XML."""
    return ElementTree.fromstring(svg)


def classes(element: ElementTree.Element) -> set[str]:
    return set(element.get("class", "").split())


def texts(svg: str) -> list[str]:
    return ["".join(one.itertext()) for one in tree(svg).iter(f"{SVG}text")]


def words(svg: str) -> list[Words]:
    """Every line of text that is shown, with its place in the drawing."""
    return list(_words(tree(svg), 0.0, 0.0))


def _words(element: ElementTree.Element, x: float, y: float) -> Iterator[Words]:
    if element.tag == f"{SVG}defs":
        return
    if moved := _MOVE.match(element.get("transform", "")):
        x, y = x + float(moved[1]), y + float(moved[2])
    if element.tag == f"{SVG}text":
        yield _box(element, x, y)
    for child in element:
        yield from _words(child, x, y)


def _box(element: ElementTree.Element, x: float, y: float) -> Words:
    kinds = classes(element)
    size = SMALL if "sm" in kinds else SIZE
    wide = width(element.text or "", size, bold="b" in kinds)
    for part in element:
        wide += float(part.get("dx", "0")) + width(part.text or "", SMALL)
    at, base = x + float(element.get("x", "0")), y + float(element.get("y", "0"))
    left = at - wide if "e" in kinds else at - wide / 2 if "m" in kinds else at
    text = "".join(element.itertext())
    top, bottom = base - _ABOVE * size, base + _BELOW * size
    return Words(text, left, left + wide, top, bottom, frozenset(kinds))


def collisions(svg: str) -> list[tuple[str, str]]:
    """Pairs of words of which one covers the other."""
    return [(a.text, b.text) for a, b in combinations(words(svg), 2) if a.covers(b)]


def outside(svg: str) -> list[str]:
    """Words that reach beyond an edge of the drawing."""
    _, _, wide, high = map(float, tree(svg).get("viewBox", "").split())
    return [
        one.text
        for one in words(svg)
        if one.left < -1 or one.right > wide + 1 or one.top < -1 or one.bottom > high + 1
    ]


@dataclass(frozen=True)
class DrawnRow:
    """A row of a chart: its words, its tooltip, and the number of its marks of each kind."""

    name: str
    said: str
    tip: str
    points: int
    hollow: int
    bars: int
    dots: int


def rows(svg: str) -> list[DrawnRow]:
    """The rows from top to bottom."""
    found = []
    for group in tree(svg).iter(f"{SVG}g"):
        lines = ["".join(one.itertext()) for one in group.findall(f"{SVG}text")]
        if len(lines) == 2 and group.get("data-tip") is not None:
            found.append(_row(group, lines))
    return found


def _row(group: ElementTree.Element, lines: list[str]) -> DrawnRow:
    shapes = [one for one in group if one.tag == f"{SVG}circle" or "pt" in classes(one)]
    bars = [one for one in group if "bar" in classes(one)]
    dots = sum(one.get("d", "").count("h0") for one in group if "dot" in classes(one))
    hollow = sum("hol" in classes(one) for one in shapes)
    tip = group.get("data-tip", "")
    return DrawnRow(lines[0], lines[1], tip, len(shapes), hollow, len(bars), dots)


def hollow(svg: str) -> int:
    """The number of hollow marks, without the one that explains them."""
    every = [one for one in tree(svg).iter() if "hol" in classes(one)]
    explained = sum(text.startswith("hollow: ") for text in texts(svg))
    return len(every) - explained


def colours(svg: str) -> dict[str, set[str]]:
    """The colours of the marks of each arm, by its place: `{"0": {"f0", "s0"}}`."""
    found: dict[str, set[str]] = {}
    for group in tree(svg).iter(f"{SVG}g"):
        arm = group.get("data-arm")
        for one in group.iter() if arm is not None else ():
            own = {name for name in classes(one) if re.fullmatch(r"[fs]\d", name)}
            found.setdefault(arm or "", set()).update(own)
    return found
