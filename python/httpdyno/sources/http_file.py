"""Reads `.http` files, as VS Code's REST Client and the editors of JetBrains have them.

    @host = http://localhost:3000

    ### order
    POST {{host}}/orders HTTP/1.1
    Content-Type: application/json

    {"item": 1}

Requests stand between lines `###`. Scripts and stored replies of JetBrains are left out, with a
note. A variable that the file does not define is a fault.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from httpdyno.address import Address
from httpdyno.sources.request import (
    Header,
    Source,
    SourceError,
    SourceRequest,
    encode_path,
    kept_headers,
    server_and_path,
)

__all__ = ["read_http_file"]

MOST_REQUESTS = 10_000
_DEEPEST = 20
"""The most variables in the values of variables."""
_LONGEST = 1_000_000
_SEPARATOR = re.compile(r"###+[ \t]*(.*)")
_VARIABLE = re.compile(r"@([\w.-]+)\s*=\s*(.*)")
_USE = re.compile(r"\{\{\s*([^{}]*?)\s*\}\}")
_OF_ENVIRONMENT = re.compile(r"\$(?:processEnv|dotenv)\s+%?([A-Za-z_]\w*)", re.ASCII)
_NAME = re.compile(r"(?:#|//)\s*@name\s+(.+)")
_LINE = re.compile(r"(?:([A-Z]+)[ \t]+)?(\S.*?)(?:[ \t]+HTTP/[0-9.]+)?")
_HEADER = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*:[ \t]*(.*)")
_SCRIPTS = "the scripts and stored replies of the file are left out"


@dataclass
class _Part:
    """The lines of one request, each with its number."""

    name: str | None
    lines: list[tuple[int, str]] = field(default_factory=list)
    began: bool = False
    in_body: bool = False
    """True after the blank line that ends the headers."""

    def add(self, number: int, line: str) -> None:
        self.lines.append((number, line))
        if not line.strip():
            self.in_body = self.began
        elif not line.startswith(("#", "//")):
            self.began = True


def read_http_file(text: str, folder: Path = Path()) -> Source:
    """The requests of a file in this folder. Raises SourceError with the line of the first
    fault."""
    parts, variables = _parts(text)
    notes: dict[str, None] = {}
    found = []
    for part in parts:
        reader = _Reader(variables, folder, notes)
        if (request := reader.read(part)) is not None:
            found.append(request)
        if len(found) > MOST_REQUESTS:
            raise SourceError(f"expected at most {MOST_REQUESTS:,} requests")
    if not found:
        raise SourceError("no request: expected a line such as `GET http://localhost:3000/`")
    return Source(found, list(notes))


def _parts(text: str) -> tuple[list[_Part], dict[str, str]]:
    """The requests, and the variables of the whole file: the last value of each."""
    parts, variables = [_Part(None)], {}
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        if (separator := _SEPARATOR.fullmatch(line)) is not None:
            parts.append(_Part(separator[1].strip() or None))
        elif (variable := _VARIABLE.fullmatch(line)) is not None and not parts[-1].in_body:
            variables[variable[1]] = variable[2].strip()
        else:
            parts[-1].add(number, line)
    return parts, variables


@dataclass
class _Reader:
    variables: dict[str, str]
    folder: Path
    notes: dict[str, None]

    def read(self, part: _Part) -> SourceRequest | None:
        """The request of a part; None: it has only comments."""
        lines = self._without_comments(part)
        if not lines:
            return None
        number = lines[0][0]
        try:
            return self._request(part, lines)
        except SourceError as error:
            placed = str(error).startswith("line ")
            raise error if placed else SourceError(f"line {number}: {error}") from None

    def _without_comments(self, part: _Part) -> list[tuple[int, str]]:
        """The lines from the request's first one on."""
        for at, (_, line) in enumerate(part.lines):
            if (name := _NAME.fullmatch(line.strip())) is not None:
                part.name = name[1].strip()
            elif line.startswith(("< ", "<{")):
                self.notes[_SCRIPTS] = None
                end = next((n for n, (_, one) in enumerate(part.lines) if "%}" in one), at)
                part.lines = part.lines[max(end, at) + 1 :]
                return self._without_comments(part)
            elif line.strip() and not line.lstrip().startswith(("#", "//")):
                return part.lines[at:]
        return []

    def _request(self, part: _Part, lines: list[tuple[int, str]]) -> SourceRequest:
        number, first = lines[0]
        at = 1
        while at < len(lines) and re.match(r"[ \t]+[?&/]", lines[at][1]):
            first += lines[at][1].strip()
            at += 1
        match = _LINE.fullmatch(self._head(number, first))
        if match is None:
            raise SourceError(f"line {number}: expected a request such as `GET http://h/`")
        headers, at = self._headers(lines, at)
        body, body_file = self._body(lines[at:], headers)
        url, path = self._locate(match[2], headers)
        has_body = body is not None or body_file is not None
        method = match[1] or ("POST" if has_body else "GET")
        kept = kept_headers(headers)
        return SourceRequest(url, path, method, kept, body, body_file, name=part.name)

    def _locate(self, text: str, headers: list[Header]) -> tuple[Address | None, str]:
        """The server and the path of a URL, or of a path and the header `Host`."""
        if not text.startswith("/"):
            return server_and_path(text)
        host = next((value for name, value in headers if name.lower() == "host"), None)
        return (None, encode_path(text)) if host is None else server_and_path(host + text)

    def _headers(self, lines: list[tuple[int, str]], at: int) -> tuple[list[Header], int]:
        found: list[Header] = []
        while at < len(lines) and lines[at][1].strip():
            number, line = lines[at]
            at += 1
            if line.startswith(("#", "//")):
                continue
            match = _HEADER.fullmatch(self._head(number, line))
            if match is None:
                raise SourceError(f"line {number}: expected a header `NAME: VALUE` or a blank line")
            if match[2]:
                found.append((match[1], match[2]))
        return found, at + 1

    def _body(
        self, lines: list[tuple[int, str]], headers: list[Header]
    ) -> tuple[str | None, str | None]:
        """The body as text, or its file."""
        kept: list[tuple[int, str]] = []
        for number, line in lines:
            if line.startswith(("> ", ">> ", ">>! ", "<> ")) or line.strip() == ">":
                self.notes[_SCRIPTS] = None
                break
            kept.append((number, line))
        while kept and not kept[-1][1].strip():
            kept.pop()
        if not kept:
            return None, None
        number, line = kept[0]
        if line.startswith(("< ", "<@ ")) and len(kept) == 1:
            name = self._fill(number, line.partition(" ")[2]).strip()
            file = (self.folder / name).absolute()
            if not file.is_file():
                raise SourceError(f"line {number}: `{name}` is not a file: expected that of a body")
            return None, str(file)
        media_type = next((v for n, v in headers if n.lower() == "content-type"), "")
        is_form = media_type.startswith("application/x-www-form-urlencoded")
        filled = [self._fill(number, line) for number, line in kept]
        return ("".join(map(str.strip, filled)) if is_form else "\n".join(filled)), None

    def _fill(self, number: int, line: str) -> str:
        """A line with the values of its variables. Raises SourceError."""
        for _ in range(_DEEPEST):
            if "{{" not in line:
                return line
            filled = _USE.sub(lambda use: self._value(number, use[1]), line)
            if filled == line:
                return line
            line = filled
            if len(line) > _LONGEST:
                break
        raise SourceError(f"line {number}: its variables need each other, or are too long")

    def _head(self, number: int, line: str) -> str:
        """A line of the head with its values. Raises SourceError for one that names a variable of
        the environment in another way than these files do."""
        if "${" in line:
            raise SourceError(
                f"line {number}: `${{NAME}}` would send a variable of the environment: expected"
                " `{{$processEnv NAME}}`"
            )
        return self._fill(number, line).strip()

    def _value(self, number: int, name: str) -> str:
        if name in self.variables:
            return self.variables[name]
        if (variable := _OF_ENVIRONMENT.fullmatch(name)) is not None:
            return f"${{{variable[1]}}}"
        raise SourceError(
            f"line {number}: `{{{{{name}}}}}` has no value in the file: expected a line"
            f" `@{name.removeprefix('$').split(' ')[0]} = VALUE`"
        )
