"""`httpdyno httperf`: the options and the output of httperf, on httpdyno's engine."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import typer

from httpdyno import __version__
from httpdyno.cli.compat.raw import RawCommand
from httpdyno.cli.faults import Faults
from httpdyno.errors import ExitCode

# The engine and what needs it are imported in the functions: `--help` needs none of them.
if TYPE_CHECKING:
    from httpdyno import engine
    from httpdyno.compat.httperf.options import Options
    from httpdyno.compat.httperf.workload import Workload
    from httpdyno.engine_plan import EnginePlan
    from httpdyno.measurement import Measurement

__all__ = ["app"]

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command(cls=RawCommand, options_metavar="[OPTIONS]")
def httperf(context: typer.Context) -> int:
    """Load a server as httperf does: its options, its output.

    A script that runs httperf and reads what it prints goes on working with `httpdyno httperf`, or
    with the command `httpdyno-httperf`. The differences are in docs/reference/httperf.md. Options
    may be abbreviated while they are unique.

    \b
      httpdyno httperf --server=localhost --port=8080 --num-conns=100 --rate=10 --timeout=5
      httpdyno httperf --hog --port=8080 --num-conns=100 --num-calls=100 --burst-length=20
      httpdyno httperf --port=8080 --wsess=10,5,2 --rate=1 --timeout=5
      httpdyno httperf --port=8080 --wsesslog=100,1,sessions.txt --rate=10

    \b
    Server
      --server=HOST              Server to load (default localhost)
      --port=N                   Port (default 80, with --ssl 443)
      --server-name=HOST         Value of the Host header (default --server)
      --servers=FILE             File with the one server to load, instead of --server
      --myaddr=ADDRESS,…         Addresses, hosts or interfaces to connect from
      --hog                      Use all local ports from 1024 if the test needs them

    \b
    Connections, each with calls
      --num-conns=N              Connections in total (default 1)
      --num-calls=N              Calls on each connection (default 1)
      --burst-length=N           Calls that are sent together (default 1)
      --rate=X                   Connections or sessions per second (default 0: one after the other)
      --period=[d|u|e|v]T,…      Seconds between them: dT, uLEAST,GREATEST, eMEAN, or vT1,D1,T2,D2,…
      --runtime=X                End the test after X seconds

    \b
    Sessions
      --wsess=N1,N2,X            N1 sessions of N2 calls; X s of think time after each burst
      --wsesslog=N,X,FILE        N sessions as the file describes them
      --max-connections=N        Connections of a session (default 4)
      --max-piped-calls=N        Calls pipelined on a connection (default: the burst)
      --failure-status=N         A reply with this status fails the session
      --retry-on-failure         Send a call that failed so again instead
      --session-cookies          Send back the cookies that the session was given

    \b
    Requests
      --uri=URI                  URI (default /)
      --method=METHOD            Method (default GET)
      --http-version=1.0|1.1     Version (default 1.1)
      --add-header='NAME: X\\n'   Header lines, with \\n after each
      --add-header-file=FILE     Header lines as they are in a file
      --no-host-hdr              Send no Host header
      --wlog=y|n,FILE            URIs from a file, separated by NUL; y: again and again
      --wset=N,X                 A walk through N URIs; X: rate of moving on

    \b
    TLS
      --ssl                      Use TLS
      --ssl-protocol=VERSION     auto, TLSv1.2 or TLSv1.3
      --ssl-no-reuse             A full handshake for each connection of a session
      --ssl-verify[=yes|no]      Check the server's certificate (default no)
      --ssl-ca-file=FILE         Trusted certificates, PEM
      --ssl-certificate=FILE     Client certificate; --ssl-key=FILE: its key, PEM
      --tls-server-name=HOST     Server name to send (SNI)

    \b
    Limits of a connection
      --timeout=X                Longest wait for the server, in seconds (default: none)
      --think-timeout=X          Added to it while a reply is awaited
      --send-buffer=N            Socket send buffer in bytes (default 4096)
      --recv-buffer=N            Socket receive buffer in bytes (default 16384)
      --close-with-reset         Close connections by a reset

    \b
    Output
      -v, --verbose              Show the reply rate of each 5 s; -vv: lifetimes of connections
      -n, --periodic-stats       Show the replies with status 200 and 302 in each second
      --print-request[=PART]     Show requests: header, body or both
      --print-reply[=PART]       Show replies: header, body or both
      --client=I/N               This is client I of N
      -V, -h                     Show the version; show this help
      --verdict                  Add httpdyno's own summary and verdict, and exit as load does

    \b
    Exit codes: 0 after a test, whatever the server did, and after Ctrl-C; 2 wrong options;
    3 the server's name is unknown; with --verdict 6 if the measurement is invalid.
    """
    options = _understood(context.args)
    if options.help:
        typer.echo(context.get_help())
        return ExitCode.OK
    if options.version:
        typer.echo(f"httperf: httperf-0.9.0 (httpdyno {__version__})")
        return ExitCode.OK
    return _tested(options)


def _understood(words: list[str]) -> Options:
    """The options of the command line. Raises UsageError with all of its faults."""
    from httpdyno.compat.httperf.options import OptionsError, read_options

    faults = Faults("httpdyno httperf --help")
    try:
        return read_options(words)
    except OptionsError as wrong:
        for sentence in wrong.faults:
            faults.add(sentence)
        faults.raise_any()
        raise


def _tested(options: Options) -> int:
    """Run the test and print its statistics."""
    from httpdyno.cli.signals import beside
    from httpdyno.compat.httperf.echo import echo
    from httpdyno.compat.httperf.plan import plan_of, resolved
    from httpdyno.compat.httperf.workload import workload

    faults = Faults("httpdyno httperf --help")
    work = None
    try:
        work = workload(options)
    except ValueError as wrong:
        faults.add(str(wrong))
    faults.raise_any()
    assert work is not None  # noqa: S101 - else there was a fault
    plan = plan_of(options, work, beside(lambda: resolved(options.server)))
    typer.echo(echo(options))
    if options.verbose:
        typer.echo(f"httperf: maximum number of open descriptors = {_most_descriptors()}")
    sys.stdout.flush()
    return _run(options, work, plan)


def _run(options: Options, work: Workload, plan: EnginePlan) -> int:
    from httpdyno import engine

    with engine.start(plan) as running:
        _follow(running, plan)
        measured = running.result()
        _print_calls(options, running)
        _print_statistics(options, work, running, measured)
    _warn(plan, measured)
    return _judge(options, plan, measured) if options.verdict else ExitCode.OK


def _follow(running: engine.Running, plan: EnginePlan) -> None:
    """Wait for the end of the test. A request to stop ends it at once, as Ctrl-C ends httperf."""
    from httpdyno.cli.live.screen import usable
    from httpdyno.cli.load.output.progress import showing
    from httpdyno.cli.signals import stoppable

    def stop() -> None:
        running.stop()
        running.stop()  # httperf does not wait for the replies that are missing

    with stoppable(ask=stop, say=lambda _: None):
        if usable():
            with showing("httperf", plan) as view:
                running.follow("done", view.update)
        else:
            running.follow("done")


def _print_calls(options: Options, running: engine.Running) -> None:
    """Print requests and replies as they were sent and received."""
    if not (options.print_request or options.print_reply):
        return
    from httpdyno.compat.httperf.trace import printed_calls
    from httpdyno.output.printable import printable

    on_terminal = sys.stdout.isatty()
    for line in printed_calls(running.trace(), options.print_request, options.print_reply):
        if on_terminal:
            typer.echo(printable(line.rstrip(b"\r\n").decode(errors="surrogateescape")))
        else:
            sys.stdout.buffer.write(line)


def _print_statistics(
    options: Options, work: Workload, running: engine.Running, measured: Measurement
) -> None:
    from httpdyno import engine
    from httpdyno.compat.httperf.output import report
    from httpdyno.compat.httperf.statistics import statistics_of

    log = running.call_log() if options.periodic_stats else None
    found = statistics_of(options, work, measured, log)
    typer.echo(report(options, found, measured, engine.quantiles), nl=False)


def _warn(plan: EnginePlan, measured: Measurement) -> None:
    """Say on stderr that the rate was not kept because no more connections could be opened."""
    if plan.is_open and measured.calls.waited:
        sentence = f"{measured.calls.waited:,} calls waited because no file descriptor was left"
        typer.echo(f"warning: {sentence}: raise the limit (`ulimit -n`)", err=True)


def _judge(options: Options, plan: EnginePlan, measured: Measurement) -> int:
    """Print httpdyno's own summary; the exit code of `load`."""
    import os

    from httpdyno.cli.load.output.outcome import judged

    scheme = "https" if options.ssl else "http"
    url = f"{scheme}://{options.server}:{options.port}{os.fsdecode(options.uri)}"
    outcome = judged(url, plan, measured, [], settings="none")
    typer.echo("\n" + outcome.summary(80))
    return outcome.exit_code


def _most_descriptors() -> int:
    from resource import RLIMIT_NOFILE, getrlimit

    return getrlimit(RLIMIT_NOFILE)[1]
