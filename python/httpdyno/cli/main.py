"""The command line: finds the verb, runs it, and reports its error in one sentence.

A verb's module is imported when the verb is called, so that `--help` and `--version` answer
at once. Verbs that read their words themselves do without Click, which takes longer to load than a
short test of theirs.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from importlib import import_module

from httpdyno import __version__
from httpdyno.cli.faults import show
from httpdyno.errors import EnvironmentFault, ExitCode, HttpdynoError, InternalFault
from httpdyno.output.echo import echo

__all__ = ["run"]

_OF_DISK = {errno.ENOSPC, errno.EDQUOT}
_FULL = (
    "`df -h` shows which disk is full; `HTTPDYNO_DATA`, `HTTPDYNO_CACHE` and `TMPDIR` name folders"
    " on another one"
)
_PROGRAMS = {"ab": "compat.ab.program", "httperf": "compat.httperf.program"}
"""The modules of the verbs that read their words themselves."""


def run(arguments: Sequence[str]) -> int:
    """Run the verb and report its error on stderr; its exit code."""
    try:
        return _call(arguments)
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    except Exception as error:
        return show(error if isinstance(error, HttpdynoError) else _explain(error))


def _call(arguments: Sequence[str]) -> int:
    if list(arguments) == ["--version"]:
        echo(f"httpdyno {__version__}")
        return ExitCode.OK
    module = _PROGRAMS.get(arguments[0]) if arguments else None
    if module is not None:
        code = import_module(f"httpdyno.cli.{module}").program(arguments[1:])
        if code is not None:
            return int(code)
        arguments = [arguments[0], "--help"]
    from httpdyno.cli.frame.commands import call

    return call(arguments)


def _explain(unexpected: Exception) -> HttpdynoError:
    """An error of the operating system that no verb expected, or a bug."""
    if os.environ.get("HTTPDYNO_DEBUG") == "1":
        import traceback

        echo("".join(traceback.format_exception(unexpected)), err=True, nl=False)
    if isinstance(unexpected, OSError):
        why = unexpected.strerror or f"{unexpected}"
        message = f"`{unexpected.filename}`: {why}" if unexpected.filename else f"{why}"
        return EnvironmentFault(message, hint=_FULL if unexpected.errno in _OF_DISK else None)
    return InternalFault(
        f"this is a bug in httpdyno: {type(unexpected).__name__}: {unexpected}",
        hint="HTTPDYNO_DEBUG=1 shows where it happened; please report it",
    )
