"""`httpdyno load URL`: put one URL under load."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from httpdyno.cli.faults import Faults
from httpdyno.cli.load.arguments.flags import LoadFlags, flags_of
from httpdyno.cli.load.machines import (
    generator_of,
    measured_here,
    replies_in_flight,
    server_here,
)
from httpdyno.cli.serve.page import on_page, page_of
from httpdyno.cli.signals import leave, stoppable, tell
from httpdyno.cli.values import Values
from httpdyno.output.echo import echo

# The engine, the plan and the summary are imported in the functions: `--help` needs none of them.
if TYPE_CHECKING:
    from httpdyno.call_log import CallLog
    from httpdyno.cli.load.output.files import Outputs
    from httpdyno.cli.load.output.outcome import Outcome
    from httpdyno.cli.load.output.progress import Lines, View
    from httpdyno.cli.serve.page import Page
    from httpdyno.engine_plan import EnginePlan
    from httpdyno.limits.thresholds import Threshold
    from httpdyno.measurement import Measurement
    from httpdyno.running.live.events import Events
    from httpdyno.running.machines.generator import Generator
    from httpdyno.running.measuring.beside import ServerProcessors

    Measured = tuple[Measurement, CallLog | None, ServerProcessors | None]

__all__ = ["load", "report_faults"]

_HELP = "httpdyno load --help"


def load(flags: LoadFlags) -> int:
    """Put one URL under load and report what it did.

    With only a URL: a closed load of 10 connections for 10 seconds.

    \b
    Closed load: each connection waits for its reply (as ab, wrk)
      httpdyno load http://localhost:8080/hello
      httpdyno load http://localhost:8080/hello --requests 200000 --connections 64
    Open load: requests are due at a rate, however slow the server is (as wrk2)
      httpdyno load http://localhost:8080/hello --rate 5000 --duration 30s
      httpdyno load http://localhost:8080/hello --rate 1000:20000/60s
    Sessions: each arrives at a rate, on a connection of its own (as httperf)
      httpdyno load http://localhost:8080/hello --sessions 100 --calls 10 --think 1s
    Many URLs: a line each, or the targets of vegeta
      httpdyno load --urls urls.txt --rate 500
    Sessions as recorded: in the format of httperf's --wsesslog
      httpdyno load http://localhost:8080/ --sessions-file log --sessions 20
    TLS: a full handshake for each request, as new visitors make it
      httpdyno load https://localhost:8443/ -k --no-keep-alive --no-resume
    From several machines, as if from one
      httpdyno load http://10.0.0.9:8080/hello --rate 200000 --on hosts.toml
    In a test: the exit code tells whether it was fast enough
      httpdyno load http://localhost:8080/hello --rate 500 --fail-if 'p99>20ms'
    On a page in the browser, while it runs
      httpdyno load http://localhost:8080/hello --rate 500 --duration 5m --serve

    \b
    Exit codes:
        0  done
        2  wrong flags
        3  the server cannot be reached
        4  this machine: a permission, a limit, a file that cannot be written
        5  a --fail-if threshold failed
        6  the measurement is invalid
      130  stopped by Ctrl-C, SIGTERM or SIGHUP; what was measured is kept
    """
    return _load(flags)


def report_faults(words: Sequence[str], faults: Faults) -> None:
    """Add the faults of a command line that is not run, and raise UsageError with all of them.

    Raises UsageError of Click for words that are no flags.
    """
    flags = flags_of(words)
    _understood(flags, _outputs(flags), faults)


def _outputs(flags: LoadFlags) -> Outputs:
    from httpdyno.cli.load.output.files import Outputs

    return Outputs(
        {
            "--json": flags.json,
            "--hdr": flags.hdr,
            "--intervals": flags.intervals,
            "--call-log": flags.call_log,
        }
    )


def _load(flags: LoadFlags) -> int:
    from httpdyno.cli.load.output.outcome import judged
    from httpdyno.cli.serve.recording import end_of_load
    from httpdyno.running.live.events import LoadEnds

    outputs = _outputs(flags)
    plan, thresholds, page = _understood(flags, outputs, Faults(_HELP))
    outputs.demand_writable()
    url = _url(flags, plan)
    with on_page(page), generator_of(flags, plan) as generator:
        with _recorded(flags, url) as events:
            measurement, calls, server = _measured(flags, plan, generator, events)
            outcome = judged(
                url,
                plan,
                measurement,
                thresholds,
                calls,
                keep_secrets=flags.keep_secrets,
                taken=server.taken if server else None,
            )
            if server is not None and plan.proxy is None:
                outcome = replace(outcome, server_cpus=server.cpus)
            events.send(LoadEnds(measurement, outcome.verdict))
            events.send(end_of_load(measurement, outcome.verdict))
        return _show(flags, outputs, outcome)


def _show(flags: LoadFlags, outputs: Outputs, outcome: Outcome) -> int:
    """Write the files and show the summary; the exit code."""
    from httpdyno.cli.faults import show

    calls, measurement = outcome.calls, outcome.measurement
    # Files first: whatever becomes of stdout, they are written.
    fault = outputs.write(outcome.files())
    if calls is not None and len(calls) < measurement.calls.sent:
        most = f"the first {len(calls):,} of {measurement.calls.sent:,} calls"
        echo(f"`--call-log` has {most}", err=True)
    if flags.quiet:
        for complaint in outcome.complaints():
            echo(complaint, err=True)
    else:
        _show_summary(outcome, to_stderr=outputs.to_stdout)
    if fault is None:
        return outcome.exit_code
    return outcome.exit_code or show(fault)


def _understood(
    flags: LoadFlags, outputs: Outputs, faults: Faults
) -> tuple[EnginePlan, list[Threshold], Page]:
    """The plan, the thresholds and the page.

    Raises UsageError with every fault of the command line.
    """
    from httpdyno.cli.load.arguments.plan import plan_of
    from httpdyno.limits.thresholds import parse_threshold

    values = Values(faults)
    thresholds = [values.read("--fail-if", text, parse_threshold) for text in flags.fail_if]
    outputs.check(faults)
    page = page_of(values, flags.serve, flags.listen, flags.stay)
    plan = plan_of(flags, faults)
    return plan, [threshold for threshold in thresholds if threshold is not None], page


def _recorded(flags: LoadFlags, url: str) -> AbstractContextManager[Events]:
    """The events of the load. With `--quiet`, they have no journal, unless there is a page."""
    from httpdyno.cli.serve.recording import own_command, recorded
    from httpdyno.output.secrets import masked_url
    from httpdyno.running.live.events import Events

    if flags.quiet and not _has_page(flags):
        return nullcontext(Events())
    return recorded("load", own_command(), masked_url(url))


def _has_page(flags: LoadFlags) -> bool:
    return flags.serve or flags.listen is not None


def _measured(flags: LoadFlags, plan: EnginePlan, generator: Generator, events: Events) -> Measured:
    """Run the load, with its progress on stderr."""
    from httpdyno.cli.load.output.progress import showing
    from httpdyno.cli.load.output.words import describe_load, describe_stop
    from httpdyno.output.printable import printable
    from httpdyno.output.secrets import masked_url

    if flags.quiet:
        return _followed(flags, plan, generator, None, events)
    url = printable(masked_url(_url(flags, plan)))
    about = f"{url}\n{describe_load(plan)}, {describe_stop(plan)}"
    with showing(events, about, plan) as view:
        return _followed(flags, plan, generator, view, events)


def _url(flags: LoadFlags, plan: EnginePlan) -> str:
    """The URL as it was given, or that of a list; without a path if the list has several."""
    from httpdyno.cli.load.arguments.address import origin_of, with_scheme

    if flags.url is not None:
        return with_scheme(flags.url)
    paths = {request.path for request in plan.requests}
    return origin_of(plan.target) + (paths.pop() if len(paths) == 1 else "")


def _followed(
    flags: LoadFlags,
    plan: EnginePlan,
    generator: Generator,
    view: View | Lines | None,
    events: Events,
) -> Measured:
    """Run the plan to its end; a request to stop ends it early, and keeps what was measured.

    Before the load begins there is nothing to keep, and such a request ends the program.
    """
    from httpdyno.cli.load.connected import connected
    from httpdyno.cli.serve.recording import meter_of
    from httpdyno.running.live.events import PlanBegins

    events.send(PlanBegins(plan, meter_of(plan.target) if _has_page(flags) else None))
    server = server_here(generator, plan)
    with generator.start(plan) as running:

        def say(text: str) -> None:
            if flags.on is None and not running.wait("warm_up", 0):
                leave()
            (view.say if view else tell)(text)

        with stoppable(lambda: replies_in_flight(running, plan), ask=running.stop, say=say):
            if flags.on is None:  # other machines may reach what this one does not
                connected(running, plan)
            if view is not None:
                view.begin()
            measurement, seen = measured_here(server, running, events.on_progress)
        return measurement, running.call_log() if plan.call_log else None, seen


def _show_summary(outcome: Outcome, *, to_stderr: bool) -> None:
    """Print the summary; where stdout is taken by data, on stderr."""
    from httpdyno.doubts import COLOURS

    measured = outcome.measurement
    if measured.stopped_by == "interrupt" and not measured.calls.due:
        echo("interrupted: nothing was measured yet", err=True)
        return
    stream = sys.stderr if to_stderr else sys.stdout
    width = shutil.get_terminal_size((80, 24)).columns if stream.isatty() else 80
    status, colon, rest = outcome.summary(width).partition(":")
    if stream.isatty() and not os.environ.get("NO_COLOR"):
        status = click.style(status, fg=COLOURS[outcome.verdict.status], bold=True)
    echo(status + colon + rest, err=to_stderr)
