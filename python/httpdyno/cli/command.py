"""Verbs as commands of Click: their flags, their help, and groups of them.

A verb is a function. Its parameters are flags and arguments by their annotations (`flags.py`); a
parameter that is a dataclass stands for those of its fields.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import click

from httpdyno.cli.flags import Argument, Complete, Flag, flag_of
from httpdyno.errors import UsageError
from httpdyno.output.printable import printable

__all__ = ["Command", "Group", "by_heading", "command_of"]

F = TypeVar("F", bound=Callable[..., Any])


class Command(click.Command):
    """A verb whose `--help` shows its flags under the headings they were declared with."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the words. Raises UsageError of Click, with the verb that it is about."""
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as misused:
            misused.ctx = misused.ctx or ctx
            raise

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the flags by heading."""
        for heading, records in by_heading(self, ctx).items():
            with formatter.section(heading):
                formatter.write_dl(records, col_max=32)

    def format_arguments(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write nothing: the arguments are among the flags, under a heading of their own."""


def by_heading(command: click.Command, context: click.Context) -> dict[str, list[tuple[str, str]]]:
    """The arguments and flags of a command by their headings, in the order of their declaration,
    each with its help."""
    headings: dict[str, list[tuple[str, str]]] = {}
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None:
            headings.setdefault(getattr(parameter, "heading", "Options"), []).append(record)
    return headings


class Group(click.Group):
    """Verbs under one name, in the order of their declaration; alone, it shows its help."""

    def __init__(self, about: str, **more: Any) -> None:
        super().__init__(help=inspect.cleandoc(about), **more)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the verbs."""
        return list(self.commands)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
        """The verb with this name. Raises UsageError, with the nearest name, if there is none."""
        found = super().get_command(ctx, cmd_name)
        if found is not None:
            return found
        path, known = ctx.command_path, [one for one in self.commands.values() if not one.hidden]
        names = [one.name or "" for one in known]
        nearest = difflib.get_close_matches(cmd_name, names, n=1)
        meant = f"did you mean `{nearest[0]}`? " if nearest else ""
        expected = " or ".join(f"`{name}`" for name in names)
        raise UsageError(
            f"`{printable(cmd_name)}` is not a verb of `{path}`: expected {expected}",
            hint=f"{meant}`{path} --help` shows them" if meant else f"{path} --help",
        )

    def verb(self, name: str | None = None, **more: Any) -> Callable[[F], F]:
        """Declares a function as a verb of this group; it stays a function."""

        def declare(function: F) -> F:
            self.add_command(command_of(function, name or function.__name__, **more))
            return function

        return declare


def command_of(
    verb: Callable[..., Any], name: str, kind: type[Command] = Command, **more: Any
) -> Command:
    """The command that calls a verb; `more` are settings of Click."""
    hints = get_type_hints(verb, include_extras=True)
    parameters: list[click.Parameter] = []
    groups: dict[str, Any] = {}
    for one in inspect.signature(verb).parameters.values():
        hint = hints[one.name]
        if is_dataclass(hint):
            groups[one.name] = hint
            parameters += _fields(hint)
        else:
            missing = one.default is inspect.Parameter.empty
            parameters.append(_parameter(one.name, hint, MISSING if missing else one.default))

    def call_verb(**given: Any) -> Any:
        for group, made in groups.items():
            given[group] = made(**{one.name: given.pop(one.name) for one in fields(made)})
        return verb(**given)

    return kind(name, callback=call_verb, params=parameters, help=inspect.getdoc(verb), **more)


class _Option(click.Option):
    """A flag, with its heading."""

    def __init__(self, name: str, flag: Flag, **more: Any) -> None:
        super().__init__([name, *flag.names], help=flag.about, metavar=flag.metavar, **more)
        self.heading = flag.heading or "Options"


class _Argument(click.Argument):
    """An argument, which is shown as it was named."""

    heading = "Arguments"

    def __init__(self, name: str, argument: Argument, **more: Any) -> None:
        super().__init__([name], metavar=argument.metavar, **more)
        self.help = argument.about

    def get_usage_pieces(self, ctx: click.Context) -> list[str]:
        """`A`, `[URL]` or `FILE...`."""
        name = self.human_readable_name
        return [(name if self.required else f"[{name}]") + ("..." if self.nargs < 0 else "")]

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:
        """The name, and what it is."""
        return self.human_readable_name, f"{self.help}" + ("  [required]" if self.required else "")


def _fields(kind: Any) -> Iterator[click.Parameter]:
    """The fields of a dataclass, each with its flag."""
    hints = get_type_hints(kind, include_extras=True)
    for one in fields(kind):
        default = one.default if one.default_factory is MISSING else one.default_factory()
        yield _parameter(one.name, hints[one.name], default, flag_of(one))


def _parameter(name: str, hint: Any, default: Any, flag: Flag | None = None) -> click.Parameter:
    """A flag or an argument by its annotation; `default` is `MISSING` where it is required."""
    kind, declared = (hint, flag) if flag is not None else get_args(hint)[:2]
    if isinstance(kind, UnionType):
        (kind,) = (one for one in get_args(kind) if one is not NoneType)
    is_list = get_origin(kind) is list
    given: dict[str, Any] = {
        "type": get_args(kind)[0] if is_list else kind,
        "required": default is MISSING,
        "shell_complete": _completing(declared.complete),
    }
    if is_list:
        given["callback"] = lambda _context, _parameter, values: list(values) or default
    elif default is not MISSING:
        given["default"] = default
    if isinstance(declared, Argument):
        return _Argument(name, declared, nargs=-1 if is_list else 1, **given)
    return _Option(name, declared, multiple=is_list, is_flag=kind is bool or None, **given)


def _completing(complete: Complete | None) -> Any:
    if complete is None:
        return None
    return lambda _context, _parameter, incomplete: complete(incomplete)
