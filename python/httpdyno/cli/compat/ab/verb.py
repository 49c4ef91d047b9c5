"""`httpdyno ab`: the options and the output of ab, on httpdyno's engine."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import typer

from httpdyno.cli.compat.raw import RawCommand
from httpdyno.cli.faults import Faults
from httpdyno.errors import ExitCode

# The engine and what needs it are imported in the functions: `--help` needs none of them.
if TYPE_CHECKING:
    from httpdyno.cli.compat.ab.run import Ran
    from httpdyno.compat.ab.aborted import Aborted
    from httpdyno.compat.ab.options import Options
    from httpdyno.compat.ab.results import Results

__all__ = ["app"]

app = typer.Typer(add_completion=False, rich_markup_mode=None)

_STOPPED = 1
"""The exit code of ab after Ctrl-C."""


@app.command(cls=RawCommand, options_metavar="[OPTIONS] [http[s]://]HOST[:PORT]/PATH")
def ab(context: typer.Context) -> int:
    """Benchmark one URL as ab does: its options, its output.

    A script that runs ab and reads what it prints goes on working with `httpdyno ab`, or with the
    command `httpdyno-ab`. The differences are in docs/reference/ab.md.

    \b
      httpdyno ab -n 1000 -c 10 http://localhost:8080/hello
      httpdyno ab -k -t 10 -c 50 http://localhost:8080/hello
      httpdyno ab -n 100 -p order.json -T application/json http://localhost:8080/orders
      httpdyno ab -n 5000 -c 20 -e percent.csv -g times.tsv http://localhost:8080/hello

    \b
    Load
      -n REQUESTS      Requests in total (default 1; 50,000 with -t)
      -c CONNECTIONS   Requests at once (default 1)
      -t SECONDS       Stop after so long
      -k               Keep connections open (keep-alive)
      -s SECONDS       Longest wait for a server that sends nothing (default 30)
      -r               Go on after an error of a connection
      -b BYTES         Send and receive buffer of each connection
      -B ADDRESS       Local address to connect from
      -X PROXY[:PORT]  HTTP proxy

    \b
    Requests
      -m METHOD        Method (default GET)
      -i               HEAD instead of GET
      -p FILE          POST with this body
      -u FILE          PUT with this body
      -T TYPE          Content type of the body (default text/plain)
      -C NAME=VALUE    Cookie
      -H 'NAME: VALUE' Header; repeatable
      -A USER:PASSWORD Basic authentication at the server
      -P USER:PASSWORD Basic authentication at the proxy

    \b
    TLS
      -f PROTOCOL      TLS1.2, TLS1.3 or ALL (default ALL)
      -E FILE          Client certificate with its chain and key, PEM
      -I               Do not send the server's name (SNI)

    \b
    Output
      -l               Accept bodies of different lengths
      -q               No progress
      -d               No table of percentages
      -S               No median, no standard deviation, no warnings
      -w               HTML; -x, -y and -z ATTRIBUTES are those of table, tr and td
      -e FILE          Write the time of each percentage as CSV
      -g FILE          Write each request as a line for gnuplot
      -v LEVEL         2: show requests and replies; 3: and status codes
      -V, -h           Show the version; show this help
      --verdict        Add httpdyno's own summary and verdict, and exit as load does

    \b
    Exit codes: 0 after a test, whatever the replies were; 2 wrong options; 1 after Ctrl-C; else the
    number of the error that ended the test, such as 104 (connection reset) and 111 (refused).
    """
    from httpdyno.compat.ab.command_line import asked, parse
    from httpdyno.compat.ab.output.banner import version

    words = context.args
    wanted = asked(words)
    if wanted == "help":
        typer.echo(context.get_help())
        return ExitCode.OK
    if wanted == "version":
        typer.echo(version(), nl=False)
        return ExitCode.OK
    faults = Faults("httpdyno ab --help")
    options = parse(words, faults.add)
    faults.raise_any()
    assert options is not None  # noqa: S101 - a URL that cannot be read was a fault
    _begin(options)
    return _ended(options, _tested(options))


def _begin(options: Options) -> None:
    """Show the version, and what is tested. Raises EnvironmentFault for files of no use."""
    from httpdyno.compat.ab.output.banner import banner
    from httpdyno.compat.ab.output.verbose import request
    from httpdyno.output.files import check_file

    for path in (options.csv, options.gnuplot):
        if path is not None:
            check_file(path)
    typer.echo(banner(options), nl=False)
    if options.verbosity > 1:
        typer.echo(request(options), nl=False)
    sys.stdout.flush()


def _tested(options: Options) -> Ran | Aborted:
    """Run the test."""
    from httpdyno.cli.compat.ab.run import run
    from httpdyno.cli.signals import beside
    from httpdyno.compat.ab.aborted import Aborted, aborted
    from httpdyno.compat.ab.address import find_address
    from httpdyno.compat.ab.output.verbose import replies

    address = beside(lambda: find_address(options))
    if isinstance(address, Aborted):
        return address
    ran = run(options, address)
    for text in replies(options, ran.replies):
        typer.echo(text, nl=False)
    return aborted(options, ran.calls) or ran


def _ended(options: Options, ended: Ran | Aborted) -> int:
    """Show the results, or the error; the exit code."""
    from httpdyno.compat.ab.aborted import Aborted
    from httpdyno.compat.ab.results import results_of

    if isinstance(ended, Aborted):
        typer.echo(ended.message, err=True)
        if ended.done:
            typer.echo(f"Total of {ended.done} requests completed")
        return ended.exit_code
    results = results_of(options, ended.measurement, ended.calls)
    if not ended.interrupted:
        ended.heartbeat.finish(results.done)
    _show(results)
    code = _judged(options, ended) if options.verdict else ExitCode.OK
    return _STOPPED if ended.interrupted else code


def _show(results: Results) -> None:
    """Print the report, and write the files."""
    from httpdyno.compat.ab.output.files import csv, gnuplot
    from httpdyno.compat.ab.output.html import table
    from httpdyno.compat.ab.output.text import report
    from httpdyno.output.files import write_file

    options = results.options
    typer.echo(report(results) if options.markup is None else table(results), nl=False)
    if not results.done:
        return
    for path, written in ((options.csv, csv), (options.gnuplot, gnuplot)):
        if path is not None:
            write_file(path, written(results.times))


def _judged(options: Options, ran: Ran) -> int:
    """Print httpdyno's own summary; the exit code of `load`."""
    from httpdyno.cli.load.output.outcome import judged

    outcome = judged(options.url.whole, ran.plan, ran.measurement, [], settings="none")
    typer.echo("\n" + outcome.summary(80))
    return outcome.exit_code
