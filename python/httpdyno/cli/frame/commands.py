"""The frame of the command line in Click: the verbs, their help, and errors of the flag parser."""

from __future__ import annotations

import difflib
import importlib
import re
import shlex
from collections.abc import Sequence

import click

from httpdyno import __version__
from httpdyno.cli.command import Group, command_of
from httpdyno.cli.faults import Faults
from httpdyno.cli.frame.foreign import foreign
from httpdyno.cli.frame.neighbours import neighbour
from httpdyno.cli.frame.verbs import VERBS
from httpdyno.errors import ExitCode, UsageError
from httpdyno.output.echo import echo
from httpdyno.output.printable import printable

__all__ = ["Verbs", "call", "command"]

_VALUES_WITH_SPACES = (
    "-H",
    "--header",
    "--body",
    "--data",
    "--json-body",
    "--message",
    "--expect-message",
    "--cookie",
    "-u",
    "--user",
)
_ALIKE = 0.75
"""Likeness from which on a flag is taken for a misspelt one: `--raet` is 0.75 like `--rate`."""
_EXTRA = re.compile(r"Got unexpected extra argument\S* \(.*\)", re.DOTALL)


class Verbs(Group):
    """The verbs of `httpdyno`, each imported on use."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the verbs, in the order of the help."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
        """The verb with this name. Raises UsageError, with the nearest name, if there is none."""
        if cmd_name not in VERBS:
            raise _unknown_verb(cmd_name)
        verb = VERBS[cmd_name]
        found = getattr(importlib.import_module(f"httpdyno.cli.{verb.module}"), verb.attribute)
        return found if isinstance(found, click.Command) else command_of(found, cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table of verbs, without importing any."""
        with formatter.section("Verbs"):
            formatter.write_dl([(name, verb.summary) for name, verb in VERBS.items()])


def _unknown_verb(name: str) -> UsageError:
    nearest = difflib.get_close_matches(name, VERBS, n=1)
    if name.isprintable() and ("://" in name or re.fullmatch(r"[\w.-]+:\d+(/.*)?", name)):
        hint = f"httpdyno load {shlex.quote(name)}"
    elif nearest:
        hint = f"did you mean `{nearest[0]}`? `httpdyno {nearest[0]} --help` shows its flags"
    else:
        hint = "httpdyno --help"
    expected = ", ".join(f"`{verb}`" for verb in VERBS)
    message = f"`{printable(name)}` is not a verb of httpdyno: expected one of {expected}"
    return UsageError(message, hint=hint)


_ABOUT = """A dynamometer for web servers: curves, intervals and verdicts, not single numbers.

\b
httpdyno load http://localhost:8080/hello    put a URL under load for 10 seconds
httpdyno run demo                       compare two servers and write a report
httpdyno VERB --help                    a verb's flags, with examples
"""


def command() -> Verbs:
    """The whole command line as one command object."""
    version = click.Option(
        ["--version"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_show_version,
        help="Show the version",
    )
    return Verbs(_ABOUT, params=[version], subcommand_metavar="VERB [FLAGS]")


def _show_version(context: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if wanted:
        echo(f"httpdyno {__version__}")
        context.exit()


def call(arguments: Sequence[str]) -> int:
    """Run the verb that the arguments name; its exit code."""
    try:
        with command().make_context("httpdyno", list(arguments)) as context:
            answer = context.command.invoke(context)
        return answer if isinstance(answer, int) else ExitCode.OK
    except click.exceptions.Exit as left:
        return left.exit_code
    except click.Abort:
        return ExitCode.INTERRUPTED
    except click.ClickException as misused:
        _raise_foreign(arguments)
        return _show_misuse(misused, arguments)
    except UsageError:
        _raise_foreign(arguments)  # `-duration=5s` is read as `-d uration=5s`
        raise


def _show_misuse(misused: click.ClickException, arguments: Sequence[str]) -> int:
    """Shows help for a call without arguments. Raises UsageError with what the parser found."""
    if isinstance(misused, click.exceptions.NoArgsIsHelpError):
        echo(misused.format_message())
        return ExitCode.OK
    context = getattr(misused, "ctx", None)
    path = context.command_path if context is not None else "httpdyno"
    faults = Faults(f"{path} --help")
    _add_misuse(faults, misused, path, arguments)
    faults.raise_any()
    return ExitCode.USAGE


def _add_misuse(
    faults: Faults, misused: click.ClickException, path: str, arguments: Sequence[str]
) -> None:
    if isinstance(misused, click.NoSuchOption):
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


def _add_unknown_flag(
    faults: Faults, misused: click.NoSuchOption, path: str, arguments: Sequence[str]
) -> None:
    """Adds the fault. With a misspelt flag of `load`, raises UsageError with all of the command
    line's faults."""
    flag = misused.option_name
    if (words := neighbour(path, flag, arguments)) is not None:
        faults.add(f"`{flag}` is not a flag of `{path}`: {words}")
        return
    meant = _similar_flag(misused)
    faults.add(
        f"`{flag}` is not a flag of `{path}`" + (f": did you mean `{meant}`?" if meant else "")
    )
    if arguments[0] != "load" or meant is None or "--help" in (meant, *arguments):
        return  # `sweep load` has rates in place of a rate
    corrected = [re.sub(f"^{re.escape(flag)}(?==|$)", meant, word) for word in arguments]
    load = importlib.import_module("httpdyno.cli.load.run")
    try:
        load.report_faults(corrected[1:], faults)
    except click.ClickException as another:
        _add_misuse(faults, another, path, corrected)


def _similar_flag(misused: click.NoSuchOption) -> str | None:
    """The flag that was misspelt, or the only one with this beginning; None: there is none."""
    given = misused.option_name
    alike = (one for one in misused.possibilities or () if _is_alike(given, one))
    options = misused.ctx.command.params if misused.ctx is not None else []
    known = [name for one in options for name in (*one.opts, *one.secondary_opts)]
    begun = [name for name in known if given.startswith("--") and name.startswith(given)]
    return next(alike, begun[0] if len(begun) == 1 else None)


def _is_alike(given: str, flag: str) -> bool:
    """True for a misspelt flag."""
    ours, theirs = flag.strip("-"), given.strip("-")
    return difflib.SequenceMatcher(None, theirs, ours).ratio() >= _ALIKE


def _raise_foreign(arguments: Sequence[str]) -> None:
    """Raises UsageError with the options of other load generators, if there are any."""
    if list(arguments[:1]) != ["load"] or "--help" in arguments:
        return
    frame = command()
    load = frame.get_command(click.Context(frame), "load")
    options = [one for one in load.params if isinstance(one, click.Option)]
    own = {name for option in options for name in option.opts}
    valued = {name for option in options if not option.is_flag for name in option.opts}
    faults = Faults("httpdyno load --help")
    sentences = list(foreign(arguments[1:], own, valued))
    for sentence in sentences:
        faults.add(sentence)
    if sentences:
        faults.raise_any()
