"""The speed goals, compared with the results against the reference server. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from peers.tables.ratio import Ratio, cpu, median, rate, ratio, user

if TYPE_CHECKING:
    from peers.runs.compare import Cell
    from peers.runs.trial import Spent

Rows = dict[str, dict[str, "Cell"]]

ENGINE, LIMIT, COMMAND = "httpdyno", "limit", "httpdyno-load"
CPU_OF_LIMIT = 1.05
USER_US = 0.30
NAMED = 12
"""Most misses of a goal that are named."""


@dataclass(frozen=True)
class Goal:
    """A goal, the result, and whether it is met; None: not measured."""

    title: str
    met: bool | None
    found: str


def goals(rows: Rows) -> list[Goal]:
    """All goals, in the order of the page."""
    kept = {name: cells for name, cells in rows.items() if name.startswith("keep-alive")}
    closed = {name: cells for name, cells in rows.items() if not name.startswith("open")}
    return [
        _at_most("CPU per request ≤ 1.05 × the bare limit", rows, LIMIT, cpu, CPU_OF_LIMIT),
        _less_than_all("CPU per request below every other tool's in every row", rows, cpu, False),
        _less_than_all("ceiling above every other tool's in every closed row", closed, rate, True),
        _user_time(kept),
    ]


def _ratios(
    rows: Rows, of: Callable[[Spent], float], to: str | None = None
) -> Iterator[tuple[str, str, Ratio]]:
    """(row, other tool, engine relative to it), for every other tool if `to` is None."""
    for name, cells in rows.items():
        others = [to] if to else [tool for tool in cells if tool not in (ENGINE, LIMIT, COMMAND)]
        for other in others:
            found = ratio(cells.get(ENGINE), cells.get(other), of)
            if found is not None:
                yield name, other, found


def _at_most(title: str, rows: Rows, to: str, of: Callable[[Spent], float], limit: float) -> Goal:
    found = list(_ratios(rows, of, to))
    return _judged(title, found, lambda one: one.median <= limit, worst_is_high=True)


def _less_than_all(
    title: str, rows: Rows, of: Callable[[Spent], float], more_is_better: bool
) -> Goal:
    found = list(_ratios(rows, of))
    if more_is_better:
        return _judged(title, found, lambda one: one.median > 1, worst_is_high=False)
    return _judged(title, found, lambda one: one.median < 1, worst_is_high=True)


def _judged(
    title: str,
    found: list[tuple[str, str, Ratio]],
    meets: Callable[[Ratio], bool],
    *,
    worst_is_high: bool,
) -> Goal:
    if not found:
        return Goal(title, None, "not measured")
    found = sorted(found, key=lambda one: one[2].median, reverse=worst_is_high)
    failing = [one for one in found if not meets(one[2])]
    row, tool, worst = (failing or found)[0]
    text = f"worst: {worst} × {tool}'s in `{row}`; "
    if not failing:
        return Goal(title, True, f"{text}all {len(found)} meet it")
    others = [f"{one.median:.2f} ({tool}, `{row}`)" for row, tool, one in failing[1:NAMED]]
    others += ["…"] if len(failing) > NAMED else []
    rest = f"; then {', '.join(others)}" if others else ""
    return Goal(title, False, f"{text}{len(failing)} of {len(found)} miss it{rest}")


def _user_time(rows: Rows) -> Goal:
    title = f"user time per request ≤ {USER_US:.2f} µs with keep-alive"
    found = [
        (median(cells[ENGINE], user), name)
        for name, cells in rows.items()
        if ENGINE in cells and cells[ENGINE].done
    ]
    if not found:
        return Goal(title, None, "not measured")
    worst, name = max(found)
    count = sum(value > USER_US for value, _ in found)
    return Goal(
        title, count == 0, f"worst: {worst:.2f} µs in `{name}`; {count} of {len(found)} miss it"
    )
