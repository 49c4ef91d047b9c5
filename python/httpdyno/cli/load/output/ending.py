"""The end of a load: its verdict, its files and its summary. It is loaded after the load."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace

import click

from httpdyno.cli.faults import show
from httpdyno.cli.load.output.answer import answer, failure
from httpdyno.cli.load.output.files import Outputs
from httpdyno.cli.load.output.outcome import Outcome, judge_load
from httpdyno.doubts import COLOURS
from httpdyno.engine import Running
from httpdyno.engine_plan import EnginePlan
from httpdyno.limits.thresholds import Threshold
from httpdyno.measurement import Measurement
from httpdyno.output.echo import echo
from httpdyno.running.live.events import Events, LoadEnds, RunEnds
from httpdyno.running.live.events import Outcome as EndOfRun
from httpdyno.running.measuring.local_server import LocalServer, Readings
from httpdyno.running.measuring.server_processors import processors_of_server
from httpdyno.verdict import Verdict

__all__ = ["Ending"]


class Ending:
    """A load that has ended: its measurement, its call log, and the processors of its server."""

    def __init__(
        self,
        running: Running,
        plan: EnginePlan,
        server: LocalServer | None,
        readings: Readings | None,
    ) -> None:
        self._measurement = running.result()
        self._calls = running.call_log() if plan.call_log else None
        self._processors = None
        if server is not None and readings is not None:
            self._processors = processors_of_server(server, readings, self._measurement)

    def judge(
        self,
        url: str,
        plan: EnginePlan,
        thresholds: Sequence[Threshold],
        events: Events,
        *,
        keep_secrets: bool,
    ) -> Outcome:
        """The outcome, of which the views and the journal hear."""
        measurement, processors = self._measurement, self._processors
        outcome = judge_load(
            url,
            plan,
            measurement,
            thresholds,
            self._calls,
            keep_secrets=keep_secrets,
            contention=processors.contention if processors else None,
        )
        if processors is not None and plan.proxy is None:
            outcome = replace(outcome, server_cpus=processors.cpus, server_cost=processors.cost)
        events.send(LoadEnds(measurement, outcome.verdict))
        events.send(_end(measurement, outcome.verdict))
        return outcome

    def show(self, outcome: Outcome, outputs: Outputs, *, quiet: bool, github: bool) -> int:
        """Write the files and show the summary; the exit code.

        `github`: tell it to the job of GitHub, too.
        """
        if not github:
            return self._show(outcome, outputs, quiet=quiet)
        from httpdyno.ci.github import without_commands
        from httpdyno.cli.github import tell

        with without_commands():
            code = self._show(outcome, outputs, quiet=quiet)
        failed = failure(outcome.measurement, outcome.verdict, outcome.thresholds)
        return tell(code, outcome.markdown(), failed)

    def _show(self, outcome: Outcome, outputs: Outputs, *, quiet: bool) -> int:
        calls, measurement = self._calls, self._measurement
        # Files first: whatever becomes of stdout, they are written.
        fault = outputs.write(outcome.files(outputs.exports, outputs.path("--hdr")))
        if calls is not None and len(calls) < measurement.calls.sent:
            most = f"the first {len(calls):,} of {measurement.calls.sent:,} calls"
            echo(f"`--call-log` has {most}", err=True)
        if quiet:
            for complaint in outcome.complaints():
                echo(complaint, err=True)
        else:
            _show_summary(outcome, to_stderr=outputs.to_stdout)
        if fault is None:
            return outcome.exit_code
        return outcome.exit_code or show(fault)


def _show_summary(outcome: Outcome, *, to_stderr: bool) -> None:
    """Print the summary; where stdout is taken by data, on stderr."""
    measured = outcome.measurement
    if measured.stopped_by == "interrupt" and not measured.calls.due:
        echo("interrupted: nothing was measured yet", err=True)
        return
    stream = sys.stderr if to_stderr else sys.stdout
    is_given = stream.isatty() or os.environ.get("COLUMNS")
    width = shutil.get_terminal_size((80, 24)).columns if is_given else 80
    status, colon, rest = outcome.summary(width).partition(":")
    if stream.isatty() and not os.environ.get("NO_COLOR"):
        status = click.style(status, fg=COLOURS[outcome.verdict.status], bold=True)
    echo(status + colon + rest, err=to_stderr)


def _end(measured: Measurement, verdict: Verdict) -> RunEnds:
    """The end of the load, as its page shows it."""
    interrupted = measured.stopped_by == "interrupt"
    outcome: EndOfRun = "interrupted" if interrupted else "complete"
    return RunEnds(outcome, answer=answer(measured, verdict))
