"""docs/benchmarks.md: the tables, what was not measured and why, and the goals beside. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from peers.tables.goals import ENGINE, LIMIT, goals
from peers.tables.ratio import cpu, median, peak, rate, ratio, user

if TYPE_CHECKING:
    from peers.generators.job import Row
    from peers.runs.compare import Cell

_METHOD = """\
Each row is one kind of work. Server on one core, generator on another; all tools in turn, in a
new order each round, {pairs} rounds of {seconds:g} s (whole seconds where a tool knows no less).
Absolute numbers hold for this machine and this hour; what lasts are the ratios: the median over
the rounds of one tool by another in the same round, with the smallest and the largest.

Requests are counted by the server, processor time and peak memory by the kernel (`wait4`): no
tool's word is taken. The rate is that between 25 % and 95 % of the requests. Of the processor time,
what a run of one request costs is taken off, the start of the program and of its interpreter (not
of wrk and rewrk, which cannot be told to make one request and start within milliseconds).
`httpdyno` is the engine as a compiled program, `httpdyno-load` the whole command, `limit` a
program that only moves the same bytes by io_uring."""
_HEADER = (
    "| | CPU µs (user + system) | CPU ÷ httpdyno | CPU ÷ limit | requests/s | rate ÷ httpdyno"
    " | peak MiB |",
    "| --- | --: | --: | --: | --: | --: | --: |",
)
_SERVERS = {"reference": "the reference server", "nginx": "nginx, one worker"}
VERDICT = {True: "met", False: "**not met**", None: "not measured"}


@dataclass(frozen=True)
class Circumstances:
    """When, where and with what it was measured."""

    date: str
    command: str
    facts: Sequence[tuple[str, str]]
    versions: Sequence[tuple[str, str]]
    missing: Sequence[tuple[str, str]]
    starts_ms: Sequence[tuple[str, float]]
    pairs: int
    seconds: float


def page(
    results: dict[str, dict[str, dict[str, Cell]]], rows: Sequence[Row], around: Circumstances
) -> str:
    """The whole document."""
    lines = [*_beginning(around), "", "## Goals", "", *_goals(results.get("reference", {}))]
    says = {row.name: row.says for row in rows}
    for server, by_row in results.items():
        lines += [
            "",
            f"## Against {'nginx, one worker' if server == 'nginx' else 'the reference server'}",
        ]
        for name, cells in by_row.items():
            lines += ["", f"### {says[name]}", "", *_row(cells)]
    lines += ["", "## Circumstances", "", *_circumstances(around)]
    return "\n".join(lines) + "\n"


def _beginning(around: Circumstances) -> Iterator[str]:
    yield "# What a request costs the one who asks"
    yield ""
    yield f"`{around.command}`, {around.date}. Written by the bench."
    yield ""
    yield _METHOD.format(pairs=around.pairs, seconds=around.seconds)


def _goals(rows: dict[str, dict[str, Cell]]) -> Iterator[str]:
    yield "| goal | | found |"
    yield "| --- | --- | --- |"
    for goal in goals(rows):
        yield f"| {goal.says} | {VERDICT[goal.met]} | {goal.found} |"


def _row(cells: dict[str, Cell]) -> Iterator[str]:
    yield from _HEADER
    measured = {name: cell for name, cell in cells.items() if cell.done}
    for name, cell in sorted(measured.items(), key=lambda item: median(item[1], cpu)):
        yield _line(name, cell, cells)
    notes = [f"{name}: {note}" for name, cell in measured.items() if (note := cell.done[0].note)]
    failed = [
        f"{name}: {len(cell.trials) - len(cell.done)} of {len(cell.trials)} rounds failed"
        for name, cell in measured.items()
        if len(cell.done) < len(cell.trials)
    ]
    left_out = [f"{name}: {cell.reason}" for name, cell in cells.items() if not cell.done]
    if notes or failed:
        yield ""
        yield "Note. " + "; ".join(notes + failed) + "."
    if left_out:
        yield ""
        yield "Not in the row: " + "; ".join(left_out) + "."


def _line(name: str, cell: Cell, cells: dict[str, Cell]) -> str:
    user_us = median(cell, user)
    total = median(cell, cpu)
    engine, limit = cells.get(ENGINE), cells.get(LIMIT)
    ratios = [
        "1" if name == to_name else str(ratio(cell, to, of) or "")
        for to_name, to, of in ((ENGINE, engine, cpu), (LIMIT, limit, cpu), (ENGINE, engine, rate))
    ]
    return (
        f"| {name} | {total:.2f} ({user_us:.2f} + {total - user_us:.2f}) | {ratios[0]}"
        f" | {ratios[1]} | {median(cell, rate):,.0f} | {ratios[2]} | {median(cell, peak):,.1f} |"
    )


def _circumstances(around: Circumstances) -> Iterator[str]:
    for name, value in around.facts:
        yield f"- {name}: {value}"
    yield ""
    yield "| tool | version | start, ms of CPU |"
    yield "| --- | --- | --: |"
    starts = dict(around.starts_ms)
    for name, value in around.versions:
        yield f"| {name} | {value} | {f'{starts[name]:.1f}' if name in starts else ''} |"
    for name, why in around.missing:
        yield f"| {name} | missing: {why} | |"
