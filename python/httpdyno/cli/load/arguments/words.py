"""The words of a command line as the flags of `httpdyno load`."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any, get_type_hints

import typer
from typer.main import get_command

from httpdyno.cli.help import VerbCommand
from httpdyno.cli.load.arguments.flags import LoadFlags

__all__ = ["SIGNATURE", "flags_of"]


def _signature() -> inspect.Signature:
    """The flags as the parameters of a function, which is where Typer looks for them."""
    hints = get_type_hints(LoadFlags, include_extras=True)
    parameters = inspect.signature(LoadFlags).parameters.values()
    fields = LoadFlags.__dataclass_fields__
    return inspect.Signature(
        [
            parameter.replace(
                kind=inspect.Parameter.KEYWORD_ONLY,
                annotation=hints[parameter.name],
                default=_default(fields[parameter.name], parameter),
            )
            for parameter in parameters
        ]
    )


def _default(field: Any, parameter: inspect.Parameter) -> Any:
    return field.default_factory() if callable(field.default_factory) else parameter.default


SIGNATURE = _signature()


def flags_of(words: Sequence[str]) -> LoadFlags:
    """The flags in these words. Raises TyperException for words that are none."""

    def read(**given: Any) -> Any:
        return LoadFlags(**given)

    read.__signature__ = SIGNATURE  # type: ignore[attr-defined]
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(cls=VerbCommand)(read)
    command = get_command(app)
    parent = typer.Context(command, info_name="httpdyno")
    with command.make_context("load", list(words), parent=parent) as context:
        flags: LoadFlags = context.command.invoke(context)
        return flags
