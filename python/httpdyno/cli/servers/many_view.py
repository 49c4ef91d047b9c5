"""Output about many servers: their progress while they are worked on, and a table at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from httpdyno.cli.live.screen import Screen, usable
from httpdyno.cli.live.steps import Steps, steps_lines
from httpdyno.cli.servers.many import AT_ONCE, WRONG_ANSWERS, Outcome
from httpdyno.cli.servers.work import report
from httpdyno.cli.signals import tell
from httpdyno.cli.table import borderless_table
from httpdyno.cli.text import markup_console
from httpdyno.output.printable import printable
from httpdyno.output.table import Cell
from httpdyno.running.live.events import Event, Events, ServerEnds, ServersAtWork
from httpdyno.units import roughly

if TYPE_CHECKING:
    from httpdyno.servers import Conformance

__all__ = ["show_outcomes", "showing"]

_TONES = {"ok": "valid", "failed": "invalid", "unavailable": "dim", "needs a variable": "dim"}


@contextmanager
def showing(events: Events, what: str, total: int) -> Iterator[Callable[[str], None]]:
    """Shows the work on stderr: a view on a terminal, a line for each server elsewhere. Yields what
    shows a line at once; a signal may call it."""
    title = f"{what} {total} servers, two at a time"
    if not usable():
        report(title)
        events.add(Lines(total))
        yield tell
        return
    view = View(title, total)
    events.add(view)
    with view.screen:
        yield view.screen.say


class Lines:
    """Counts servers as they end: `[12/60] warp: ok (23 s)`."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = 0

    def __call__(self, event: Event) -> None:
        """Show a line about one more that has ended."""
        if isinstance(event, ServerEnds):
            self._done += 1
            report(f"[{self._done}/{self._total}] {_in_words(event)}")


class View:
    """A bar, the servers at work, and the last ones that ended. Failures stay above."""

    def __init__(self, title: str, total: int) -> None:
        self._steps = Steps(title, "servers", of=total)
        self._took_s: list[float] = []
        self.screen = Screen(self.lines)

    def lines(self, width: int, height: int) -> list[str]:
        """The view at this size."""
        return steps_lines(self._steps, width, height)

    def __call__(self, event: Event) -> None:
        """Show it."""
        match event:
            case ServerEnds():
                self._add(event)
            case ServersAtWork(seconds):
                self._show(seconds)

    def _add(self, ended: ServerEnds) -> None:
        self._took_s.append(ended.took_s)
        self._steps.number += 1
        self._steps.add("valid" if ended.result == "ok" else "invalid", printable(_in_words(ended)))
        if ended.result != "ok":
            self.screen.say(_in_words(ended), "red")

    def _show(self, servers: Mapping[str, float]) -> None:
        """Show them. The time left is that of the servers so far: the slowest came first."""
        self._steps.now = [f"{printable(name)}  {roughly(s)}" for name, s in servers.items()]
        if self._took_s:
            each_s = sum(self._took_s) / len(self._took_s)
            working_s = sum(min(each_s, seconds) for seconds in servers.values())
            missing = self._steps.of - self._steps.number
            self._steps.left_s = max(0.0, missing * each_s - working_s) / AT_ONCE
        self.screen.refresh()


def _in_words(ended: ServerEnds) -> str:
    why = f": {ended.reason}" if ended.reason else ""
    return f"{ended.server}: {ended.result} ({ended.took_s:.0f} s){why}"


def show_outcomes(outcomes: Sequence[Outcome], found: Sequence[Conformance] = ()) -> None:
    """Show a table of all servers with the reasons of those that failed, and the totals."""
    rows = [
        (
            one.server,
            Cell(one.result, tone=_TONES[one.result]),
            f"{one.took_s:.0f}" if one.took_s else "",
            _reasons(one, found),
        )
        for one in sorted(outcomes, key=lambda one: one.server)
    ]
    table = borderless_table(("server", "result", "seconds", "reason, and what to do"), rows)
    table.columns[2].justify = "right"
    console = markup_console()
    console.print(table)
    counts = {result: sum(one.result == result for one in outcomes) for result in _TONES}
    console.print(", ".join(f"{count} {result}" for result, count in counts.items() if count))


def _reasons(outcome: Outcome, found: Sequence[Conformance]) -> str:
    """The reason; of each deployment the first wrong answer and all contradictions; the hint."""
    lines = [] if outcome.reason == WRONG_ANSWERS else [outcome.reason]
    for one in found:
        if one.server != outcome.server:
            continue
        wrong = [row for row in one.workloads if not row.ok][:1]
        lines += [f"{one.deployment}: {row.named}: {row.detail}" for row in wrong]
        lines += [f"{one.deployment}: {sentence}" for sentence in one.contradictions]
    return "\n".join(filter(None, (*lines, outcome.hint)))
