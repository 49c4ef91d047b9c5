"""`httpdyno runs forget`: delete stored runs."""

from __future__ import annotations

import re
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import click

from httpdyno.cli import shared_flags as shared
from httpdyno.cli.faults import Faults
from httpdyno.cli.flags import argument, option
from httpdyno.cli.store import read_store
from httpdyno.cli.values import Values
from httpdyno.dates import moment
from httpdyno.errors import EnvironmentFault, UsageError
from httpdyno.output.echo import echo
from httpdyno.output.printable import printable

if TYPE_CHECKING:
    from httpdyno.store import RunSummary, Store

__all__ = ["forget"]


def forget(
    runs: Annotated[list[str], argument("RUN", "Numbers of runs")],
    yes: Annotated[bool, option("--yes", "Delete without asking")] = False,
    database: shared.Store = None,
) -> None:
    """Delete stored runs: their trials, their study and the facts about their machine.

    They are gone from every list and from `httpdyno history`. SQLite overwrites their place in the
    database. Their numbers are never given again. A report that was written stays where it is.

    \b
    Examples:
      httpdyno runs forget 3
      httpdyno runs forget 3 4 --yes
    """
    from httpdyno.store import open_store

    faults = Faults("httpdyno runs forget --help")
    numbers = [Values(faults).read("RUN", run, _number) for run in runs]
    url = read_store(Values(faults), database)
    faults.raise_any()
    store = open_store(url)
    chosen = _choose(store, [number for number in numbers if number is not None])
    if not yes and not _confirm(chosen):
        echo("nothing was deleted")
        return
    for run in chosen:
        stored = None
        with suppress(EnvironmentFault):  # a damaged run can be deleted
            stored = store.run(run.id)
        left = store.forget(run.id)
        echo(f"deleted run {run.id}")
        if stored is not None and stored.folder is not None:
            there = f" on {stored.host}" if store.is_shared and stored.host else ""
            echo(printable(f"its report is still in {stored.folder}{there}"))
        if left is not None:
            echo(left, err=True)


def _number(text: str) -> int:
    """The number of a run. Raises ValueError."""
    if re.fullmatch(r"[0-9]{1,18}", text) is None:
        raise ValueError("expected the number of a run, such as `3`")
    return int(text)


def _choose(store: Store, numbers: list[int]) -> list[RunSummary]:
    """The runs with these numbers. Raises UsageError for one that is missing or under way."""
    from httpdyno.running.machines.machine_lock import running_now
    from httpdyno.store import summaries

    known = {run.id: run for run in summaries(store)}
    missing = [number for number in numbers if number not in known]
    if missing:
        raise UsageError(
            f"run {missing[0]} is not stored: expected the number of a stored run",
            hint="`httpdyno runs list` shows all runs",
        )
    chosen = [known[number] for number in dict.fromkeys(numbers)]
    under_way = running_now()
    for run in chosen:
        if under_way is not None and not run.ended and run.origin is None:
            raise UsageError(
                f"run {run.id} may be under way: {under_way} is running",
                hint="wait for it to end, then delete the run",
            )
    return chosen


def _confirm(runs: list[RunSummary]) -> bool:
    from httpdyno.cli.runs.view import verdicts

    for run in runs:
        began = f"began {moment(run.started_at)}"
        if run.host is not None and not run.ended:
            began += f" on {run.host}, perhaps still under way there"
        echo(printable(f"run {run.id} of {run.study}, {began}, trials: {verdicts(run)}"))
    if not sys.stdin.isatty():
        raise UsageError(
            "nobody can be asked whether to delete: stdin is not a terminal",
            hint="`--yes` deletes without asking",
        )
    what = "this run" if len(runs) == 1 else f"these {len(runs)} runs"
    return click.confirm(f"Delete {what} for good?", default=False)
