"""Flags with fixed values, as shells complete them."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["one_of", "some_of"]


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
