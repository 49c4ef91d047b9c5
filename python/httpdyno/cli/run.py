"""`httpdyno run STUDY`: measure a study and write its report."""

from __future__ import annotations

import shlex
import signal
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from httpdyno.errors import EnvironmentFault, ExitCode

if TYPE_CHECKING:
    from httpdyno.statistics.result import StudyResult
    from httpdyno.study import Study

__all__ = ["run"]


def run(  # noqa: PLR0913, PLR0917 - a flag each
    study: Annotated[
        str, typer.Argument(metavar="STUDY", help="A built-in study, or a TOML file.")
    ],
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the unfinished run of this study.")
    ] = False,
    blocks: Annotated[
        int | None, typer.Option("--blocks", min=1, max=1000, help="Restarts of each server.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, max=2**32 - 1, help="Decides the order.")
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="ARM", help="A server or an arm; repeatable."),
    ] = None,
    server: Annotated[
        list[Path] | None,
        typer.Option("--server", metavar="FILE", help="A server.toml of your own; repeatable."),
    ] = None,
    results: Annotated[
        Path | None, typer.Option("--results", metavar="DIR", help="Where the report goes.")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Short trials, three blocks: to try, not to publish.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the plan and every command; run nothing.")
    ] = False,
) -> int:
    """Run a study: servers, workloads and loads, to a report.

    Every trial is kept as soon as it is measured: Ctrl-C, or a crash, loses the running one at
    most, and --resume goes on. Exit code 6: nothing of the study is valid; 130: interrupted.

    \b
    httpdyno run demo
    httpdyno run tornado-vs-starlette --only tornado --blocks 5
    httpdyno run ./mine.toml --server ./mine/server.toml --results ./results
    httpdyno run ./mine.toml --resume
    """
    from httpdyno.run import read_study
    from httpdyno.servers import load_catalogue
    from httpdyno.study import narrow

    catalogue = load_catalogue(server or ())
    given = read_study(study, catalogue)
    chosen = narrow(given, only=only or (), blocks=blocks, seed=seed, quick=quick)
    if dry_run:
        from httpdyno.cli.run_plan import show_plan

        show_plan(chosen, catalogue)
        return ExitCode.OK
    return _measure(chosen, results, server or [], resume=resume)


def _measure(study: Study, results: Path | None, servers: list[Path], *, resume: bool) -> int:
    """Run the study, write its report, show what came out."""
    from httpdyno.cli.run_progress import listening
    from httpdyno.cli.run_table import show_result
    from httpdyno.report import write_report
    from httpdyno.run import run_study
    from httpdyno.running.options import RunOptions

    folder = _folder(results, study.name)
    command = f"httpdyno {shlex.join(sys.argv[1:])}"
    options = RunOptions(folder=folder, command=command, resume=resume, servers=servers)
    signal.signal(signal.SIGTERM, _interrupt)
    with listening() as listener:
        result = run_study(study, options, listener)
    paths = write_report(result, folder)
    show_result(result)
    typer.echo(f"\nreport: {paths.html}\n  data: {paths.json}")
    return _exit_code(result, study)


def _exit_code(result: StudyResult, study: Study) -> int:
    if not result.complete:
        typer.echo(
            "\ninterrupted: what was measured is kept; add --resume to the same command"
            f" to go on with `{study.name}`",
            err=True,
        )
        return ExitCode.INTERRUPTED
    return ExitCode.OK if any(c.status != "invalid" for c in result.cells) else ExitCode.INVALID


def _folder(given: Path | None, study: str) -> Path:
    """Where the logs and the report go; made now, because a refusal must cost no measurement."""
    from httpdyno.store import data_folder

    moment = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    folder = (given or data_folder() / "results" / f"{study}-{moment}").resolve()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".writable"
        probe.write_text("")
        probe.unlink()
    except OSError as error:
        raise EnvironmentFault(
            f"`{folder}` cannot be written: {error.strerror}",
            hint="--results names another folder for the report",
        ) from None
    return folder


def _interrupt(*_: Any) -> None:
    """SIGTERM ends a run as Ctrl-C does: the server stopped, the run resumable."""
    raise KeyboardInterrupt
