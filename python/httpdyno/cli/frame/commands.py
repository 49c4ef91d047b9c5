"""The frame of the command line in Typer: the verbs, their help, and errors of the flag parser."""

from __future__ import annotations

import difflib
import importlib
import re
import shlex
from collections.abc import Sequence
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from httpdyno import __version__
from httpdyno.cli.faults import Faults
from httpdyno.cli.frame.foreign import foreign
from httpdyno.cli.frame.neighbours import neighbour
from httpdyno.cli.frame.verbs import VERBS
from httpdyno.cli.help import VerbCommand
from httpdyno.errors import ExitCode, UsageError
from httpdyno.output.printable import printable

__all__ = ["Verbs", "called", "command"]

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
_ALIKE = 0.75
"""Likeness from which on a flag is taken for a misspelt one: `--raet` is 0.75 like `--rate`."""
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
    if name.isprintable() and ("://" in name or re.fullmatch(r"[\w.-]+:\d+(/.*)?", name)):
        hint = f"httpdyno load {shlex.quote(name)}"
    elif nearest:
        hint = f"did you mean `{nearest[0]}`? `httpdyno {nearest[0]} --help` shows its flags"
    else:
        hint = "httpdyno --help"
    expected = ", ".join(f"`{verb}`" for verb in VERBS)
    said = f"`{printable(name)}` is not a verb of httpdyno: expected one of {expected}"
    return UsageError(said, hint=hint)


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


def called(arguments: Sequence[str]) -> int:
    """Run the verb that the arguments name; its exit code."""
    try:
        with command().make_context("httpdyno", list(arguments)) as context:
            answer = context.command.invoke(context)
        return answer if isinstance(answer, int) else ExitCode.OK
    except typer.Exit as left:
        return left.exit_code
    except typer.Abort:
        return ExitCode.INTERRUPTED
    except typer.TyperException as misused:
        _raise_foreign(arguments)
        return _misused(misused, arguments)
    except UsageError:
        _raise_foreign(arguments)  # `-duration=5s` is read as `-d uration=5s`
        raise


def _misused(misused: typer.TyperException, arguments: Sequence[str]) -> int:
    """Shows help for a call without arguments. Raises UsageError with what the parser found."""
    if type(misused).__name__ == "NoArgsIsHelpError":
        typer.echo(misused.format_message())
        return ExitCode.OK
    context = getattr(misused, "ctx", None)
    path = context.command_path if context is not None else "httpdyno"
    faults = Faults(f"{path} --help")
    _add_misuse(faults, misused, path, arguments)
    faults.raise_any()
    return ExitCode.USAGE


def _add_misuse(faults: Faults, misused: Any, path: str, arguments: Sequence[str]) -> None:
    if type(misused).__name__ == "NoSuchOption":
        return _add_unknown_flag(faults, misused, path, arguments)
    sentence = misused.format_message().rstrip(".")
    if any(word.startswith(_VALUES_WITH_SPACES) for word in arguments):
        # A credential that was not quoted: `-H Authorization: Bearer …`.
        sentence = _EXTRA.sub(
            "unexpected arguments: expected quotes around a value with spaces,"
            " such as `-H 'NAME: VALUE'`",
            sentence,
        )
    return faults.add(sentence[:1].lower() + sentence[1:])


def _add_unknown_flag(faults: Faults, misused: Any, path: str, arguments: Sequence[str]) -> None:
    """Adds the fault. With a misspelt flag of `load`, raises UsageError with all of the command
    line's faults."""
    flag = misused.option_name
    if (words := neighbour(path, flag, arguments)) is not None:
        faults.add(f"`{flag}` is not a flag of `{path}`: {words}")
        return
    meant = next((one for one in misused.possibilities or () if _is_alike(flag, one)), None)
    faults.add(
        f"`{flag}` is not a flag of `{path}`" + (f": did you mean `{meant}`?" if meant else "")
    )
    if arguments[0] != "load" or meant is None or "--help" in (meant, *arguments):
        return  # `sweep load` has rates in place of a rate
    corrected = [re.sub(f"^{re.escape(flag)}(?==|$)", meant, word) for word in arguments]
    load = importlib.import_module("httpdyno.cli.load.verb")
    try:
        load.report_faults(corrected[1:], faults)
    except typer.TyperException as another:
        _add_misuse(faults, another, path, corrected)


def _is_alike(given: str, flag: str) -> bool:
    """True for a misspelt flag, and for its beginning."""
    ours, theirs = flag.strip("-"), given.strip("-")
    likeness = difflib.SequenceMatcher(None, theirs, ours).ratio()
    return likeness >= _ALIKE or ours.startswith(theirs)


def _raise_foreign(arguments: Sequence[str]) -> None:
    """Raises UsageError with the options of other load generators, if there are any."""
    if list(arguments[:1]) != ["load"] or "--help" in arguments:
        return
    found = command()
    with found.make_context("httpdyno", ["load"], resilient_parsing=True) as context:
        options = [
            one for one in found.get_command(context, "load").params if one.opts[0][0] == "-"
        ]
    own = {name for option in options for name in option.opts}
    valued = {name for option in options if not option.is_flag for name in option.opts}
    faults = Faults("httpdyno load --help")
    sentences = list(foreign(arguments[1:], own, valued))
    for sentence in sentences:
        faults.add(sentence)
    if sentences:
        faults.raise_any()
