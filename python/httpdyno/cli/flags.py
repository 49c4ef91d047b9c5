"""Flags, as annotations of a verb's parameters or as the fields of a dataclass that it takes.

A field is a flag by its maker (`text`, `texts`, `switch`) or by an annotation. Values stay text, so
that a verb reports all faults at once.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import MISSING, field, fields, is_dataclass
from functools import wraps
from typing import Annotated, Any, TypeVar, get_type_hints

import typer

__all__ = ["one_of", "option", "some_of", "switch", "text", "texts", "with_flags"]

R = TypeVar("R")

_OPTION = "option"
"""The key of a field's metadata that has its option in Typer."""


def one_of(*choices: str) -> Callable[[str], list[str]]:
    """The `autocompletion` of a flag that takes one of these."""

    def complete(incomplete: str) -> list[str]:
        return [one for one in choices if one.startswith(incomplete)]

    return complete


def some_of(*choices: str) -> Callable[[str], list[str]]:
    """The `autocompletion` of a flag that takes several of these, with commas between them."""

    def complete(incomplete: str) -> list[str]:
        given, comma, last = incomplete.rpartition(",")
        rest = [one for one in choices if one not in given.split(",")]
        return [f"{given}{comma}{one}" for one in rest if one.startswith(last)]

    return complete


def option(
    flag: str,
    about: str,
    heading: str | None = None,
    *,
    short: str | None = None,
    choices: Sequence[str] = (),
    complete: Callable[[str], list[str]] | None = None,
) -> Any:
    """A flag as an annotation, with its value as the help shows it: `--timeout TIME`.

    `choices`: the values that a shell completes, unless `complete` finds them.
    """
    name, _, metavar = flag.partition(" ")
    return typer.Option(
        name,
        *([] if short is None else [short]),
        metavar=metavar or None,
        help=about,
        rich_help_panel=heading,
        show_default=False,
        autocompletion=one_of(*choices) if choices else complete,
    )


def text(flag: str, about: str, *more: Any, default: str | None = None, **named: Any) -> Any:
    """A field with a flag that has a value; further arguments are those of `option`."""
    return field(default=default, metadata={_OPTION: option(flag, about, *more, **named)})


def texts(flag: str, about: str, *more: Any, **named: Any) -> Any:
    """A field with a flag that has a value and can be repeated."""
    return field(default_factory=list, metadata={_OPTION: option(flag, about, *more, **named)})


def switch(flag: str, about: str, *more: Any, **named: Any) -> Any:
    """A field with a flag that has no value."""
    return field(default=False, metadata={_OPTION: option(flag, about, *more, **named)})


def with_flags(verb: Callable[..., R]) -> Callable[..., R]:
    """The verb as Typer calls it: the flags of a parameter that is a dataclass in its place."""
    hints = get_type_hints(verb, include_extras=True)
    declared = inspect.signature(verb).parameters
    groups: dict[str, Any] = {name: hints[name] for name in declared if is_dataclass(hints[name])}

    @wraps(verb)
    def called(**given: Any) -> R:
        for name, kind in groups.items():
            given[name] = kind(**{one.name: given.pop(one.name) for one in fields(kind)})
        return verb(**given)

    parameters: list[inspect.Parameter] = []
    for parameter in declared.values():
        if parameter.name in groups:
            parameters += _parameters(groups[parameter.name])
        else:
            hint = hints[parameter.name]
            keyword = inspect.Parameter.KEYWORD_ONLY
            parameters.append(parameter.replace(kind=keyword, annotation=hint))
    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return called


def _parameters(kind: Any) -> Iterator[inspect.Parameter]:
    """The fields of a dataclass as parameters of a function, which is where Typer looks."""
    hints = get_type_hints(kind, include_extras=True)
    for one in fields(kind):
        hint, flag = hints[one.name], one.metadata.get(_OPTION)
        default = one.default if one.default_factory is MISSING else one.default_factory()
        yield inspect.Parameter(
            one.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if default is MISSING else default,
            annotation=hint if flag is None else Annotated[hint, flag],
        )
