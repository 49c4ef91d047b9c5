"""One study from the command line: measured and reported, or interrupted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypedDict

import typer

from httpdyno.cli.run.machines import On, machines
from httpdyno.cli.run.progress import showing
from httpdyno.cli.serve.recording import end_of, recorded_study
from httpdyno.cli.signals import stoppable
from httpdyno.errors import ExitCode
from httpdyno.run import Ended, run_study
from httpdyno.running.options import RunOptions
from httpdyno.study import Study

__all__ = ["Chosen", "exit_code", "measure", "tell_interrupted"]


class Chosen(TypedDict):
    """The flags that narrow a study; see `study.narrow`."""

    only: Sequence[str]
    blocks: int | None
    seed: int | None
    until: float | None
    quick: bool


def measure(study: Study, options: RunOptions, on: On | None = None) -> Ended:
    """Run the study and write its report; its progress is shown on stderr."""
    with (
        stoppable() as stop,
        recorded_study(options.command, study.title) as events,
        showing(events, stop),
        machines(on, events) as site,
    ):
        heeded = replace(options, site=site, interrupted=lambda: stop.requested)
        ended = run_study(study, heeded, events)
        events.send(end_of(ended))
        return ended


def tell_interrupted(ended: Ended, options: RunOptions) -> None:
    """Say on stderr what is stored of an interrupted run, and how to resume it."""
    what = "write the report" if ended.stored == ended.planned else "measure the others"
    typer.echo(
        f"\ninterrupted: {ended.stored:,} of {ended.planned:,} trials are stored; to {what}:\n"
        f"  {options.resume_command}",
        err=True,
    )


def exit_code(ended: Ended) -> ExitCode:
    """The exit code of a run."""
    if ended.interrupted or ended.result is None:
        return ExitCode.INTERRUPTED
    valid = any(cell.status != "invalid" for cell in ended.result.cells)
    return ExitCode.OK if valid else ExitCode.INVALID
