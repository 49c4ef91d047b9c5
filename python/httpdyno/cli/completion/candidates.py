"""The words that may stand in the place of an incomplete one.

It runs at each press of a key, so it imports only the verb that is typed, and reads only names.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

import click

from httpdyno.cli.completion import names
from httpdyno.cli.frame.commands import command

__all__ = ["FILES", "candidates_for", "quote_word", "words_of"]

FILES = ":files"
"""Stands alone: the shell itself completes the name of a file."""

_HIDDEN = "candidates"
_SERVERS = ("servers show", "servers install", "servers check", "servers start")


def candidates_for(words: Sequence[str]) -> list[str]:
    """The words that the last of these may become; they follow the name of the program.

    Empty where nothing is known, such as for a number. `[FILES]` where a file may stand.
    """
    *before, last = words
    flag, equals, begin = last.partition("=")
    if equals and flag.startswith("--"):
        found = candidates_for([*before, flag, begin])
        return found if found == [FILES] else [f"{flag}={one}" for one in found]
    verb: Any = command()
    path: list[str] = []
    while hasattr(verb, "list_commands"):
        known = verb.list_commands(_context(verb))
        if not before:
            return _matching((name for name in known if name != _HIDDEN), last)
        if before[0] not in known:
            return []
        path.append(before.pop(0))
        verb = verb.get_command(_context(verb), path[-1])
    return _of_verb(" ".join(path), verb, before, last)


def words_of(line: str) -> list[str]:
    """The words of an unfinished command line, without its first one; the last may be empty."""
    for closing in ("", "'", '"'):
        with suppress(ValueError):  # a quotation mark is open
            *words, last = shlex.split(f"{line}x{closing}")
            return [*words[1:], last[:-1]]
    return [""]


def quote_word(word: str) -> str:
    """A word as bash and zsh read it."""
    return re.sub(r"([\s'\"$&();|<>*?\\`!#\[\]{}])", r"\\\1", word)


def _context(verb: Any) -> Any:
    return click.Context(verb)


def _matching(found: Iterable[str], begin: str) -> list[str]:
    return [one for one in found if one.startswith(begin)]


def _of_verb(path: str, verb: Any, before: Sequence[str], last: str) -> list[str]:
    parameters = verb.get_params(_context(verb))
    arguments = [one for one in parameters if one.param_type_name == "argument"]
    options = {
        name: one
        for one in parameters
        if one not in arguments
        for name in (*one.opts, *one.secondary_opts)
    }
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
        return _values(path, verb, pending, given, last)
    flags = sorted(name for name in options if name.startswith("--"))
    if path == "sweep" and given:
        inner = candidates_for([*before[before.index(given[0]) :], last])
        return sorted({*_matching(flags, last), *inner}) if last.startswith("-") else inner
    if last.startswith("-"):
        return _matching(flags, last)
    at = min(len(given), len(arguments) - 1)
    if at < 0 or (len(given) > at and arguments[at].nargs == 1):
        return []
    return _values(path, verb, arguments[at], given, last)


def _values(path: str, verb: Any, parameter: Any, given: Sequence[str], last: str) -> list[str]:
    """The values of an option or an argument that are known by name, or the shell's files."""
    declared = [one.value for one in parameter.shell_complete(_context(verb), last)]
    found = declared or _matching(_names(path, parameter, given, last), last)
    return [FILES] if not found and _may_be_a_file(path, parameter, last) else found


def _may_be_a_file(path: str, parameter: Any, last: str) -> bool:
    parts = set(re.split("[|=]", parameter.metavar or ""))
    if parts & _FILES or ("@FILE" in parts and last.startswith("@")):
        return True
    return ("RUN" in parts and path == "publish") or parameter.opts[0] in ("--store", "--unix")


def _names(path: str, parameter: Any, given: Sequence[str], last: str) -> Iterable[str]:
    """Names that the value of an option or an argument may be."""
    metavar, is_option = parameter.metavar or "", parameter.param_type_name == "option"
    if metavar == "STUDY":
        return [*names.studies(), *([] if is_option else names.toml_files(last))]
    if not is_option and (path, metavar) in _OF_RUNS:
        return names.runs()
    if metavar == "ARM" and path == "run" and given:
        return names.arms_of(given[0])
    if metavar.startswith("ARM") or (path == "compare" and metavar in ("A", "B")):
        return names.arms(last)
    if not is_option:
        return names.servers() if path in _SERVERS else []
    return _of_option(path, parameter.opts[0], given, last)


def _of_option(path: str, flag: str, given: Sequence[str], last: str) -> Iterable[str]:
    if flag == "--workload":
        files = names.toml_files(last) if path == "compare" else []
        return [*names.workloads(), *files]
    if flag == "--deployment" and given:
        return [*names.deployments(given[0]), *(["all"] if path == "servers check" else [])]
    if path == "servers list" and flag in _KEYS:
        return names.of_servers(_KEYS[flag])
    if path == "servers list" and flag == "--can":
        return names.abilities()
    return []


_KEYS = {"--language": "language", "--post": "posts", "--tier": "tier"}
"""Filters of `servers list`, and the key of `server.toml` that each compares."""

_FILES = {
    *("FILE", "DIR", "FOLDER", "HOSTS", "RESULT", "FROM", "TO", "A", "B", "C", "CMD", "ARM..."),
}
"""Parts of a metavar that may be a file."""
_OF_RUNS = {
    ("report", "RESULT"),
    ("publish", "RUN"),
    ("runs show", "RUN"),
    ("runs export", "WHAT"),
}
