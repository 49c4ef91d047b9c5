"""`httpdyno load URL`: the engine by hand."""

from __future__ import annotations

import inspect
import os
import signal
import sys
from typing import TYPE_CHECKING, Any, get_type_hints

import typer

from httpdyno.cli.faults import Faults
from httpdyno.cli.load.arguments.flags import LoadFlags
from httpdyno.cli.values import Values

# The engine, the plan and the summary are imported in the functions: `--help` needs none of them.
if TYPE_CHECKING:
    from httpdyno.cli.load.arguments.thresholds import Threshold
    from httpdyno.cli.load.output.files import Outputs
    from httpdyno.engine_plan import EnginePlan
    from httpdyno.measurement import Measurement

__all__ = ["load"]

_COLOURS = {"VALID": "green", "SUSPECT": "yellow", "INVALID": "red"}


def load(**given: Any) -> int:
    """Put one URL under load, and tell what it did.

    With a URL and nothing else: a closed load of 10 connections for 10 seconds.

    \b
    Closed: each connection asks again when it has its reply (as ab, wrk)
      httpdyno load http://localhost:8080/
      httpdyno load http://localhost:8080/ --requests 200000 --connections 64
    Open: requests are due at a rate, whatever the server does (as wrk2, vegeta)
      httpdyno load http://localhost:8080/ --rate 5000 --duration 30s
      httpdyno load http://localhost:8080/ --rate 1000:20000/60s --arrivals exponential
    Sessions: each arrives at a rate, on a connection of its own (as httperf)
      httpdyno load http://localhost:8080/ --sessions 100 --calls 10 --burst 5 --think 1s
    TLS: a handshake for each call, as strangers make it
      httpdyno load https://localhost:8443/ --ca ca.pem --no-keep-alive --no-resume
    In a test: the exit code says whether it was good enough
      httpdyno load http://localhost:8080/ --rate 500 --fail-if 'p99>20ms'

    \b
    Exit codes: 0 done; 2 a flag; 3 no server there; 4 this machine; 5 a --fail-if is so;
    6 the measurement is invalid; 130 stopped by Ctrl-C (what was measured is shown).
    """
    return _load(LoadFlags(**given))


def _signature_of(flags: type) -> inspect.Signature:
    """The flags as the parameters of a function, which is where Typer looks for them."""
    hints = get_type_hints(flags, include_extras=True)
    parameters = inspect.signature(flags).parameters.values()
    fields = flags.__dataclass_fields__  # type: ignore[attr-defined]
    return inspect.Signature(
        [
            parameter.replace(
                kind=inspect.Parameter.KEYWORD_ONLY,
                annotation=hints[parameter.name],
                default=_default(fields[parameter.name], parameter),
            )
            for parameter in parameters
        ]
    )


def _default(field: Any, parameter: inspect.Parameter) -> Any:
    return field.default_factory() if callable(field.default_factory) else parameter.default


load.__signature__ = _signature_of(LoadFlags)  # type: ignore[attr-defined]


def _load(flags: LoadFlags) -> int:
    from httpdyno.cli.load.arguments.address import knock
    from httpdyno.cli.load.output.files import Outputs
    from httpdyno.cli.load.output.outcome import judged

    files = {"--json": flags.json, "--hdr": flags.hdr, "--intervals": flags.intervals}
    outputs = Outputs(files)
    plan, thresholds = _understood(flags, outputs)
    with outputs:
        knock(plan.target, plan.source.addresses, plan.timeouts.connect_s or 5.0, plan.proxy)
        outcome = judged(flags.url, plan, _measured(flags, plan), thresholds)
        if not flags.quiet:
            # stdout is for data: where it is taken, the summary is talk.
            typer.echo(_in_colour(outcome.summary(), outputs), err=outputs.to_stdout)
        else:
            for complaint in outcome.complaints():
                typer.echo(complaint, err=True)
        outputs.write(outcome.files())
    return outcome.exit_code


def _understood(flags: LoadFlags, outputs: Outputs) -> tuple[EnginePlan, list[Threshold]]:
    """The plan and the thresholds. Raises UsageError with every fault of the command line."""
    from httpdyno.cli.load.arguments.plan import plan_of
    from httpdyno.cli.load.arguments.thresholds import parse_threshold

    faults = Faults("httpdyno load --help")
    values = Values(faults)
    thresholds = [values.read("--fail-if", text, parse_threshold) for text in flags.fail_if]
    outputs.check(faults)
    plan = plan_of(flags, faults)
    return plan, [threshold for threshold in thresholds if threshold is not None]


def _measured(flags: LoadFlags, plan: EnginePlan) -> Measurement:
    """Run the load, with progress on a terminal. SIGTERM is Ctrl-C: the partial result is kept."""
    from httpdyno import engine
    from httpdyno.cli.load.output.progress import showing
    from httpdyno.cli.load.output.words import describe_load, describe_stop

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if flags.quiet:
        return engine.measure(plan)
    typer.echo(f"{flags.url}: {describe_load(plan)}; {describe_stop(plan)}\n", err=True)
    if not sys.stderr.isatty():
        return engine.measure(plan)
    with showing(plan) as on_progress:
        return engine.measure(plan, on_progress)


def _in_colour(summary: str, outputs: Outputs) -> str:
    """The summary with its verdict in colour, on a terminal that wants it."""
    stream = sys.stderr if outputs.to_stdout else sys.stdout
    if not stream.isatty() or os.environ.get("NO_COLOR"):
        return summary
    status, colon, rest = summary.partition(":")
    return typer.style(status, fg=_COLOURS.get(status), bold=True) + colon + rest
