"""Output of `httpdyno servers verify`: the wire of each check, and its findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from httpdyno.cli.text import escape_text, markup_console, print_json
from httpdyno.units import counted

if TYPE_CHECKING:
    from httpdyno.servers.check.suite import Step

__all__ = ["show_steps"]

_STYLES = {"pass": "green", "warn": "yellow", "fail": "red"}


def show_steps(steps: Iterable[Step], *, as_json: bool) -> list[Step]:
    """Show each step as soon as it is done, or all of them as JSON."""
    done = []
    for step in steps:
        done.append(step)
        if not as_json:
            _show(step)
    if as_json:
        print_json([{**one.model_dump(mode="json"), "outcome": one.outcome} for one in done])
    else:
        _show_sum(done)
    return done


def _show(step: Step) -> None:
    paper = markup_console()
    lines = [f"[bold]{step.test}[/bold]: {escape_text(step.request)}"]
    for mark, wire in ((">", step.sent), ("<", step.received)):
        lines += [f"  [dim]{mark}[/dim] {escape_text(line)}" for line in wire.splitlines()]
    for finding in step.findings:
        style = _STYLES[finding.outcome]
        seen = f": {finding.seen}" if finding.seen else ""
        lines.append(f"  [{style}]{finding.outcome}[/{style}]  {escape_text(finding.rule + seen)}")
    paper.print("\n".join(lines), soft_wrap=True)
    paper.print()


def _show_sum(steps: list[Step]) -> None:
    found = Counter(step.outcome for step in steps)
    words = (
        f"{found['fail']} failed" if found["fail"] else "",
        f"{found['warn']} passed with a warning" if found["warn"] else "",
        f"{found['pass']} passed" if found["pass"] else "",
    )
    parts = filter(None, words)
    markup_console().print(f"{counted(len(steps), 'check')}: {', '.join(parts)}")
