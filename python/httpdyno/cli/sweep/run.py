"""The work of `httpdyno sweep`: its points, its files and its outcome."""

from __future__ import annotations

from httpdyno.cli.faults import Faults, show
from httpdyno.cli.load.output.files import Outputs
from httpdyno.cli.serve.recording import own_command, recorded
from httpdyno.cli.sweep.flags import SweepFlags
from httpdyno.cli.sweep.measure import Swept, measured
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
    faults = Faults(_HELP)
    values = Values(faults)
    pause_s = values.seconds("--cool-down", flags.cool_down, zero=True)
    outputs = Outputs({"--json": flags.json, "--csv": flags.csv, "--chart": flags.chart})
    outputs.check(faults)
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
    )


def _sweep(
    program: Program,
    outputs: Outputs,
    *,
    cool_down_s: float,
    until_errors: bool,
    log: bool,
    svg: bool,
) -> int:
    """Measure the points, write the files and show the outcome."""
    swept = _measured(program, cool_down_s, until_errors=until_errors, log=log)
    if not swept.points:
        echo("interrupted: nothing was measured yet", err=True)
        return ExitCode.INTERRUPTED
    outcome = Outcome(program, swept, log)
    # Files first: whatever becomes of stdout, they are written.
    unwritten = outputs.write(outcome.files(svg=svg))
    if not program.quiet:
        outcome.show(to_stderr=outputs.to_stdout)
    code = show(swept.fault) if swept.fault is not None else outcome.exit_code
    return code if unwritten is None else code or show(unwritten)


def _measured(program: Program, cool_down_s: float, *, until_errors: bool, log: bool) -> Swept:
    with (
        recorded("sweep", own_command(), f"Sweep of {program.title}") as events,
        showing(events, program, about(program, cool_down_s), log=log) as say,
    ):
        swept = measured(
            program,
            events,
            say,
            cool_down_s=cool_down_s,
            ends_at=lambda point: until_errors and point.error_share > 0,
        )
        events.send(_end(program, swept))
        return swept


def _end(program: Program, swept: Swept) -> RunEnds:
    return RunEnds(
        "interrupted" if swept.interrupted else "failed" if swept.fault else "complete",
        text="" if swept.fault is None else swept.fault.message,
        answer=answer(swept.points, program.times, len(program.rates.per_s)),
    )
