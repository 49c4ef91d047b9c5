"""Output about many servers: a line as each ends, and a table at the end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from httpdyno.cli.servers.many import WRONG_ANSWERS, Outcome
from httpdyno.cli.servers.tables import cell, console, table
from httpdyno.cli.servers.work import report

if TYPE_CHECKING:
    from httpdyno.servers import Conformance

__all__ = ["Progress", "show_outcomes"]

_MARKS = {
    "ok": "[green]ok[/green]",
    "failed": "[red]failed[/red]",
    "unavailable": "[dim]unavailable[/dim]",
    "needs a variable": "[dim]needs a variable[/dim]",
}


class Progress:
    """Counts servers as they end: `[12/60] warp: ok (23 s)`."""

    def __init__(self, what: str, total: int) -> None:
        self._total = total
        self._done = 0
        report(f"{what} {total} servers, two at a time")

    def show(self, outcome: Outcome) -> None:
        """Show a line about one more that has ended."""
        self._done += 1
        why = f": {outcome.reason}" if outcome.reason else ""
        place = f"[{self._done}/{self._total}]"
        report(f"{place} {outcome.server}: {outcome.result} ({outcome.took_s:.0f} s){why}")


def show_outcomes(outcomes: Sequence[Outcome], found: Sequence[Conformance] = ()) -> None:
    """Show a table of all servers with the reasons of those that failed, and the totals."""
    shown = table("server", "result", "seconds", "reason, and what to do")
    shown.columns[2].justify = "right"
    for outcome in sorted(outcomes, key=lambda one: one.server):
        shown.add_row(
            outcome.server,
            _MARKS[outcome.result],
            f"{outcome.took_s:.0f}" if outcome.took_s else "",
            cell("\n".join(filter(None, (*_reasons(outcome, found), outcome.hint)))),
        )
    console().print(shown)
    counts = {result: sum(one.result == result for one in outcomes) for result in _MARKS}
    console().print(", ".join(f"{count} {result}" for result, count in counts.items() if count))


def _reasons(outcome: Outcome, found: Sequence[Conformance]) -> list[str]:
    """The reason; of each deployment the first wrong answer and all contradictions."""
    lines = [] if outcome.reason == WRONG_ANSWERS else [outcome.reason]
    for one in found:
        if one.server != outcome.server:
            continue
        wrong = [row for row in one.workloads if not row.ok][:1]
        lines += [f"{one.deployment}: {row.request}: {row.detail}" for row in wrong]
        lines += [f"{one.deployment}: {sentence}" for sentence in one.contradictions]
    return lines
