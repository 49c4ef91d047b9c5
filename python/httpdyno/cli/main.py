"""The frame of the command line: finds the verb, runs it, and reports its error in one sentence.

A verb's module is imported when the verb is called, so that `--help` and `--version` answer
at once.
"""

from __future__ import annotations

import difflib
import importlib
import os
import re
import shlex
import traceback
from collections.abc import Sequence
from typing import Any, NamedTuple

import typer
from typer.core import TyperGroup
from typer.main import get_command

from httpdyno import __version__
from httpdyno.cli.faults import show
from httpdyno.cli.help import VerbCommand
from httpdyno.errors import EnvironmentFault, ExitCode, HttpdynoError, InternalFault, UsageError

__all__ = ["VERBS", "Verb", "Verbs", "command", "run"]


class Verb(NamedTuple):
    """The module and name of a verb (a function or a Typer app), and its summary in one line."""

    module: str
    attribute: str
    summary: str


VERBS = {
    "load": Verb("load.verb", "load", "Put one URL under load and report what it did."),
    "sweep": Verb(
        "sweep.verb", "app", "Measure a server at several rates: where does it stop keeping up?"
    ),
    "run": Verb(
        "run.verb", "run", "Run a study of servers, workloads and loads, and write a report."
    ),
    "capacity": Verb(
        "capacity.verb", "capacity", "Find the highest rate at which servers hold limits."
    ),
    "compare": Verb(
        "compare.verb", "compare", "Compare two builds of a server: is B slower, and how sure?"
    ),
    "init": Verb("init", "init", "Write a study to begin with, or of your own server."),
    "servers": Verb("servers.verb", "app", "List, install, check and start servers."),
    "serve": Verb("serve.verb", "serve", "Show stored runs and those under way on a page."),
    "report": Verb("report.verb", "report", "Write the report of a study again, in any format."),
    "publish": Verb("report.publish", "publish", "Write a static site of several studies."),
    "runs": Verb("runs.verb", "app", "List, show, export, import and delete stored runs."),
    "history": Verb(
        "history.verb",
        "history",
        "Show how the numbers of stored runs changed, and what changed with them.",
    ),
    "httperf": Verb(
        "compat.httperf", "app", "Load a server as httperf does: its options, its output."
    ),
    "ab": Verb("compat.ab.verb", "app", "Benchmark one URL as ab does: its options, its output."),
    "hosts": Verb("hosts.verb", "app", "Use several machines: certificates, check, start and end."),
    "worker": Verb(
        "hosts.worker", "worker", "Join a scheduler, and send load for its coordinators."
    ),
    "scheduler": Verb(
        "hosts.scheduler", "scheduler", "Start a scheduler, where machines and coordinators meet."
    ),
    "reference": Verb("reference", "reference", "Start the reference server."),
    "probe": Verb("probe", "probe", "Show which driver the engine uses here, and why."),
    "completion": Verb(
        "completion.verb", "app", "Print the script that completes commands in a shell."
    ),
}

_VALUES_WITH_SPACES = (
    "-H",
    "--header",
    "--body",
    "--data",
    "--json-body",
    "--cookie",
    "-u",
    "--user",
)
_EXTRA = re.compile(r"Got unexpected extra argument\S* \(.*\)", re.DOTALL)


class Verbs(TyperGroup):
    """The verbs of `httpdyno`, each imported on use."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of the verbs, in the order of the help."""
        return list(VERBS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The verb with this name. Raises UsageError, with the nearest name, if there is none."""
        if cmd_name not in VERBS:
            raise _unknown_verb(cmd_name)
        verb = VERBS[cmd_name]
        found = getattr(importlib.import_module(f"httpdyno.cli.{verb.module}"), verb.attribute)
        app = found if isinstance(found, typer.Typer) else _app_of(found)
        app.rich_markup_mode = None
        return get_command(app)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the table of verbs, without importing any."""
        with formatter.section("Verbs"):
            formatter.write_dl([(name, verb.summary) for name, verb in VERBS.items()])


def _app_of(function: Any) -> typer.Typer:
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(cls=VerbCommand)(function)
    return app


def _unknown_verb(name: str) -> UsageError:
    nearest = difflib.get_close_matches(name, VERBS, n=1)
    if "://" in name or re.fullmatch(r"[\w.-]+:\d+(/.*)?", name):
        hint = f"httpdyno load {shlex.quote(name)}"
    elif nearest:
        hint = f"did you mean `{nearest[0]}`? `httpdyno {nearest[0]} --help` shows its flags"
    else:
        hint = "httpdyno --help"
    expected = ", ".join(f"`{verb}`" for verb in VERBS)
    return UsageError(f"`{name}` is not a verb of httpdyno: expected one of {expected}", hint=hint)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"httpdyno {__version__}")
        raise typer.Exit


def _frame(
    version: bool = typer.Option(
        False, "--version", callback=_show_version, is_eager=True, help="Show the version"
    ),
) -> None:
    """A dynamometer for web servers: curves, intervals and verdicts, not single numbers.

    \b
    httpdyno load http://localhost:8080/hello    put a URL under load for 10 seconds
    httpdyno run demo                       compare two servers and write a report
    httpdyno VERB --help                    a verb's flags, with examples
    """


def command() -> Any:
    """The whole command line as one command object."""
    app = typer.Typer(cls=Verbs, add_completion=False, no_args_is_help=True, rich_markup_mode=None)
    app.callback()(_frame)
    frame = get_command(app)
    frame.subcommand_metavar = "VERB [FLAGS]"  # type: ignore[attr-defined]
    return frame


def run(arguments: Sequence[str]) -> int:
    """Run the verb and report its error on stderr; its exit code."""
    try:
        with command().make_context("httpdyno", list(arguments)) as context:
            answer = context.command.invoke(context)
        return answer if isinstance(answer, int) else ExitCode.OK
    except typer.Exit as left:
        return left.exit_code
    except (KeyboardInterrupt, typer.Abort):
        return ExitCode.INTERRUPTED
    except typer.TyperException as misused:
        return _show_misuse(misused, arguments)
    except Exception as error:
        return show(error if isinstance(error, HttpdynoError) else _explained(error))


def _explained(unexpected: Exception) -> HttpdynoError:
    """An error of the operating system that no verb expected, or a bug."""
    if os.environ.get("HTTPDYNO_DEBUG") == "1":
        traceback.print_exception(unexpected)
    if isinstance(unexpected, OSError):
        subject = unexpected.filename or "the system"
        return EnvironmentFault(f"`{subject}`: {unexpected.strerror or unexpected}")
    return InternalFault(
        f"this is a bug in httpdyno: {type(unexpected).__name__}: {unexpected}",
        hint="HTTPDYNO_DEBUG=1 shows where it happened; please report it",
    )


def _show_misuse(misused: typer.TyperException, arguments: Sequence[str]) -> int:
    """Report an error of the flag parser; a call without arguments is no error and shows help."""
    context = getattr(misused, "ctx", None)
    if type(misused).__name__ == "NoArgsIsHelpError":
        typer.echo(misused.format_message())
        return ExitCode.OK
    sentence = misused.format_message().rstrip(".")
    if any(word.startswith(_VALUES_WITH_SPACES) for word in arguments):
        # A credential that was not quoted: `-H Authorization: Bearer …`.
        sentence = _EXTRA.sub(
            "unexpected arguments: expected quotes around a value with spaces,"
            " such as `-H 'NAME: VALUE'`",
            sentence,
        )
    path = context.command_path if context is not None else "httpdyno"
    return show(UsageError(sentence[:1].lower() + sentence[1:], hint=f"{path} --help"))
