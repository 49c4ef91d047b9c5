"""The work of `httpdyno sweep`: its points, its files and its outcome."""

from __future__ import annotations

from contextlib import nullcontext

from httpdyno.ci.github import without_commands
from httpdyno.cli.exports import parse_exports
from httpdyno.cli.faults import Faults, show
from httpdyno.cli.github import NO_STDOUT, tell, telling_errors
from httpdyno.cli.load.output.files import Outputs
from httpdyno.cli.serve.recording import own_command, record_events
from httpdyno.cli.sweep.flags import SweepFlags
from httpdyno.cli.sweep.measure import MeasuredPoints, measure_points
from httpdyno.cli.sweep.outcome import Outcome
from httpdyno.cli.sweep.program import Program, program_of
from httpdyno.cli.sweep.view import about, showing
from httpdyno.cli.values import Values, picture_file
from httpdyno.errors import ExitCode
from httpdyno.output.echo import echo
from httpdyno.running.live.events import RunEnds
from httpdyno.sweep import answer

__all__ = ["run"]

_HELP = "httpdyno sweep --help"
_COOL_DOWN_S = 1.0


def run(flags: SweepFlags) -> int:
    """Measures the points and shows the outcome; the exit code."""
    with telling_errors(enabled=flags.github):
        return _run(flags)


def _run(flags: SweepFlags) -> int:
    faults = Faults(_HELP)
    values = Values(faults)
    pause_s = values.seconds("--cool-down", flags.cool_down, zero=True)
    exports = parse_exports(values, flags.export or ())
    paths = {
        "--json": flags.json,
        "--csv": flags.csv,
        "--chart": flags.chart,
        "--report": flags.report,
    }
    outputs = Outputs(paths, exports)
    outputs.check(faults)
    if flags.github and outputs.to_stdout:
        faults.add(NO_STDOUT)
    values.read("--chart", flags.chart, picture_file)
    program = program_of(flags.words or [], values)
    outputs.demand_writable()
    return _sweep(
        program,
        outputs,
        cool_down_s=_COOL_DOWN_S if pause_s is None else pause_s,
        until_errors=flags.until_errors,
        log=flags.log,
        svg=(flags.chart or "").endswith(".svg"),
        github=flags.github,
    )


def _sweep(
    program: Program,
    outputs: Outputs,
    *,
    cool_down_s: float,
    until_errors: bool,
    log: bool,
    svg: bool,
    github: bool,
) -> int:
    """Measure the points, write the files and show the outcome."""
    swept = _measure(program, cool_down_s, until_errors=until_errors, log=log)
    if not swept.points:
        echo("interrupted: nothing was measured yet", err=True)
        return ExitCode.INTERRUPTED
    outcome = Outcome(program, swept, log)
    with without_commands() if github else nullcontext():
        code = _show(outcome, outputs, svg=svg, quiet=program.quiet)
    return tell(code, outcome.markdown(), outcome.failure) if github else code


def _show(outcome: Outcome, outputs: Outputs, *, svg: bool, quiet: bool) -> int:
    # Files first: whatever becomes of stdout, they are written.
    unwritten = outputs.write(outcome.files(outputs.exports, svg=svg))
    if not quiet:
        outcome.show(to_stderr=outputs.to_stdout)
    fault = outcome.swept.fault
    code = show(fault) if fault is not None else outcome.exit_code
    return code if unwritten is None else code or show(unwritten)


def _measure(
    program: Program, cool_down_s: float, *, until_errors: bool, log: bool
) -> MeasuredPoints:
    with (
        record_events("sweep", own_command(), f"Sweep of {program.title}") as events,
        showing(events, program, about(program, cool_down_s), log=log) as say,
    ):
        swept = measure_points(
            program,
            events,
            say,
            cool_down_s=cool_down_s,
            ends_at=lambda point: until_errors and point.error_share > 0,
        )
        events.send(_end(program, swept))
        return swept


def _end(program: Program, swept: MeasuredPoints) -> RunEnds:
    return RunEnds(
        "interrupted" if swept.interrupted else "failed" if swept.fault else "complete",
        text="" if swept.fault is None else swept.fault.message,
        answer=answer(swept.points, program.times, len(program.rates.per_s)),
    )
