"""What is shown of many servers: a line as each ends, and a table when all have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.markup import escape

from httpdyno.cli.servers.many import Outcome
from httpdyno.cli.servers.tables import console, table
from httpdyno.cli.servers.work import tell

if TYPE_CHECKING:
    from httpdyno.servers import Conformance

__all__ = ["Progress", "show_outcomes"]

_MARKS = {
    "ok": "[green]ok[/green]",
    "failed": "[red]failed[/red]",
    "cannot be had": "[dim]cannot be had[/dim]",
    "needs a variable": "[dim]needs a variable[/dim]",
}


class Progress:
    """Counts servers as they end: `[12/60] warp: ok (23 s)`."""

    def __init__(self, what: str, total: int) -> None:
        self._total = total
        self._done = 0
        tell(f"{what} {total} servers, two at a time")

    def tell(self, outcome: Outcome) -> None:
        """One more has ended."""
        self._done += 1
        why = f": {outcome.reason}" if outcome.reason else ""
        place = f"[{self._done}/{self._total}]"
        tell(f"{place} {outcome.server}: {outcome.result} ({outcome.took_s:.0f} s){why}")


def show_outcomes(outcomes: Sequence[Outcome], found: Sequence[Conformance] = ()) -> None:
    """The table: every server, its result, and why where it is not ok."""
    shown = table("server", "result", "seconds", "why, and where to look")
    for outcome in sorted(outcomes, key=lambda one: one.server):
        shown.add_row(
            outcome.server,
            _MARKS[outcome.result],
            f"{outcome.took_s:.0f}" if outcome.took_s else "",
            escape("\n".join(filter(None, (*_why(outcome, found), outcome.hint)))),
        )
    console().print(shown)
    counts = {result: sum(one.result == result for one in outcomes) for result in _MARKS}
    console().print(", ".join(f"{count} {result}" for result, count in counts.items() if count))


def _why(outcome: Outcome, found: Sequence[Conformance]) -> list[str]:
    """The reason, with the first wrong answer of each deployment, and what contradicts itself."""
    lines = [] if outcome.reason == "answers wrong" else [outcome.reason]
    for one in found:
        if one.server != outcome.server:
            continue
        wrong = [row for row in one.workloads if not row.ok][:1]
        lines += [f"{one.deployment}: {row.request}: {row.detail}" for row in wrong]
        lines += [f"{one.deployment}: {said}" for said in one.contradictions]
    return lines
