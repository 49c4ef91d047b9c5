"""Output of `httpdyno runs`: tables, or JSON."""

from __future__ import annotations

from collections.abc import Sequence

import typer
from rich.text import Text

from httpdyno.cli.run.fitted import Column, FittedTable
from httpdyno.cli.run.text import stdout_console
from httpdyno.cli.servers.tables import DASH, cell, console, grid, print_json
from httpdyno.dates import moment
from httpdyno.history import machine_key, machine_words
from httpdyno.output.printable import printable
from httpdyno.report.text import words
from httpdyno.result import StudyResult
from httpdyno.store import RunSummary, StoredRun, study_labels

__all__ = ["show_facts", "show_list", "verdicts", "where"]

_STATUSES = ("valid", "suspect", "invalid")
_ELSEWHERE = "a wider terminal and `--json` have them"


def show_list(runs: Sequence[RunSummary], *, as_json: bool) -> None:
    """Show the runs, the newest last."""
    if as_json:
        print_json([_json(run) for run in runs])
        return
    if not runs:
        typer.echo("no stored run")
        return
    digits = max(len("run"), *(len(str(run.id)) for run in runs))
    shown = FittedTable(
        Column("began (UTC)", right=False),
        Column("arms", drop=3),
        Column("trials", drop=1, right=False),
        Column("complete", drop=2, right=False),
        Column("machine", drop=4, right=False),
        name=Column(f"{'run':>{digits}}  study", right=False),
    )
    labels = study_labels(runs)
    several = len({run.host for run in runs if run.origin is None}) > 1
    for run in runs:
        shown.add_row(
            Text(f"{run.id:>{digits}}  {printable(labels[run.id])}"),
            moment(run.started_at, zone=""),
            str(len(run.arms)),
            verdicts(run),
            "failed" if run.failed else "yes" if run.complete else "no",
            printable(where(run, host=several)),
        )
    shown.show(stdout_console(), _ELSEWHERE)


def verdicts(run: RunSummary) -> str:
    """The trials by verdict: `38 valid, 2 suspect`."""
    parts = [f"{run.trials[one]:,} {one}" for one in _STATUSES if run.trials.get(one)]
    return ", ".join(parts) or "none"


def where(run: RunSummary | StoredRun, *, host: bool = False) -> str:
    """The machine, with its name if `host`, and where an imported run was measured."""
    words = machine_words(run.facts)
    if host and run.host is not None:
        words = f"{printable(run.host)}: {words}"
    return words if run.origin is None else f"{words}; imported: {printable(run.origin)}"


def show_facts(run: StoredRun, result: StudyResult) -> None:
    """Show what is recorded about a run beside its numbers."""
    rows = {
        "run": str(run.id),
        "study": run.study,
        "command": run.command,
        "began (UTC)": moment(run.started_at, zone=""),
        "complete": _complete(run, result),
        "blocks": str(result.blocks_done) if result.complete else words.blocks_done(result),
        "httpdyno": run.httpdyno_version,
        "report": run.folder or DASH,
    }
    if run.study_folder:
        rows["folder of the study"] = run.study_folder
    if run.host is not None:
        rows["measured by"] = run.host
    if run.origin is not None:
        rows["imported from"] = run.origin
    rows |= {f"version of {arm.name}": arm.version or DASH for arm in result.arms}
    shown = grid()
    for label, value in rows.items():
        shown.add_row(cell(printable(label)), cell(printable(value)))
    for fact in run.facts:
        doubt = f"\ndoubt: {printable(fact.doubt)}" if fact.doubt else ""
        shown.add_row(cell(printable(fact.label)), cell(f"{printable(fact.value)}{doubt}"))
    paper = console()
    paper.print()
    paper.print(shown)


def _complete(run: StoredRun, result: StudyResult) -> str:
    if run.ended_at is None:
        return "no"
    measured = any(cell.trials for cell in result.cells)
    return "yes" if measured else "no: the run ended without a trial"


def _json(run: RunSummary) -> dict[str, object]:
    return {
        "run": run.id,
        "study": run.study,
        "study_folder": run.study_folder or None,
        "started_at": run.started_at,
        "complete": run.complete,
        "failed": run.failed,
        "arms": list(run.arms),
        "trials": {status: run.trials.get(status, 0) for status in _STATUSES},
        "httpdyno_version": run.httpdyno_version,
        "command": run.command,
        "origin": run.origin,
        "host": run.host,
        "machine": machine_words(run.facts),
        "machine_key": machine_key(run.facts),
    }
