"""One study from the command line: measured, reported, and where its results lie."""

from __future__ import annotations

import shlex
import signal
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypedDict

import typer

from httpdyno.cli.run.progress import listening
from httpdyno.errors import EnvironmentFault, ExitCode
from httpdyno.report import ReportPaths, write_report
from httpdyno.result import StudyResult
from httpdyno.run import run_study
from httpdyno.running.options import RunOptions
from httpdyno.store import data_folder
from httpdyno.study import Study

__all__ = ["Chosen", "exit_code", "measure", "moment", "results_folder", "writable"]


class Chosen(TypedDict):
    """What the flags make of a study; see `study.narrow`."""

    only: Sequence[str]
    blocks: int | None
    seed: int | None
    quick: bool


def measure(
    study: Study, folder: Path, servers: Sequence[Path], *, resume: bool
) -> tuple[StudyResult, ReportPaths]:
    """Run the study and write its report into `folder`; what is measured is told on stderr."""
    command = f"httpdyno {shlex.join(sys.argv[1:])}"
    options = RunOptions(folder=folder, command=command, resume=resume, servers=servers)
    signal.signal(signal.SIGTERM, _interrupt)
    with listening() as listener:
        result = run_study(study, options, listener)
    return result, write_report(result, folder)


def exit_code(result: StudyResult) -> ExitCode:
    """How it came out, for who called us; an interrupted run says how to go on."""
    if not result.complete:
        typer.echo(
            "\ninterrupted: what was measured is kept; add --resume to the same command"
            f" to go on with `{result.name}`",
            err=True,
        )
        return ExitCode.INTERRUPTED
    return ExitCode.OK if any(c.status != "invalid" for c in result.cells) else ExitCode.INVALID


def results_folder() -> Path:
    """Where reports go when no folder is named."""
    return data_folder() / "results"


def moment() -> str:
    """Now, as a part of a folder's name that sorts by time."""
    return datetime.now(UTC).strftime("%Y%m%d-%H%M%S")


def writable(folder: Path) -> Path:
    """The folder, made now, because a refusal must cost no measurement."""
    folder = folder.resolve()
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
