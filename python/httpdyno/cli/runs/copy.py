"""`httpdyno runs copy`: stored runs into another database."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

from httpdyno.cli import shared_flags as shared
from httpdyno.cli.faults import Faults
from httpdyno.cli.flags import argument, option
from httpdyno.cli.runs.options import chosen_runs
from httpdyno.cli.store import read_store
from httpdyno.cli.values import Values
from httpdyno.errors import UsageError
from httpdyno.output.echo import echo
from httpdyno.output.printable import printable

if TYPE_CHECKING:
    from httpdyno.store import CopyOutcome, RunSummary

__all__ = ["copy"]

_HELP = "httpdyno runs copy --help"
_MOST_RUNS = 2**63 - 1


def copy(
    source: Annotated[
        str,
        argument("FROM", "Database to read: a `.sqlite` file, or a URL"),
    ],
    target: Annotated[
        str,
        argument("TO", "Database to write to; a file is created if it does not exist"),
    ],
    run: Annotated[
        list[str] | None, option("--run N", "Only the run with this number; repeatable")
    ] = None,
    study: shared.OfStudy = None,
    since: shared.Since = None,
) -> None:
    """Copy stored runs to another database, such as one that a team shares.

    A run arrives whole, with its trials and the facts about its machine, or not at all. One that is
    there already is skipped, or gets the trials that it lacks: so repeat the command at any time,
    also after an error. Numbers of runs differ between databases. Nothing is deleted from FROM.

    \b
    Examples:
      httpdyno runs copy results.sqlite postgresql://httpdyno@db/bench
      httpdyno runs copy results.sqlite postgresql://httpdyno@db/bench --study demo --since 30d
      httpdyno runs copy postgresql://httpdyno@db/bench mine.sqlite --run 17 --run 18
    """
    from httpdyno.store import copy_run, open_store

    faults = Faults(_HELP)
    values = Values(faults)
    read_store(values, source, "FROM")
    read_store(values, target, "TO")
    numbers = [values.count("--run", text, _MOST_RUNS) for text in run or ()]
    if source == target:
        faults.add("FROM and TO are the same database: expected two")
    faults.raise_any()
    there = open_store(source, create=False, reading=True)
    chosen = _choose(chosen_runs(there, study, since, _HELP), numbers)
    here = open_store(target)
    copied = 0
    for at, one in enumerate(chosen, start=1):
        if sys.stderr.isatty():
            echo(f"\rcopying run {at:,} of {len(chosen):,}\x1b[K", nl=False, err=True)
        became = copy_run(there, one.id, here)
        copied += became.trials > 0 or became.is_new
        _tell(one, became)
    rest = len(chosen) - copied
    already = f"; {rest:,} were there already" if rest else ""
    echo(f"{copied:,} of {len(chosen):,} runs were copied to {here.name}{already}", err=True)


def _choose(runs: list[RunSummary], numbers: list[int | None]) -> list[RunSummary]:
    """Those of `runs` with these numbers; all of them without any. Raises UsageError when there is
    none."""
    known = {one.id for one in runs}
    missing = [number for number in numbers if number not in known]
    if missing:
        raise UsageError(
            f"FROM has no run {missing[0]} among the chosen runs: expected the number of one",
            hint="`httpdyno runs list --store FROM` shows them",
        )
    chosen = [one for one in runs if not numbers or one.id in numbers]
    if not chosen:
        raise UsageError("FROM has no such run: expected at least one to copy")
    return chosen


def _tell(run: RunSummary, became: CopyOutcome) -> None:
    what = f"copied as run {became.number}" if became.is_new else f"is run {became.number} already"
    if became.trials and not became.is_new:
        what = f"run {became.number} got {became.trials:,} more trials"
    cleared = "\r\x1b[K" if sys.stderr.isatty() else ""
    echo(cleared, nl=False, err=True)
    echo(printable(f"run {run.id} of {run.study}: {what}"))
