"""The end of a test of `httpdyno ab`: its report, its files, and what there is to warn of."""

from __future__ import annotations

from httpdyno.cli.compat.ab.run import Outcome
from httpdyno.cli.compat.processor_counters import is_disturbed
from httpdyno.compat.ab.abort import Abort
from httpdyno.compat.ab.options import Options
from httpdyno.compat.ab.output.files import csv, gnuplot
from httpdyno.compat.ab.output.html import table
from httpdyno.compat.ab.output.text import report
from httpdyno.compat.ab.results import Results, results_of
from httpdyno.errors import ExitCode
from httpdyno.output.echo import echo
from httpdyno.output.files import write_file

__all__ = ["end"]

_STOPPED = 1
"""The exit code of ab after Ctrl-C."""


def end(options: Options, ended: Outcome | Abort) -> int:
    """Show the results, or the error; the exit code."""
    if isinstance(ended, Abort):
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
        from httpdyno.cli.compat.judging import judge_test  # the verdict, where it is needed

        url = options.url.whole
        code = judge_test(url, ended.plan, ended.measured, before, after, verdict=verdict)
    return _STOPPED if ended.interrupted else code


def _show(results: Results) -> None:
    """Print the report, and write the files."""
    options = results.options
    shown = report(results) if options.markup is None else table(results)
    echo(shown, nl=False)
    if not results.done or (options.csv is None and options.gnuplot is None):
        return
    for path, written in ((options.csv, csv), (options.gnuplot, gnuplot)):
        if path is not None:
            write_file(path, written(results.times))
