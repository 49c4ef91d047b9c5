"""`httpdyno run --all-replays`: the five published comparisons, one after another, unattended."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import get_args

from httpdyno.cli.run.dry_run import planned_trials
from httpdyno.cli.run.flags import ClusterSettings
from httpdyno.cli.run.measure import NarrowingFlags, exit_code, measure, tell_interrupted
from httpdyno.cli.table import FittedTable
from httpdyno.cli.text import stdout_console
from httpdyno.errors import ExitCode, HttpdynoError
from httpdyno.output.echo import echo
from httpdyno.output.table import Column, TextColumn
from httpdyno.plan import in_words, total_s
from httpdyno.result import Status, StudyResult
from httpdyno.run import RunOutcome, read_study
from httpdyno.running.documents import identity
from httpdyno.running.machines.machine_lock import coordinator
from httpdyno.running.options import RunOptions
from httpdyno.running.results_folder import default_results, new_folder, writable
from httpdyno.servers import Catalogue, load_catalogue
from httpdyno.store import StoredRun, open_store
from httpdyno.study import Study, narrow
from httpdyno.study.replays import REPLAYS
from httpdyno.units import roughly

__all__ = ["Row", "run_replays", "show"]


@dataclass(frozen=True)
class Row:
    """The end of one replay: a run, or the error that prevented it."""

    study: Study
    folder: Path
    took_s: float
    ended: RunOutcome | None = None
    error: HttpdynoError | None = None

    @property
    def result(self) -> StudyResult | None:
        """The result; None: there is none."""
        return self.ended.result if self.ended is not None else None


def run_replays(
    chosen: NarrowingFlags, options: RunOptions, on: ClusterSettings | None, *, dry_run: bool
) -> int:
    """Runs the five, each into a folder of its own; one that fails does not stop the others.

    Under `options.resume`, finished ones are not measured again, and the unfinished one is resumed.
    """
    catalogue = load_catalogue(options.servers)
    studies = [narrow(read_study(name, catalogue), **chosen) for name in REPLAYS]
    if dry_run:
        _show_plan(studies, catalogue)
        return ExitCode.OK
    folder = _folder(options.results, quick=chosen["quick"], resume=options.resume)
    rows: list[Row] = []
    for number, study in enumerate(studies, start=1):
        echo(f"\n== {number} of {len(studies)}: {study.name} ==", err=True)
        rows.append(_replay(study, replace(options, results=folder / study.name), on))
        if (ended := rows[-1].ended) is not None and ended.interrupted:
            tell_interrupted(ended, options)
            break
    show(rows)
    return _code(rows)


def _replay(study: Study, options: RunOptions, on: ClusterSettings | None) -> Row:
    folder = options.results or Path()
    run = _newest_run(study, options.store_url) if options.resume else None
    resumed = run is not None and (run.ended_at is None or run.folder == str(folder.resolve()))
    started = time.monotonic()
    try:
        ended = measure(study, replace(options, resume=resumed), on)
    except HttpdynoError as error:
        echo(f"{study.name}: {error}", err=True)
        return Row(study, folder, time.monotonic() - started, error=error)
    return Row(study, folder, time.monotonic() - started, ended)


def _newest_run(study: Study, store_url: str | None) -> StoredRun | None:
    return open_store(store_url).newest(identity(study), coordinator().id, folder=study.folder)


def _folder(given: Path | None, *, quick: bool, resume: bool) -> Path:
    """One for all five: the given one, the newest to resume, or a new one."""
    if given is not None:
        return writable(given)
    name = "all-replays-quick" if quick else "all-replays"
    earlier = sorted(default_results().glob(f"{name}-[0-9]*"))
    return earlier[-1] if resume and earlier else new_folder(name)


def _show_plan(studies: Sequence[Study], catalogue: Catalogue) -> None:
    whole_s = 0.0
    for study in studies:
        trials = planned_trials(study, catalogue)
        whole_s += total_s(trials)
        echo(f"{study.name}: {in_words(trials, study.until)}")
    echo(f"about {roughly(whole_s)} in all, once the servers are installed")


def show(rows: Sequence[Row]) -> None:
    """One line for each replay: its cells by verdict, the arms left out, how long it took."""
    FittedTable(_COLUMNS, rows).show(stdout_console())
    for row in rows:
        if row.error is not None:
            echo(f"{row.study.name}: {row.error.message}")
        else:
            echo(f"{row.study.name}: {row.folder / 'report.html'}")


def _cells(status: Status, row: Row) -> str:
    """The cells with this status; only the first column says that there is no result."""
    if row.result is None:
        return "no result" if status == "valid" else ""
    return str(sum(cell.status == status for cell in row.result.cells))


def _left_out(row: Row) -> str:
    return "" if row.result is None else str(len({one.arm for one in row.result.failures}))


_COLUMNS: Sequence[Column[Row]] = (
    TextColumn("replay", lambda row: row.study.name),
    *(Column(status, partial(_cells, status)) for status in get_args(Status)),
    Column("left out", _left_out),
    Column("minutes", lambda row: f"{row.took_s / 60:.1f}"),
)


def _code(rows: Sequence[Row]) -> int:
    """The exit code of the first row that did not go well; 130 before all others."""
    codes = [_code_of(row) for row in rows]
    if ExitCode.INTERRUPTED in codes:
        return ExitCode.INTERRUPTED
    return next((code for code in codes if code != ExitCode.OK), ExitCode.OK)


def _code_of(row: Row) -> ExitCode:
    if row.ended is not None:
        return exit_code(row.ended)
    return row.error.exit_code if row.error is not None else ExitCode.INTERNAL
