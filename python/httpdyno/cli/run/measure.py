"""One study from the command line: measured and reported, or interrupted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TypedDict

from httpdyno.cli.run.flags import ClusterSettings
from httpdyno.cli.run.progress import showing
from httpdyno.cli.run.table import show_result
from httpdyno.cli.serve.recording import own_command, recorded_study
from httpdyno.cli.serve.study_end import end_of
from httpdyno.cli.signals import stoppable
from httpdyno.errors import ExitCode
from httpdyno.output.echo import echo
from httpdyno.result import StudyResult
from httpdyno.run import RunOutcome, run_study
from httpdyno.running.live.events import Events, Stage
from httpdyno.running.machines.site import Site
from httpdyno.running.options import RunOptions
from httpdyno.study import Study

__all__ = [
    "NarrowingFlags",
    "exit_code",
    "measure",
    "measure_and_show",
    "measuring",
    "show_report",
    "tell_interrupted",
]


class NarrowingFlags(TypedDict):
    """The flags that narrow a study; see `study.narrow`."""

    only: Sequence[str]
    blocks: int | None
    seed: int | None
    until: float | None
    quick: bool


def measure(study: Study, options: RunOptions, on: ClusterSettings | None = None) -> RunOutcome:
    """Run the study and write its report; its progress is shown on stderr."""
    with measuring(options, study.title, on) as (run_options, events):
        ended = run_study(study, run_options, events)
        events.send(end_of(ended))
        return ended


@contextmanager
def measuring(
    options: RunOptions, title: str, on: ClusterSettings | None
) -> Iterator[tuple[RunOptions, Events]]:
    """The options of a run on its machines, which a request to stop ends, and its events: they are
    shown on stderr, and written to the journal."""
    with (
        stoppable() as stop,
        recorded_study(options.command, title) as events,
        showing(events, stop),
        _machines(on, events) as site,
    ):
        yield replace(options, site=site, interrupted=lambda: stop.requested), events


@contextmanager
def _machines(on: ClusterSettings | None, events: Events) -> Iterator[Site | None]:
    """The machines of a run, given back at its end; None: this one alone."""
    if on is None:
        yield None
        return
    from httpdyno.scale.cluster import connect
    from httpdyno.scale.server.site import ClusterSite

    events.send(Stage(f"connecting to the machines of {on.cluster}"))
    with connect(
        on.cluster,
        certificates=on.certificates,
        wait=on.wait,
        say=events.note,
        command=own_command(),
    ) as cluster:
        site = ClusterSite(cluster, on.node_wait_s)
        try:
            site.survey(events.note)
            yield site
        finally:
            site.close()


def measure_and_show(
    study: Study,
    options: RunOptions,
    on: ClusterSettings | None,
    write: Callable[[StudyResult, int | None], None],
) -> int:
    """Run the study and show its result and its report; the exit code.

    `write` writes the result for others; it gets its number in the store.
    """
    ended = measure(study, options, on)
    if ended.result is not None:
        show_result(ended.result, "" if ended.report is None else str(ended.report.html))
    show_report(ended)
    if ended.result is not None:
        write(ended.result, ended.run)
    if ended.interrupted:
        tell_interrupted(ended, options)
    return exit_code(ended)


def show_report(ended: RunOutcome) -> None:
    """Print where the report of a run is, if it has one."""
    if ended.report is not None:
        echo(f"\nreport: {ended.report.html}\n  data: {ended.report.json}")


def tell_interrupted(ended: RunOutcome, options: RunOptions) -> None:
    """Say on stderr what is stored of an interrupted run, and how to resume it."""
    what = "write the report" if ended.stored == ended.planned else "measure the others"
    echo(
        f"\ninterrupted: {ended.stored:,} of {ended.planned:,} trials are stored; to {what}:\n"
        f"  {options.resume_command}",
        err=True,
    )


def exit_code(ended: RunOutcome) -> ExitCode:
    """The exit code of a run."""
    if ended.interrupted or ended.result is None:
        return ExitCode.INTERRUPTED
    valid = any(cell.status != "invalid" for cell in ended.result.cells)
    return ExitCode.OK if valid else ExitCode.INVALID
