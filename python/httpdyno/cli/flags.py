"""Flags and arguments, as annotations of a verb's parameters or of the fields of a dataclass.

A field is a flag by its maker (`text`, `texts`, `switch`) or by an annotation. Values stay text, so
that a verb reports all faults at once. `cli/command.py` makes a command of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import Field, dataclass, field
from typing import Any

__all__ = [
    "Argument",
    "Complete",
    "Flag",
    "argument",
    "flag_of",
    "one_of",
    "option",
    "some_of",
    "switch",
    "text",
    "texts",
]

Complete = Callable[[str], list[str]]
"""The values that an incomplete one may become."""

_FLAG = "flag"
"""The key of a field's metadata that has its flag."""


@dataclass(frozen=True)
class Flag:
    """A flag of a verb: `-t, --timeout TIME`."""

    names: Sequence[str]
    about: str
    metavar: str | None
    heading: str | None
    complete: Complete | None


@dataclass(frozen=True)
class Argument:
    """A word of a verb that no flag stands before."""

    metavar: str
    about: str
    complete: Complete | None


def one_of(*choices: str) -> Complete:
    """The `complete` of a flag that takes one of these."""

    def complete(incomplete: str) -> list[str]:
        return [one for one in choices if one.startswith(incomplete)]

    return complete


def some_of(*choices: str) -> Complete:
    """The `complete` of a flag that takes several of these, with commas between them."""

    def complete(incomplete: str) -> list[str]:
        given, comma, last = incomplete.rpartition(",")
        rest = [one for one in choices if one not in given.split(",")]
        return [f"{given}{comma}{one}" for one in rest if one.startswith(last)]

    return complete


def argument(metavar: str, about: str, *, complete: Complete | None = None) -> Argument:
    """An argument as an annotation, with the name that the help shows. It is required, unless the
    parameter has a default."""
    return Argument(metavar, about, complete)


def option(
    flag: str,
    about: str,
    heading: str | None = None,
    *,
    short: str | None = None,
    choices: Sequence[str] = (),
    complete: Complete | None = None,
) -> Flag:
    """A flag as an annotation, with its value as the help shows it: `--timeout TIME`.

    `choices`: the values that a shell completes, unless `complete` finds them.
    """
    name, _, metavar = flag.partition(" ")
    names = [name] if short is None else [name, short]
    complete = one_of(*choices) if choices else complete
    return Flag(names, about, metavar or None, heading, complete)


def text(flag: str, about: str, *more: Any, default: str | None = None, **named: Any) -> Any:
    """A field with a flag that has a value; further arguments are those of `option`."""
    return field(default=default, metadata={_FLAG: option(flag, about, *more, **named)})


def texts(flag: str, about: str, *more: Any, **named: Any) -> Any:
    """A field with a flag that has a value and can be repeated."""
    return field(default_factory=list, metadata={_FLAG: option(flag, about, *more, **named)})


def switch(flag: str, about: str, *more: Any, **named: Any) -> Any:
    """A field with a flag that has no value."""
    return field(default=False, metadata={_FLAG: option(flag, about, *more, **named)})


def flag_of(one: Field[Any]) -> Flag | None:
    """The flag that a field was made with; None: its annotation has it."""
    return one.metadata.get(_FLAG)
