"""Tables in Markdown, read back: each row is a cell of the study, each number one of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from oracle.numbers import is_printed, number
from oracle.raw import Key, Lab

_METRICS = {
    "requests/s": "throughput",
    "p50": "p50",
    "p99": "p99",
    "errors": "errors",
    "CPU per request": "cpu",
    "peak memory": "memory",
    "capacity": "capacity",
}
_ONE = r"[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?(?: ?[^0-9 ,;()?]+)?"
_NUMBER = re.compile(
    rf"(?P<value>(?:at least |≥ ?)?{_ONE})\??"
    rf"(?: \((?:(?P<low>{_ONE}) to (?:at least |≥ ?)?(?P<high>{_ONE})(?P<more> or more)?"
    r"|no interval|the search ended here)?"
    r"(?P<doubted>, suspect)?(?:(?:; )?\d+ blocks? in common)?\))?(?P<doubt> \(suspect\))?"
)


@dataclass(frozen=True)
class Grid:
    """A table with the line above it, and the load of its section."""

    above: str
    section: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def column(self, name: str) -> int | None:
        """The place of a column."""
        return self.head.index(name) if name in self.head else None

    @property
    def is_ranked(self) -> bool:
        """True if its arms have ranks."""
        return "rank" in self.head

    def place(self, lab: Lab, row: tuple[str, ...]) -> Key | None:
        """The cell of a row; None: it is about something else."""
        arm = self.column("arm")
        if arm is None or row[arm].strip("`") not in lab.names:
            return None
        name = lab.names[row[arm].strip("`")]
        load, point = self._at(lab, row)
        return (name, load, point) if load else None

    def _at(self, lab: Lab, row: tuple[str, ...]) -> tuple[str, str]:
        if (at := self.column("load")) is not None:
            load, _, point = row[at].strip("`").partition(" · ")
            return load, point
        if (at := self.column("load point")) is not None:
            load = self.section or self.above
            found = next((one.name for one in lab.loads if load.startswith(one.name)), "")
            return found, row[at]
        load, _, rest = self.above.partition("; ")
        workload, _, after = rest.partition("; ")
        rest = after if workload in lab.workloads else rest
        points = [p.label for one in lab.loads if one.name == load for p in one.points]
        fits = [one for one in points if rest.rstrip(":") == one or rest.startswith(f"{one};")]
        return (load, fits[0]) if fits else ("", "")


def grids(text: str) -> Iterator[Grid]:
    """The tables of a text."""
    above, section, lines = "", "", text.splitlines()
    at = 0
    while at < len(lines):
        line = lines[at]
        if line.startswith("|"):
            rows = []
            while at < len(lines) and lines[at].startswith("|"):
                rows.append(tuple(part.strip() for part in lines[at].strip("|").split(" | ")))
                at += 1
            head = tuple(part.strip() for part in rows[0])
            yield Grid(above, section, head, tuple(rows[2:]))
            continue
        if match := re.fullmatch(r"<summary>(.*)</summary>", line):
            section = match[1]
        elif line.startswith("</details>"):
            section = ""
        elif line:
            above = line
        at += 1


def faults(grid: Grid, lab: Lab) -> Iterator[str]:
    """The faults in the numbers of a table, and in its order."""
    for row in grid.rows:
        key = grid.place(lab, row)
        if key is None:
            continue
        for name, text in zip(grid.head, row, strict=False):
            if name in _METRICS:
                yield from _of_cell(lab, key, _METRICS[name], text)
            elif name.startswith("relative to ") and "×" in text:
                yield from _of_ratio(grid, lab, key, text)
            elif name == "verdict":
                yield from _verdict(lab, key, text)
    yield from _order(grid, lab)


def _of_cell(lab: Lab, key: Key, metric: str, text: str) -> Iterator[str]:
    if not re.match(r"[0-9≥a]", text):
        bare = text.partition(":")[0]
        # A capacity has a table of its own; in others its cell has no numbers.
        is_missing = bare in ("no result", "–") and lab.load(key[1]).kind != "capacity"
        if is_missing and lab.level(key, metric) is not None:
            yield f"{', '.join(key)}: {metric} is `{text}`, and has a result"
        return
    match = _NUMBER.fullmatch(text)
    if match is None:
        yield f"{', '.join(key)}: `{text}` is no {metric}"
        return
    value = lab.level(key, metric)
    shown = match["value"].strip()
    is_least = shown.startswith(("at least", "≥"))
    if is_least != (metric == "capacity" and lab.is_bound(key)):
        yield f"{', '.join(key)}: {shown}: it {'has' if is_least else 'is'} no such bound"
    bare = shown.removeprefix("at least ").lstrip("≥ ")
    if value is None or not is_printed(bare, value):
        yield f"{', '.join(key)}: {metric} {bare}: the trials give {value}"
    marked = (match["doubt"] or match["doubted"]) and metric != "capacity"
    if marked and not lab.is_suspect(key, metric):
        yield f"{', '.join(key)}: {metric} is not suspect"
    if match["more"] and not (metric == "capacity" and lab.has_bounds(key)):
        yield f"{', '.join(key)}: {text}: no search ended before the limits did"
    if match["low"] and (known := lab.interval(key, metric)) is not None:
        yield from _interval(key, (match["low"], match["high"]), known)


def _interval(key: Key, ends: tuple[str, str], known: tuple[float, float]) -> Iterator[str]:
    unit = ends[1].lstrip("0123456789.,")
    low = ends[0] if ends[0].lstrip("0123456789.,") else f"{ends[0]}{unit}"
    # An interval may be wider, where one tail is longer or the trials drift.
    if number(low) > known[0] and not is_printed(low, known[0]):
        yield f"{', '.join(key)}: {low}: the 95 % interval begins at {known[0]:.6g}"
    if number(ends[1]) < known[1] and not is_printed(ends[1], known[1]):
        yield f"{', '.join(key)}: {ends[1]}: the 95 % interval ends at {known[1]:.6g}"


def _of_ratio(grid: Grid, lab: Lab, key: Key, text: str) -> Iterator[str]:
    """The ratio stands behind the number that it compares."""
    at = next(n for n, one in enumerate(grid.head) if one.startswith("relative to "))
    metric = _METRICS.get(grid.head[at - 1], "")
    other = lab.names.get(grid.head[at].removeprefix("relative to "), "")
    match = _NUMBER.fullmatch(text)
    if match is None or not metric or not other:
        yield f"{', '.join(key)}: `{text}` is no ratio"
        return
    found = lab.pairs(key[0], other, key[1], key[2], metric)
    if metric == "capacity" and (lab.is_bound(key) or lab.is_bound((other, *key[1:]))):
        yield f"{', '.join(key)}: {text}: only a lower bound is known"
    elif found is None or not is_printed(match["value"], found.ratio, 2):
        yield f"{', '.join(key)}: {match['value']}: the ratio is {found and found.ratio}"
    elif (
        match["low"]
        and number(match["low"]) > found.low
        and not is_printed(match["low"], found.low, 2 if found.low < 10 else 3)
    ):
        yield f"{', '.join(key)}: {text}: the 95 % interval begins at {found.low:.4g}"


def _verdict(lab: Lab, key: Key, text: str) -> Iterator[str]:
    is_known = any(one.usable for one in lab.of(key))
    if text.startswith(("valid", "suspect")) != is_known:
        yield f"{', '.join(key)}: {text}, with{'' if is_known else 'out'} a usable trial"


def _order(grid: Grid, lab: Lab) -> Iterator[str]:
    """An arm before another one with a rank that lies wholly above its own."""
    rank = grid.column("rank")
    if rank is None:
        return
    ends = [re.fullmatch(r"(\d+)(?: to (\d+))?", row[rank]) for row in grid.rows]
    last = 0
    for row, match in zip(grid.rows, ends, strict=True):
        if match is None:
            continue
        if int(match[2] or match[1]) < last:
            yield f"{row[rank]} of {row[1]} stands behind a rank of {last}"
        last = max(last, int(match[1]))
