"""The tables of `benches/peers/compat.py`: httpdyno's httperf and ab beside the real ones. Pure."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from peers.generators.lines import CLIMB_S, OURS, Line
from peers.runs.compare import Cell
from peers.tables.ratio import cpu, median, rate, ratio

if TYPE_CHECKING:
    from peers.runs.trial import Spent

MOSTLY_START = 0.8
"""If starting is a larger share of the CPU time, the rest is within its noise."""
Rows = Mapping[str, Mapping[str, Cell]]
Starts = Mapping[str, "Spent"]
_METHOD = """\
`{command}`, {date}. Each line of httperf and ab is run by the real tool and by httpdyno, in turn,
shuffled in each round, {pairs} rounds; the reference server on one core, the tool on another. The
server counts the requests, and a round counts only if it received exactly those of the line. The
kernel counts the CPU time. Ratios are of the same round: median (minimum to maximum), below 1 if
httpdyno needs less CPU. The start of a tool is that of its run with a single request; httpdyno's is
Python, which a run of a second or less does not make up for. A line has no figure without the start
if starting takes over 80 % of the CPU time."""


def tables(
    lines: Sequence[Line], rows: Rows, starts: Starts, climbs: Mapping[str, Sequence[float]]
) -> Iterator[str]:
    """The goals, a table of CPU time and rate, and the highest rates."""
    shown = [line for line in lines if _pair(rows.get(line.name, {}), line)]
    yield from _goals(shown, rows, starts)
    yield ""
    yield "| line | requests | tool | CPU µs per request | without its start | requests/s |"
    yield "| --- | --: | --- | --: | --: | --: |"
    for line in shown:
        yield from _line(line, rows[line.name], starts)
    if any(climbs.values()):
        yield ""
        yield from _climbs(climbs)
    yield ""
    for name, start in starts.items():
        yield f"- start of `{name}`: {1e3 * (start.user_s + start.system_s):.1f} ms of CPU"
    for line in lines:
        yield from _failures(line, rows.get(line.name, {}))


def method(command: str, date: str, pairs: int) -> str:
    """The conditions of the figures."""
    return _METHOD.format(command=command, date=date, pairs=pairs)


def without_start(cell: Cell, start: Spent | None) -> Cell:
    """The same rounds without the cost of starting."""
    return Cell([spent and spent.without(start) for spent in cell.trials], cell.reason)


def checked(cell: Cell, line: Line) -> Cell:
    """The same rounds, except those in which other than the line's requests arrived."""
    right = [spent if spent and spent.requests == line.requests else None for spent in cell.trials]
    return Cell(list(right), cell.reason)


def _pair(cells: Mapping[str, Cell], line: Line) -> tuple[Cell, Cell] | None:
    """The real tool's rounds and ours, or None if one of them has none."""
    pair = [checked(cells.get(name, Cell()), line) for name in (line.tool, OURS[line.tool])]
    return (pair[0], pair[1]) if all(cell.done for cell in pair) else None


def _goals(lines: Sequence[Line], rows: Rows, starts: Starts) -> Iterator[str]:
    yield "| goal | | found |"
    yield "| --- | --- | --- |"
    whole = {line.name: _ratio_of(line, rows, cpu) for line in lines}
    yield _goal("less CPU per request in every line", whole)
    rest = {line.name: _work_ratio(line, rows, starts) for line in lines}
    yield _goal("less CPU per request in every line, without the start", rest)


def _goal(title: str, found: Mapping[str, float | None]) -> str:
    ratios = {name: value for name, value in found.items() if value is not None}
    if not ratios:
        return f"| {title} | not measured | |"
    worst = max(ratios, key=lambda name: ratios[name])
    missed = sum(value >= 1 for value in ratios.values())
    verdict = "**not met**" if missed else "met"
    text = f"worst: {ratios[worst]:.2f} × in `{worst}`; {missed} of {len(ratios)} miss it"
    return f"| {title} | {verdict} | {text} |"


def _ratio_of(line: Line, rows: Rows, of: Callable[[Spent], float]) -> float | None:
    pair = _pair(rows[line.name], line)
    found = ratio(pair[1], pair[0], of) if pair else None
    return found.median if found else None


def _work_ratio(line: Line, rows: Rows, starts: Starts) -> float | None:
    pair = _pair(rows[line.name], line)
    if pair is None or _mostly_start(pair[1], starts.get(OURS[line.tool])):
        return None
    real = without_start(pair[0], starts.get(line.tool))
    ours = without_start(pair[1], starts.get(OURS[line.tool]))
    found = ratio(ours, real, cpu)
    return found.median if found else None


def _mostly_start(cell: Cell, start: Spent | None) -> bool:
    whole = statistics.median(spent.user_s + spent.system_s for spent in cell.done)
    return start is not None and start.user_s + start.system_s > MOSTLY_START * whole


def _line(line: Line, cells: Mapping[str, Cell], starts: Starts) -> Iterator[str]:
    pair = _pair(cells, line)
    assert pair is not None
    real, ours = pair
    lone = [without_start(real, starts.get(line.tool))]
    lone.append(without_start(ours, starts.get(OURS[line.tool])))
    hidden = _mostly_start(ours, starts.get(OURS[line.tool]))
    yield (
        f"| {line.title}<br>`{line.shown}` | {line.requests:,} | {line.tool}"
        f" | {median(real, cpu):.2f} | {'' if hidden else f'{median(lone[0], cpu):.2f}'}"
        f" | {_rate(real) if line.has_rate else ''} |"
    )
    yield (
        f"| | | httpdyno | {median(ours, cpu):.2f}: **{ratio(ours, real, cpu)} ×**"
        f" | {'' if hidden else _beside(lone[1], lone[0])}"
        f" | {f'{_rate(ours)}: {ratio(ours, real, rate)} ×' if line.has_rate else ''} |"
    )


def _rate(cell: Cell) -> str:
    return f"{median(cell, rate):,.0f}"


def _beside(ours: Cell, real: Cell) -> str:
    return f"{median(ours, cpu):.2f}: **{ratio(ours, real, cpu)} ×**"


def _climbs(climbs: Mapping[str, Sequence[float]]) -> Iterator[str]:
    """The highest rates of the line of 2011, in each round."""
    yield (
        f"The highest rate of the line of 2011 kept up for {CLIMB_S} s, with all requests answered"
        " (at least 95 % of the offered rate, 25 % steps):"
    )
    yield ""
    yield "| tool | highest requests/s: median (minimum to maximum) |"
    yield "| --- | --: |"
    for name, found in climbs.items():
        if found:
            middle, low, high = statistics.median(found), min(found), max(found)
            yield f"| {name} | {middle:,.0f} ({low:,.0f} to {high:,.0f}) |"


def _failures(line: Line, cells: Mapping[str, Cell]) -> Iterator[str]:
    for name in (line.tool, OURS[line.tool]):
        cell = cells.get(name, Cell())
        if cell.reason:
            yield f"- `{line.name}`, {name}: not measured: {cell.reason}"
            continue
        wrong = [spent for spent in cell.done if spent.requests != line.requests]
        if wrong:
            made = ", ".join(f"{spent.requests:,}" for spent in wrong)
            yield f"- `{line.name}`, {name}: made {made} requests instead of {line.requests:,}"
        if failed := len(cell.trials) - len(cell.done):
            yield f"- `{line.name}`, {name}: {failed} of {len(cell.trials)} rounds failed"
