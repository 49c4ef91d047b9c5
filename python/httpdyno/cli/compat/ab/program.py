"""The work of `httpdyno ab`: a test, from its words to its report.

Nothing that takes long to load is imported where nothing asks for it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from httpdyno.cli.compat.ab.run import Outcome, run
from httpdyno.cli.compat.beside import is_disturbed
from httpdyno.cli.faults import Faults
from httpdyno.cli.signals import beside
from httpdyno.compat.ab.aborted import Aborted, aborted
from httpdyno.compat.ab.address import find_address
from httpdyno.compat.ab.command_line import help_or_version, parse
from httpdyno.compat.ab.output.banner import banner, version
from httpdyno.compat.ab.results import results_of
from httpdyno.errors import ExitCode
from httpdyno.output.echo import echo

if TYPE_CHECKING:
    from httpdyno.compat.ab.options import Options
    from httpdyno.compat.ab.results import Results

__all__ = ["program"]

_STOPPED = 1
"""The exit code of ab after Ctrl-C."""


def program(words: Sequence[str]) -> int | None:
    """Run ab with these words; its exit code, or None if they ask for help."""
    request = help_or_version(words)
    if request == "help" or words[:1] == ["--help"]:
        return None
    if request == "version":
        echo(version(), nl=False)
        return ExitCode.OK
    faults = Faults("httpdyno ab --help")
    options = parse(words, faults.add)
    faults.raise_any()
    assert options is not None  # noqa: S101 - a URL that cannot be read was a fault
    _begin(options)
    return _ended(options, _tested(options))


def _begin(options: Options) -> None:
    """Show the version, and what is tested. Raises EnvironmentFault for files of no use."""
    for path in (options.csv, options.gnuplot):
        if path is not None:
            from httpdyno.output.files import check_file

            check_file(path)
    echo(banner(options), nl=False)
    if options.verbosity > 1:
        from httpdyno.compat.ab.output.verbose import request

        echo(request(options), nl=False)
    sys.stdout.flush()


def _tested(options: Options) -> Outcome | Aborted:
    """Run the test."""
    address = beside(lambda: find_address(options))
    if isinstance(address, Aborted):
        return address
    ran = run(options, address)
    if options.verbosity > 1:
        from httpdyno.compat.ab.output.verbose import replies

        for text in replies(options, ran.replies):
            echo(text, nl=False)
    return aborted(options, ran.calls) or ran


def _ended(options: Options, ended: Outcome | Aborted) -> int:
    """Show the results, or the error; the exit code."""
    if isinstance(ended, Aborted):
        echo(ended.message, err=True)
        if ended.done:
            echo(f"Total of {ended.done} requests completed")
        return ended.exit_code
    measured = ended.measurement
    results = results_of(options, measured, ended.calls)
    if not ended.interrupted:
        ended.heartbeat.finish(results.done)
    _show(results)
    code: int = ExitCode.OK
    before, after, verdict = ended.before, ended.after, options.verdict
    if verdict or (options.deviations and is_disturbed(before, after)):
        from httpdyno.cli.compat.judging import judge_test

        url = options.url.whole
        code = judge_test(url, ended.plan, ended.measured, before, after, verdict=verdict)
    return _STOPPED if ended.interrupted else code


def _show(results: Results) -> None:
    """Print the report, and write the files."""
    options = results.options
    if options.markup is None:
        from httpdyno.compat.ab.output.text import report as shown
    else:
        from httpdyno.compat.ab.output.html import table as shown
    echo(shown(results), nl=False)
    if not results.done or (options.csv is None and options.gnuplot is None):
        return
    from httpdyno.compat.ab.output.files import csv, gnuplot
    from httpdyno.output.files import write_file

    for path, written in ((options.csv, csv), (options.gnuplot, gnuplot)):
        if path is not None:
            write_file(path, written(results.times))
