"""The work of `httpdyno ab`: a test, from its words to its end. `ending.py` reports it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from httpdyno.cli.compat.ab.run import Outcome, run
from httpdyno.cli.faults import Faults
from httpdyno.cli.signals import beside
from httpdyno.compat.ab.abort import Abort, find_abort
from httpdyno.compat.ab.address import find_address
from httpdyno.compat.ab.command_line import help_or_version, parse
from httpdyno.compat.ab.output.banner import banner, version
from httpdyno.compat.ab.output.verbose import replies, request
from httpdyno.errors import ExitCode
from httpdyno.output.echo import echo
from httpdyno.output.files import check_file

if TYPE_CHECKING:
    from httpdyno.compat.ab.options import Options

__all__ = ["program"]


def program(words: Sequence[str]) -> int | None:
    """Run ab with these words; its exit code, or None if they ask for help."""
    wish = help_or_version(words)
    if wish == "help" or words[:1] == ["--help"]:
        return None
    if wish == "version":
        echo(version(), nl=False)
        return ExitCode.OK
    faults = Faults("httpdyno ab --help")
    options = parse(words, faults.add)
    faults.raise_any()
    assert options is not None  # noqa: S101 - a URL that cannot be read was a fault
    _begin(options)
    ended = _run_test(options)
    from httpdyno.cli.compat.ab.ending import end  # its words are not needed before the test

    return end(options, ended)


def _begin(options: Options) -> None:
    """Show the version, and what is tested. Raises EnvironmentFault for files of no use."""
    for path in (options.csv, options.gnuplot):
        if path is not None:
            check_file(path)
    echo(banner(options), nl=False)
    if options.verbosity > 1:
        echo(request(options), nl=False)
    sys.stdout.flush()


def _run_test(options: Options) -> Outcome | Abort:
    """Run the test."""
    address = beside(lambda: find_address(options))
    if isinstance(address, Abort):
        return address
    ran = run(options, address)
    if options.verbosity > 1:
        for text in replies(options, ran.replies):
            echo(text, nl=False)
    return find_abort(options, ran.calls) or ran
