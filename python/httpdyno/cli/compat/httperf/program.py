"""The work of `httpdyno httperf`: a test, from its words to its statistics."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from resource import RLIMIT_NOFILE, getrlimit
from typing import TYPE_CHECKING

from httpdyno import __version__
from httpdyno.cli.compat.processor_counters import counters, is_disturbed
from httpdyno.cli.faults import Faults
from httpdyno.cli.live.screen import usable
from httpdyno.cli.signals import beside, stoppable
from httpdyno.compat.httperf.echo import echo as repeated
from httpdyno.compat.httperf.options import Options, OptionsError, read_options
from httpdyno.compat.httperf.output import report
from httpdyno.compat.httperf.plan import plan_of, resolve_host
from httpdyno.compat.httperf.statistics import ERRORS, statistics_of
from httpdyno.compat.httperf.trace import printed_calls
from httpdyno.compat.httperf.workload import Workload, workload
from httpdyno.engine import Running, document, quantiles, start
from httpdyno.engine_plan import EnginePlan
from httpdyno.errors import ExitCode
from httpdyno.output.echo import echo
from httpdyno.output.printable import printable
from httpdyno.output.secrets import masked_text

if TYPE_CHECKING:
    from httpdyno.engine import Progress
    from httpdyno.measurement import Measurement

__all__ = ["program"]


def program(words: Sequence[str]) -> int | None:
    """Run httperf with these words; its exit code, or None if they ask for help."""
    if words[:1] == ["--help"]:
        return None
    options = _parse(words)
    if options.help:
        return None
    if options.version:
        echo(f"httperf: httperf-0.9.0 (httpdyno {__version__})")
        return ExitCode.OK
    return _run_test(options)


def _parse(words: Sequence[str]) -> Options:
    """The options of the command line. Raises UsageError with all of its faults."""
    faults = Faults("httpdyno httperf --help")
    try:
        return read_options(words)
    except OptionsError as wrong:
        for sentence in wrong.faults:
            faults.add(sentence)
        faults.raise_any()
        raise


def _run_test(options: Options) -> int:
    """Run the test and print its statistics."""
    faults = Faults("httpdyno httperf --help")
    work = None
    try:
        work = workload(options)
    except ValueError as wrong:
        faults.add(str(wrong))
    faults.raise_any()
    assert work is not None  # noqa: S101 - else there was a fault
    plan = plan_of(options, work, beside(lambda: resolve_host(options.server)))
    echo(repeated(options))
    if options.verbose:
        echo(f"httperf: maximum number of open descriptors = {_most_descriptors()}")
    sys.stdout.flush()
    return _run(options, work, plan)


def _run(options: Options, work: Workload, plan: EnginePlan) -> int:
    before = counters()
    with start(plan) as running:
        _follow(running, plan)
        after = counters()
        text = running.result_json()
        _print_calls(options, running)
        measured: Measurement = document(text)
        _print_statistics(options, work, running, measured)
    _warn(options, measured)
    if not (options.verdict or is_disturbed(before, after)):
        return ExitCode.OK
    from httpdyno.cli.compat.judging import judge_test

    return judge_test(_url(options), plan, text, before, after, verdict=options.verdict)


def _follow(running: Running, plan: EnginePlan) -> None:
    """Wait for the end of the test. A request to stop ends it at once, as Ctrl-C ends httperf."""

    def stop() -> None:
        running.stop()
        running.stop()  # httperf does not wait for the replies that are missing

    with stoppable(ask=stop, say=lambda _: None):
        if usable():
            from httpdyno.cli.load.output.progress import showing
            from httpdyno.running.live.events import Events, PlanProgress

            def show(progress: Progress) -> None:
                events.send(PlanProgress(progress))

            events = Events()
            with showing(events, "httperf", plan):
                running.follow("done", show)
        else:
            running.follow("done")


def _print_calls(options: Options, running: Running) -> None:
    """Print requests and replies as they were sent and received."""
    if not (options.print_request or options.print_reply):
        return
    on_terminal = sys.stdout.isatty()
    shown = options.print_request, options.print_reply
    for line in printed_calls(running.trace(), *shown):
        if on_terminal:
            echo(printable(line.rstrip(b"\r\n").decode(errors="surrogateescape")))
        else:
            sys.stdout.buffer.write(line)


def _print_statistics(
    options: Options, work: Workload, running: Running, measured: Measurement
) -> None:
    calls = running.call_log() if options.periodic_stats else None
    found = statistics_of(options, work, measured, calls)
    echo(report(options, found, measured, quantiles), nl=False)


def _warn(options: Options, measured: Measurement) -> None:
    """Say on stderr what the statistics do not: why the rate was not kept, or the class `other`."""
    if options.pace.mean_s and measured.calls.waited:
        sentence = f"{measured.calls.waited:,} calls waited because no file descriptor was left"
        echo(f"warning: {sentence}: raise the limit (`ulimit -n`)", err=True)
    unnamed = sum(measured.connections.errors.get(name, 0) for name in ERRORS["other"])
    if unnamed and measured.first_failure is not None:
        why = printable(masked_text(measured.first_failure))
        echo(f"warning: errors of the class other: {unnamed:,}; the first failure: {why}", err=True)


def _url(options: Options) -> str:
    scheme = "https" if options.ssl else "http"
    return f"{scheme}://{options.server}:{options.port}{os.fsdecode(options.uri)}"


def _most_descriptors() -> int:
    return getrlimit(RLIMIT_NOFILE)[1]
