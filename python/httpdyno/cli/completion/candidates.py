"""The words that may stand in the place of an incomplete one.

It runs at each press of a key, so it imports only the verb that is typed, and reads only names.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import typer

from httpdyno.cli.completion import names
from httpdyno.cli.frame.commands import command

__all__ = ["candidates_for"]

_HIDDEN = "candidates"
_SERVERS = ("servers show", "servers install", "servers check", "servers start")


def candidates_for(words: Sequence[str]) -> list[str]:
    """The words that the last of these may become; they follow the name of the program.

    Empty where it may be anything, such as a number or a file.
    """
    *before, last = words
    verb, path = command(), []
    while hasattr(verb, "list_commands"):
        known = verb.list_commands(_context(verb))
        if not before:
            return _matching((name for name in known if name != _HIDDEN), last)
        if before[0] not in known:
            return []
        path.append(before.pop(0))
        verb = verb.get_command(_context(verb), path[-1])
    return _of_verb(" ".join(path), verb, before, last)


def _context(verb: Any) -> Any:
    return typer.Context(verb)


def _matching(found: Iterable[str], begin: str) -> list[str]:
    return [one for one in found if one.startswith(begin)]


def _of_verb(path: str, verb: Any, before: Sequence[str], last: str) -> list[str]:
    parameters = verb.get_params(_context(verb))
    options = {name: one for one in parameters for name in (*one.opts, *one.secondary_opts)}
    arguments = [one for one in parameters if one.param_type_name == "argument"]
    given: list[str] = []
    words = iter(before)
    pending = None
    for word in words:
        pending = options.get(word)
        if pending is None or pending.is_flag:
            pending = None
            given += [] if word.startswith("-") else [word]
        elif next(words, None) is not None:
            pending = None
    if pending is not None:
        return _values(path, pending, given, last)
    if last.startswith("-"):
        return sorted(_matching((name for name in options if name.startswith("--")), last))
    at = min(len(given), len(arguments) - 1)
    if at < 0 or (len(given) > at and arguments[at].nargs == 1):
        return []
    return _values(path, arguments[at], given, last)


def _values(path: str, parameter: Any, given: Sequence[str], last: str) -> list[str]:
    """The values of an option or an argument that are known by name."""
    metavar, is_option = parameter.metavar or "", parameter.param_type_name == "option"
    found: Iterable[str] = ()
    if metavar == "STUDY":
        found = names.studies()
    elif not is_option and (path, metavar) in _OF_RUNS:
        found = names.runs()
    elif metavar == "ARM" and path == "run" and given:
        found = names.arms_of(given[0])
    elif metavar.startswith("ARM") or (path == "compare" and metavar in ("A", "B")):
        found = names.arms(last)
    elif not is_option and path in _SERVERS:
        found = names.servers()
    elif "--workload" in parameter.opts:
        found = names.workloads()
    return _matching(found, last)


_OF_RUNS = {
    ("report", "RESULT"),
    ("publish", "RUN"),
    ("runs show", "RUN"),
    ("runs export", "WHAT"),
}
