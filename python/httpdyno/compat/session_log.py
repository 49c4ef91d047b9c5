"""Reads session logs: sessions of requests in bursts, as httperf's `--wsesslog` reads them.

    # two sessions; blank lines separate them
    /index.html think=2
        /style.css
        /logo.png
    /search method=POST contents='q=httpdyno'

    /about.html

A line that begins in the first column begins a burst. Indented lines belong to it: they are sent
together once the reply to its first request is complete. After the URI, in any order: `method=`,
`think=` (seconds after the burst) and `contents=` (the body). A value of `contents=` may be quoted
by ' or "; in it, a backslash escapes: \\n, \\r, \\t, a line end, or the character itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from httpdyno.engine_plan import Script, ScriptStep

__all__ = [
    "METHODS",
    "LoggedBurst",
    "LoggedRequest",
    "Session",
    "SessionLogError",
    "parse_session_log",
    "scripts",
]

METHODS = ("DELETE", "GET", "HEAD", "OPTIONS", "POST", "PUT", "PROPFIND", "REPORT", "TRACE")
MOST_REQUESTS = 100_000
"""In all sessions of a log together."""
LONGEST_THINK_S = 7 * 86_400.0
_MOST_FAULTS = 20
_BLANK = " \t\v\f\r"
_WORD = re.compile(rf"[{_BLANK}]*([^{_BLANK}]+)")
_PLAIN = {"": re.compile(rf"[^\\'\"{_BLANK}]+")} | {
    quote: re.compile(rf"[^\\{quote}]+") for quote in "'\""
}
"""Characters of `contents=` that stand for themselves, behind no quote and behind either."""
_URI = re.compile(r"[!-~]+")
_SECONDS = re.compile(r"([0-9]+(\.[0-9]*)?|\.[0-9]+)(e[+-]?[0-9]{1,3})?", re.IGNORECASE)
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
_KEYS = "expected `method=`, `think=` or `contents=` after the URI"


@dataclass(frozen=True)
class LoggedRequest:
    """One request of a session."""

    uri: str
    """As it is sent."""
    method: str = "GET"
    contents: bytes = b""
    """The body; empty: none."""
    line: int = field(default=0, compare=False)
    """Its line in the log, from 1."""


@dataclass(frozen=True)
class LoggedBurst:
    """A request, and those that are sent together once its reply is complete."""

    requests: tuple[LoggedRequest, ...]
    think_s: float | None = None
    """The pause after the burst; None: the default of the whole load."""


Session = tuple[LoggedBurst, ...]
"""The bursts of a session, in order."""


class SessionLogError(ValueError):
    """The faults of a log, each with its line."""

    def __init__(self, faults: Sequence[str]) -> None:
        super().__init__("; ".join(faults))
        self.faults = tuple(faults)


def parse_session_log(content: bytes) -> list[Session]:
    """The sessions of a log. Raises SessionLogError with its faults, the first 20 of them."""
    log = _Log(content.decode(errors="surrogateescape").split("\n"))
    log.read()
    if not log.sessions and not log.faults:
        log.faults.append("no session: expected a line with a URI such as `/index.html`")
    if log.faults:
        raise SessionLogError(log.faults)
    return [tuple(burst.build() for burst in bursts) for bursts in log.sessions]


def scripts(
    sessions: Sequence[Session], think_s: float
) -> tuple[list[LoggedRequest], list[Script]]:
    """The different requests of the sessions, and the `scripts` of an engine plan over them.

    `think_s` is the pause after bursts that name none.
    """
    places: dict[LoggedRequest, int] = {}

    def step(burst: LoggedBurst) -> ScriptStep:
        return ScriptStep(
            requests=[places.setdefault(one, len(places)) for one in burst.requests],
            think_s=think_s if burst.think_s is None else burst.think_s,
            first_alone=len(burst.requests) > 1,
        )

    steps = [[step(burst) for burst in session] for session in sessions]
    return list(places), steps


@dataclass
class _Burst:
    requests: list[LoggedRequest]
    think_s: float | None = None

    def build(self) -> LoggedBurst:
        return LoggedBurst(tuple(self.requests), self.think_s)


@dataclass
class _Log:
    """A log while it is read, line by line."""

    lines: list[str]
    at: int = 0
    """The line that is read, from 0."""
    count: int = 0
    """Requests so far."""
    sessions: list[list[_Burst]] = field(default_factory=list)
    in_session: bool = False
    faults: list[str] = field(default_factory=list)

    def read(self) -> None:
        while self.at < len(self.lines) and len(self.faults) < _MOST_FAULTS:
            begin = self.at
            try:
                if self.lines[begin]:
                    self._line(self.lines[begin])
                else:
                    self.in_session = False
            except ValueError as wrong:
                self.faults.append(f"line {begin + 1}: {wrong}")
            self.at += 1

    def _line(self, line: str) -> None:
        if line.startswith("#"):
            return
        found = _WORD.match(line)
        if found is None:
            self.in_session = False
            return
        burst = self._burst(indented=line[0] in _BLANK)
        number = self.at + 1
        given = self._parameters(line, found.end(), burst)
        if _URI.fullmatch(found[1]) is None:
            raise ValueError("expected a URI in ASCII; percent-encode other characters")
        self.count += 1
        if self.count > MOST_REQUESTS:
            self.at = len(self.lines)
            raise ValueError(f"expected at most {MOST_REQUESTS:,} requests in all")
        burst.requests.append(LoggedRequest(found[1], **given, line=number))

    def _burst(self, *, indented: bool) -> _Burst:
        """The burst that a line belongs to: a new one, or the one before if it is indented."""
        if not self.in_session:
            self.sessions.append([])
            self.in_session = True
        bursts = self.sessions[-1]
        if not bursts or not indented:
            bursts.append(_Burst([]))
        return bursts[-1]

    def _parameters(self, line: str, place: int, burst: _Burst) -> dict[str, Any]:
        """Read what follows a URI; a later value of the same key counts."""
        given: dict[str, Any] = {}
        while found := _WORD.match(line, place):
            key, equals, value = found[1].partition("=")
            if not equals or not value:
                raise ValueError(_KEYS)
            place = found.end()
            if key == "method":
                given["method"] = _method(value)
            elif key == "think":
                burst.think_s = _seconds(value)
            elif key == "contents":
                text, line, place = self._contents(line, found.start(1) + len(key) + 1)
                given["contents"] = text.encode(errors="surrogateescape")
            else:
                raise ValueError(_KEYS)
        return given

    def _contents(self, line: str, place: int) -> tuple[str, str, int]:
        """The value at this place without its quotes, its last line, and the place after it."""
        value: list[str] = []
        quote = ""
        while place < len(line):
            plain = _PLAIN[quote].match(line, place)
            if plain is not None:
                value.append(plain[0])
                place = plain.end()
                continue
            one = line[place]
            place += 1
            if one == "\\" and line[place : place + 2] in ("", "\r"):
                value.append("\n")
                line, place = self._next_line(), 0
            elif one == "\\":
                value.append(_ESCAPES.get(line[place], line[place]))
                place += 1
            elif one == quote:
                quote = ""
            elif one in _BLANK:
                break
            else:
                quote = one
        if quote:
            raise ValueError(f"`contents=` has no closing {quote}")
        return "".join(value), line, place

    def _next_line(self) -> str:
        self.at += 1
        if self.at == len(self.lines):
            raise ValueError("`contents=` ends with a backslash at the end of the file")
        return self.lines[self.at]


def _method(text: str) -> str:
    if text not in METHODS:
        raise ValueError(f"expected one of the methods {', '.join(METHODS)}")
    return text


def _seconds(text: str) -> float:
    if _SECONDS.fullmatch(text) is None or float(text) > LONGEST_THINK_S:
        raise ValueError("expected `think=` with seconds, such as `think=2.5`, at most a week")
    return float(text)
