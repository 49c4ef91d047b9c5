"""Output of `httpdyno runs`: tables, or JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

from httpdyno.cli.table import FittedTable, facts
from httpdyno.cli.text import DASH, markup_console, print_json, stdout_console
from httpdyno.dates import moment
from httpdyno.history import machine_key, machine_words
from httpdyno.output.echo import echo
from httpdyno.output.printable import printable
from httpdyno.output.table import Column, TextColumn
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
        echo("no stored run")
        return
    digits = max(len("run"), *(len(str(run.id)) for run in runs))
    labels = study_labels(runs)
    several = len({run.host for run in runs if run.origin is None}) > 1
    study = f"{'run':>{digits}}  study"
    columns: Sequence[Column[RunSummary]] = (
        TextColumn(study, lambda run: f"{run.id:>{digits}}  {labels[run.id]}"),
        TextColumn("began (UTC)", lambda run: moment(run.started_at, zone="")),
        Column("arms", lambda run: str(len(run.arms)), drop=3),
        TextColumn("trials", verdicts, drop=1),
        TextColumn("complete", _completeness, drop=2),
        TextColumn("machine", partial(where, host=several), drop=4),
    )
    FittedTable(columns, runs).show(stdout_console(), _ELSEWHERE)


def _completeness(run: RunSummary) -> str:
    return "failed" if run.failed else "yes" if run.complete else "no"


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
    recorded = [(printable(label), printable(value)) for label, value in rows.items()]
    for fact in run.facts:
        doubt = f"\ndoubt: {printable(fact.doubt)}" if fact.doubt else ""
        recorded.append((printable(fact.label), f"{printable(fact.value)}{doubt}"))
    console = markup_console()
    console.print()
    console.print(facts(recorded))


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
        "started_at": run.started_at if math.isfinite(run.started_at) else None,
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
