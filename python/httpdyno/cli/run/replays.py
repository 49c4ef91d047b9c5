"""`httpdyno run --all-replays`: the five published comparisons, one after another, unattended."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from httpdyno.cli.run.dry_run import planned, seconds
from httpdyno.cli.run.measure import Chosen, exit_code, measure, moment, results_folder, writable
from httpdyno.errors import ExitCode, HttpdynoError
from httpdyno.report import result_json
from httpdyno.result import StudyResult
from httpdyno.run import read_study
from httpdyno.running.session import identity
from httpdyno.servers import Catalogue, load_catalogue
from httpdyno.store import Store, open_store
from httpdyno.study import Study, narrow
from httpdyno.study.replays import REPLAYS

__all__ = ["run_replays"]


@dataclass(frozen=True)
class Row:
    """What became of one replay: its result, or why there is none."""

    study: Study
    folder: Path
    result: StudyResult | None = None
    error: HttpdynoError | None = None
    took_s: float | None = None
    """None: it was finished before."""


def run_replays(
    chosen: Chosen, servers: Sequence[Path], results: Path | None, *, resume: bool, dry_run: bool
) -> int:
    """Run the five, each into a folder of its own; one that fails does not hold the others up.

    Under `resume`, what is finished is not run again, and what was begun is gone on with.
    """
    catalogue = load_catalogue(servers)
    studies = [narrow(read_study(name, catalogue), **chosen) for name in REPLAYS]
    if dry_run:
        _show_plan(studies, catalogue)
        return ExitCode.OK
    folder = _folder(results, quick=chosen["quick"], resume=resume)
    store = open_store()
    rows: list[Row] = []
    for number, study in enumerate(studies, start=1):
        typer.echo(f"\n== {number} of {len(studies)}: {study.title} ==", err=True)
        rows.append(_replay(study, folder / study.name, servers, store, resume=resume))
        if (result := rows[-1].result) is not None and not result.complete:
            break
    _show(rows)
    return _code(rows)


def _replay(
    study: Study, folder: Path, servers: Sequence[Path], store: Store, *, resume: bool
) -> Row:
    done = _finished(study, folder, store) if resume else None
    if done is not None:
        typer.echo(f"finished before: {folder}", err=True)
        return Row(study, folder, result=done)
    begun = resume and store.unfinished(identity(study)) is not None
    started = time.monotonic()
    try:
        result, _ = measure(study, writable(folder), servers, resume=begun)
    except HttpdynoError as error:
        typer.echo(f"{study.name}: {error}", err=True)
        return Row(study, folder, error=error, took_s=time.monotonic() - started)
    return Row(study, folder, result=result, took_s=time.monotonic() - started)


def _finished(study: Study, folder: Path, store: Store) -> StudyResult | None:
    """The result of the newest run of this plan, if it was finished and its report is there."""
    run = store.newest(identity(study))
    if run is None or run.ended_at is None or not (folder / result_json.NAME).is_file():
        return None
    result = result_json.read(folder)
    return result if result.complete and result.started_at == run.started_at else None


def _folder(given: Path | None, *, quick: bool, resume: bool) -> Path:
    """One for all five: the given one, the newest when a run is gone on with, or a new one."""
    if given is not None:
        return writable(given)
    name = "all-replays-quick" if quick else "all-replays"
    earlier = sorted(results_folder().glob(f"{name}-[0-9]*"))
    if resume and earlier:
        return earlier[-1]
    return writable(results_folder() / f"{name}-{moment()}")


def _show_plan(studies: Sequence[Study], catalogue: Catalogue) -> None:
    total_s = 0.0
    for study in studies:
        trials = planned(study, catalogue)
        takes_s = seconds(trials)
        total_s += takes_s
        typer.echo(f"{study.name}: {len(trials)} trials, about {takes_s / 60:.0f} min")
    typer.echo(f"about {total_s / 60:.0f} min in all, once the servers are installed")


def _show(rows: Sequence[Row]) -> None:
    """One line a replay: its cells by verdict, what was left out, how long it took."""
    console = Console(highlight=False)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("replay", no_wrap=True)
    for heading in ("valid", "suspect", "invalid", "left out", "minutes"):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(escape(row.study.name), *_numbers(row))
    console.print(table)
    for row in rows:
        if row.error is not None:
            console.print(f"{escape(row.study.name)}: {escape(row.error.message)}", soft_wrap=True)
        else:
            typer.echo(f"{row.study.name}: {row.folder / 'report.html'}")


def _numbers(row: Row) -> list[str]:
    minutes = "before" if row.took_s is None else f"{row.took_s / 60:.1f}"
    if row.result is None:
        return ["no result", "", "", "", minutes]
    count = Counter(cell.status for cell in row.result.cells)
    counts = [str(count[status]) for status in ("valid", "suspect", "invalid")]
    return [*counts, str(len({one.arm for one in row.result.failures})), minutes]


def _code(rows: Sequence[Row]) -> int:
    """The first that is not well decides; an interrupted one before all others."""
    codes = [_code_of(row) for row in rows]
    if ExitCode.INTERRUPTED in codes:
        return ExitCode.INTERRUPTED
    return next((code for code in codes if code != ExitCode.OK), ExitCode.OK)


def _code_of(row: Row) -> ExitCode:
    if row.error is not None or row.result is None:
        return row.error.exit_code if row.error is not None else ExitCode.INTERNAL
    return exit_code(row.result)
