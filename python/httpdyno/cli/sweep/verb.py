"""`httpdyno sweep VERB --rate FROM..TO/STEP`: where does a server stop keeping up?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from httpdyno.cli import shared_flags as shared
from httpdyno.cli.command import command_of
from httpdyno.cli.faults import Faults, show
from httpdyno.cli.flags import argument, one_of, option
from httpdyno.cli.values import Values, picture_file
from httpdyno.errors import ExitCode
from httpdyno.output.echo import echo

if TYPE_CHECKING:
    from httpdyno.cli.load.output.files import Outputs
    from httpdyno.cli.sweep.measure import Swept
    from httpdyno.cli.sweep.program import Program
    from httpdyno.running.live.events import RunEnds

__all__ = ["command"]

_HELP = "httpdyno sweep --help"
_COOL_DOWN_S = 1.0


def sweep(
    words: Annotated[
        list[str] | None,
        argument(
            "load|httperf ARGUMENTS",
            "Verb to run at each rate, with its arguments; `--rate` has the rates:"
            " 100..1200/100 (in steps of 100), 100..6400*2 (doubled) or 100,200,500",
            complete=one_of("load", "httperf"),
        ),
    ] = None,
    cool_down: Annotated[
        str | None, option("--cool-down TIME", "Pause between points (default 1s)")
    ] = None,
    until_errors: Annotated[
        bool, option("--until-errors", "Stop after the first point with failed calls")
    ] = False,
    log: Annotated[bool, option("--log", "Draw the response times on a logarithmic axis")] = False,
    chart: shared.Chart = None,
    csv: Annotated[str | None, option("--csv FILE|-", "Write a line for each point")] = None,
    json: Annotated[
        str | None, option("--json FILE|-", "Write the complete measurement of each point")
    ] = None,
) -> int:
    """Measure a server at several rates: where does it stop keeping up?

    Each point is one run of the verb at one rate. A terminal shows the table and the charts while
    they grow. The answer, the whole table and the charts come at the end.

    \b
    Examples:
      httpdyno sweep load http://127.0.0.1:3000/ --rate 1000..20000/1000 -d 5s
      httpdyno sweep load http://127.0.0.1:3000/ --rate '100..12800*2' --chart sweep.png --log
      httpdyno sweep load http://127.0.0.1:3000/ --sessions 10..100/10 --calls 10 --csv -
      httpdyno sweep httperf --port=3000 --rate=100..1200/100 --num-conns=6000 --timeout=5
      httpdyno sweep load http://10.0.0.9:8080/ --rate '1000..64000*2' --on hosts.toml

    \b
    Exit codes:
        0  done
        2  wrong flags
        3  the server cannot be reached
        4  this machine: a permission, a limit, a file that cannot be written
        6  every point is invalid
      130  stopped by Ctrl-C, SIGTERM or SIGHUP; what was measured is shown and written
    """
    from httpdyno.cli.load.output.files import Outputs
    from httpdyno.cli.sweep.program import program_of

    faults = Faults(_HELP)
    values = Values(faults)
    pause_s = values.seconds("--cool-down", cool_down, zero=True)
    outputs = Outputs({"--json": json, "--csv": csv, "--chart": chart})
    outputs.check(faults)
    values.read("--chart", chart, picture_file)
    program = program_of(words or [], values)
    outputs.demand_writable()
    return _sweep(
        program,
        outputs,
        cool_down_s=_COOL_DOWN_S if pause_s is None else pause_s,
        until_errors=until_errors,
        log=log,
        svg=(chart or "").endswith(".svg"),
    )


command = command_of(sweep, "sweep", context_settings={"ignore_unknown_options": True})


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
    from httpdyno.cli.sweep.outcome import Outcome

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
    from httpdyno.cli.serve.recording import own_command, recorded
    from httpdyno.cli.sweep.measure import measured
    from httpdyno.cli.sweep.view import about, showing

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
    from httpdyno.running.live.events import RunEnds
    from httpdyno.sweep import answer

    return RunEnds(
        "interrupted" if swept.interrupted else "failed" if swept.fault else "complete",
        text="" if swept.fault is None else swept.fault.message,
        answer=answer(swept.points, program.times, len(program.rates.per_s)),
    )
