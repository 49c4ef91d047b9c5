"""The grammar of httperf's command line: options of getopt_long, abbreviated while unique."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

__all__ = ["OPTIONS", "Words", "split"]

Takes = Literal["nothing", "value", "perhaps"]
"""The value of an option: nothing, a value, or a value only after `=`."""

_RELEASED: dict[str, Takes] = {
    "add-header": "value",
    "burst-length": "value",
    "client": "value",
    "close-with-reset": "nothing",
    "debug": "value",
    "failure-status": "value",
    "help": "nothing",
    "hog": "nothing",
    "http-version": "value",
    "max-connections": "value",
    "max-piped-calls": "value",
    "method": "value",
    "no-host-hdr": "nothing",
    "num-calls": "value",
    "num-conns": "value",
    "period": "value",
    "port": "value",
    "print-reply": "perhaps",
    "print-request": "perhaps",
    "rate": "value",
    "recv-buffer": "value",
    "retry-on-failure": "nothing",
    "send-buffer": "value",
    "server": "value",
    "server-name": "value",
    "session-cookies": "nothing",
    "ssl": "nothing",
    "ssl-ciphers": "value",
    "ssl-no-reuse": "nothing",
    "think-timeout": "value",
    "timeout": "value",
    "uri": "value",
    "verbose": "nothing",
    "version": "nothing",
    "wlog": "value",
    "wsess": "value",
    "wsesslog": "value",
    "wsesspage": "value",
    "wset": "value",
}
"""The options of httperf 0.9.0."""
_LATER: dict[str, Takes] = {
    "add-header-file": "value",
    "myaddr": "value",
    "periodic-stats": "nothing",
    "runtime": "value",
    "servers": "value",
    "ssl-ca-file": "value",
    "ssl-ca-path": "value",
    "ssl-certificate": "value",
    "ssl-key": "value",
    "ssl-protocol": "value",
    "ssl-verify": "perhaps",
    "tls-server-name": "value",
    "use-timer-cache": "nothing",
    "verdict": "nothing",
}
"""Options of httperf's later sources, and `--verdict`, which is httpdyno's own."""
OPTIONS: dict[str, Takes] = {**_RELEASED, **_LATER}
_LETTERS = {
    "d": "debug",
    "h": "help",
    "n": "periodic-stats",
    "v": "verbose",
    "V": "version",
}


@dataclass
class Words:
    """A command line as options with their values, in their order."""

    options: list[tuple[str, str | None]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    """The arguments that the grammar does not know."""


def split(arguments: Sequence[str]) -> Words:
    """Split a command line into options and values."""
    found = Words()
    words = iter(arguments)
    for word in words:
        if word == "--":
            found.faults += [_extra(rest) for rest in words]
        elif word.startswith("--"):
            _long(word, words, found)
        elif word.startswith("-") and word != "-":
            _short(word, words, found)
        else:
            found.faults.append(_extra(word))
    return found


def _long(word: str, words: Iterator[str], found: Words) -> None:
    given, equals, text = word[2:].partition("=")
    name = _full_name(given, found)
    if name is None:
        return
    value = text if equals else None
    takes = OPTIONS[name]
    if takes == "nothing" and equals:
        found.faults.append(f"`{word}`: expected `--{name}` without a value")
    elif takes == "value" and value is None:
        value = next(words, None)
        if value is None:
            found.faults.append(f"`{word}`: expected a value after it")
            return
    found.options.append((name, value))


def _full_name(given: str, found: Words) -> str | None:
    """The option that a name or its beginning stands for; None: a fault."""
    if given in OPTIONS:
        return given
    names = [name for name in OPTIONS if name.startswith(given)]
    # A script's abbreviation that was unique in 0.9.0 means what it meant there.
    released = [name for name in names if name in _RELEASED]
    if len(released) == 1 or len(names) == 1:
        return (released or names)[0]
    if names:
        choice = ", ".join(f"`--{name}`" for name in sorted(names))
        found.faults.append(f"`--{given}` is ambiguous: expected one of {choice}")
    else:
        other = "; `httpdyno load URL --on hosts.toml` sends from several machines"
        found.faults.append(
            f"`--{given}` is not an option of httperf{other if given == 'on' else ''}"
        )
    return None


def _short(word: str, words: Iterator[str], found: Words) -> None:
    """Options of one letter, which may stand together: `-vv`, `-vn`."""
    for place, letter in enumerate(word[1:], start=2):
        name = _LETTERS.get(letter)
        if name is None:
            found.faults.append(f"`-{letter}` in `{word}` is not an option of httperf")
            continue
        if OPTIONS[name] != "value":
            found.options.append((name, None))
            continue
        value = word[place:] or next(words, None)
        if value is None:
            found.faults.append(f"`{word}`: expected a value after it")
        else:
            found.options.append((name, value))
        return


def _extra(word: str) -> str:
    return f"`{word}` belongs to no option: expected options only, such as `--server=HOST`"
