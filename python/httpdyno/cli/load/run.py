"""The work of `httpdyno load`: its plan, and the load itself.

All that is loaded before the first request is imported here, and depends on little: no pydantic, no
verdict, no tables. What judges the load and shows its outcome is one import after it, `Ending`.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from httpdyno.cli.exports import parse_exports
from httpdyno.cli.faults import Faults
from httpdyno.cli.github import NO_STDOUT, telling_errors
from httpdyno.cli.load.arguments.address import origin_of, with_scheme
from httpdyno.cli.load.arguments.flags import LoadFlags, flags_of
from httpdyno.cli.load.arguments.plan import plan_of
from httpdyno.cli.load.first_connection import wait_for_connection
from httpdyno.cli.load.machines import follow_here, generator_of, replies_in_flight, server_here
from httpdyno.cli.load.output.files import Outputs
from httpdyno.cli.load.output.progress import Lines, View, showing
from httpdyno.cli.load.output.words import describe_load, describe_stop
from httpdyno.cli.serve.page import Page, on_page, page_of
from httpdyno.cli.serve.recording import meter_of, own_command, record_events
from httpdyno.cli.signals import leave, stoppable, tell
from httpdyno.cli.values import Values
from httpdyno.engine_plan import EnginePlan
from httpdyno.limits.thresholds import Threshold, parse_threshold, unknown_endpoint
from httpdyno.output.printable import printable
from httpdyno.output.secrets import masked_url
from httpdyno.running.live.events import Events, PlanBegins
from httpdyno.running.machines.generator import Generator

if TYPE_CHECKING:
    from httpdyno.cli.load.output.ending import Ending

__all__ = ["report_faults", "run"]


def run(flags: LoadFlags) -> int:
    """Puts the URL under load, and shows what it did; the exit code."""
    with telling_errors(enabled=flags.github):
        return _run(flags)


def _run(flags: LoadFlags) -> int:
    values = Values(Faults("httpdyno load --help"))
    outputs = _outputs(flags, values)
    plan, thresholds, page = _parse(flags, outputs, values)
    outputs.demand_writable()
    url = _url(flags, plan)
    with on_page(page), generator_of(flags, plan) as generator:
        with _record(flags, url) as events:
            ending = _measure(flags, plan, generator, events)
            outcome = ending.judge(url, plan, thresholds, events, keep_secrets=flags.keep_secrets)
        return ending.show(outcome, outputs, quiet=flags.quiet, github=flags.github)


def report_faults(words: Sequence[str], faults: Faults) -> None:
    """Add the faults of a command line that is not run, and raise UsageError with all of them.

    Raises UsageError of Click for words that are no flags.
    """
    flags = flags_of(words)
    values = Values(faults)
    _parse(flags, _outputs(flags, values), values)


def _outputs(flags: LoadFlags, values: Values) -> Outputs:
    return Outputs(
        {
            "--json": flags.json,
            "--hdr": flags.hdr,
            "--intervals": flags.intervals,
            "--call-log": flags.call_log,
            "--report": flags.report,
        },
        parse_exports(values, flags.export or ()),
    )


def _parse(
    flags: LoadFlags, outputs: Outputs, values: Values
) -> tuple[EnginePlan, list[Threshold], Page]:
    """The plan, the thresholds and the page.

    Raises UsageError with every fault of the command line.
    """
    thresholds = [values.read("--fail-if", text, parse_threshold) for text in flags.fail_if]
    outputs.check(values.faults)
    if flags.github and outputs.to_stdout:
        values.faults.add(NO_STDOUT)
    page = page_of(values, flags.serve, flags.listen, flags.stay)
    plan = plan_of(flags, values.faults)
    known = [threshold for threshold in thresholds if threshold is not None]
    for threshold in known:
        if fault := unknown_endpoint(threshold, plan.endpoints):
            values.faults.add(f"`--fail-if {printable(threshold.text)}`: {fault}")
    values.faults.raise_any()
    return plan, known, page


def _record(flags: LoadFlags, url: str) -> AbstractContextManager[Events]:
    """The events of the load. With `--quiet`, they have no journal, unless there is a page."""
    if flags.quiet and not _has_page(flags):
        return nullcontext(Events())
    return record_events("load", own_command(), masked_url(url))


def _has_page(flags: LoadFlags) -> bool:
    return flags.serve or flags.listen is not None


def _measure(flags: LoadFlags, plan: EnginePlan, generator: Generator, events: Events) -> Ending:
    """Run the load, with its progress on stderr."""
    if flags.quiet:
        return _run_plan(flags, plan, generator, None, events)
    url = printable(masked_url(_url(flags, plan)))
    about = f"{url}\n{describe_load(plan)}, {describe_stop(plan)}"
    with showing(events, about, plan) as view:
        return _run_plan(flags, plan, generator, view, events)


def _url(flags: LoadFlags, plan: EnginePlan) -> str:
    """The URL as it was given, or that of a list; without a path if the list has several."""
    if flags.url is not None:
        return with_scheme(flags.url)
    paths = {request.path for request in plan.requests}
    return origin_of(plan.target) + (paths.pop() if len(paths) == 1 else "")


def _run_plan(
    flags: LoadFlags,
    plan: EnginePlan,
    generator: Generator,
    view: View | Lines | None,
    events: Events,
) -> Ending:
    """Run the plan to its end; a request to stop ends it early, and keeps what was measured.

    Before the load begins there is nothing to keep, and such a request ends the program.
    """
    events.send(PlanBegins(plan, meter_of(plan.target) if _has_page(flags) else None))
    server = server_here(generator, plan)
    with generator.start(plan) as running:

        def say(text: str) -> None:
            if flags.on is None and not running.wait("warm_up", 0):
                leave()
            (view.say if view else tell)(text)

        with stoppable(lambda: replies_in_flight(running, plan), ask=running.stop, say=say):
            if flags.on is None:  # other machines may reach what this one does not
                wait_for_connection(running, plan)
            if view is not None:
                view.begin()
            readings = follow_here(server, running, events.on_progress)
            from httpdyno.cli.load.output.ending import Ending

            return Ending(running, plan, server, readings)
