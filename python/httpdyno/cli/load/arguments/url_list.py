"""Reads lists of URLs: one per line, or the targets of vegeta in its `http` or `json` format.

    # a comment
    http://localhost:8080/hello
    GET http://localhost:8080/things
    POST http://localhost:8080/things
    Content-Type: application/json
    @thing.json

Headers and a body file belong to the line `METHOD URL` before them; a blank line, a body or the
next URL ends them. All URLs lead to one server.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from httpdyno.cli.faults import UnreadableError
from httpdyno.cli.load.arguments.address import Address, UrlParts, check_url, parse_url_parts
from httpdyno.cli.load.arguments.bodies import body_of_bytes, parse_body
from httpdyno.cli.load.arguments.headers import (
    NAME,
    Header,
    HeaderValueError,
    has,
    parse_header,
)
from httpdyno.engine_plan import Body, Text
from httpdyno.units import counted

__all__ = ["MOST_LISTED", "ListedRequest", "UrlList", "UrlListError", "parse_url_list"]

MOST_LISTED = 100_000
"""As many requests as the engine sends in turn."""
_MOST_FAULTS = 20
_TARGET = re.compile(r"([A-Z][A-Z-]*)\s+(\S+)")
_BEGINS = re.compile(r"https?://|/", re.IGNORECASE)
_PARTS = re.compile(r"(https?://[^/?#]*)(.*)", re.IGNORECASE)
_PATH = re.compile(r"[!-~]+")
_EXPECTED_URL = "expected a URL such as `http://localhost:8080/a`"
_EXPECTED_LINE = f"{_EXPECTED_URL}, or a method before it, such as `GET http://localhost:8080/a`"
_EXPECTED_MORE = "expected a header `NAME: VALUE`, a body `@FILE`, or the next URL"
_EXPECTED_JSON = 'expected a JSON object such as `{"method": "GET", "url": "http://h/"}`'


@dataclass(slots=True)
class ListedRequest:
    """One request of a list."""

    path: str
    method: str | None = None
    """None: that of the command line."""
    headers: list[Header] = field(default_factory=list)
    body: Body | None = None


@dataclass(frozen=True)
class UrlList:
    """The requests of a list, in its order, and the server that they go to."""

    server: Address | None
    """None: it has only paths."""
    requests: list[ListedRequest]


class UrlListError(ValueError):
    """The faults of a list, each with its line."""

    def __init__(self, faults: Sequence[str], unreadable: int = 0) -> None:
        super().__init__("; ".join(faults))
        self.faults = tuple(faults)
        self.only_files = unreadable == len(faults)
        """True if every fault is a file that cannot be read."""


def parse_url_list(
    content: bytes,
    server: Address | None,
    bodies: Path = Path(),
    *,
    needs_server: bool = True,
    names: Sequence[str] = (),
) -> UrlList:
    """The requests of a list. Raises UrlListError with its faults, the first 20 of them.

    `server`: where they must lead, and where paths lead; None: to the server of the first URL.
    `bodies`: the folder that has the files of bodies; without it, the working folder.
    `needs_server`: otherwise it may have only paths. `names`: those that placeholders may have.
    """
    at = None if server is None else replace(server, path="/")
    reader = _Reader(bodies.resolve(), at, needs_server=needs_server, names=names)
    lines = [line.strip() for line in content.decode(errors="surrogateescape").split("\n")]
    first = next((line for line in lines if line and not line.startswith("#")), "")
    read = reader.read_json if first.startswith("{") else reader.read_line
    for number, line in enumerate(lines, 1):
        if line.startswith("#"):
            continue
        try:
            read(number, line)
        except (ValueError, RecursionError) as wrong:
            known = isinstance(wrong, ValueError) and "expected" in str(wrong)
            reader.faults.append(f"line {number}: {wrong if known else _EXPECTED_JSON}")
            reader.unreadable += isinstance(wrong, UnreadableError)
        if len(reader.faults) == _MOST_FAULTS or len(reader.requests) > MOST_LISTED:
            break
    return reader.finish()


@dataclass
class _Reader:
    folder: Path
    server: Address | None
    needs_server: bool
    names: Sequence[str]
    requests: list[ListedRequest] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    unreadable: int = 0
    """Faults that are files that cannot be read."""
    first_line: int | None = None
    """The line that named the server; None: the command line did."""
    open: ListedRequest | None = None
    """The request that headers and a body may follow."""
    another: bool = False
    """True once another server was named and reported."""
    located: dict[str, UrlParts] = field(default_factory=dict)
    bodies: dict[str, Body] = field(default_factory=dict)
    refused: dict[str, int] = field(default_factory=dict)
    """Bodies that cannot be sent, each with the place of its fault."""
    again: Counter[str] = field(default_factory=Counter)
    """The further lines with each of them."""

    def finish(self) -> UrlList:
        for line, times in self.again.items():
            self.faults[self.refused[line]] += f" (and {counted(times, 'more line')} with it)"
        if len(self.requests) > MOST_LISTED:
            self.faults.append(f"expected at most {MOST_LISTED:,} requests")
        if not self.requests and not self.faults:
            self.faults.append(f"no request: {_EXPECTED_URL}")
        if self.faults:
            raise UrlListError(self.faults, self.unreadable)
        return UrlList(self.server, self.requests)

    def read_line(self, number: int, line: str) -> None:
        """Read a line of the text format."""
        if not line:
            self.open = None
        elif target := _TARGET.fullmatch(line):
            self.open = ListedRequest("/")  # of a faulty line too: what follows belongs to it
            self.open = self._add(number, target[2], target[1])
        elif _BEGINS.match(line):
            self.open = None
            self._add(number, line, None)
        elif self.open is None:
            raise ValueError(_EXPECTED_LINE)
        elif line.startswith("@"):
            request, self.open = self.open, None
            request.body = self._body(line)
        else:
            self._header(self.open, line)

    def read_json(self, number: int, line: str) -> None:
        """Read a line of the JSON format."""
        if not line:
            return
        target = json.loads(line)
        if not isinstance(target, dict) or not set(target) <= {"method", "url", "body", "header"}:
            raise ValueError(_EXPECTED_JSON)
        method, url = target.get("method"), target.get("url")
        if not isinstance(url, str) or not isinstance(method, str):
            raise ValueError(_EXPECTED_JSON)
        if re.fullmatch(NAME, method) is None:
            raise ValueError("expected a method such as `GET`")
        request = self._add(number, url, method)
        for header in _headers_of(target.get("header")):
            self._header(request, header)
        if body := target.get("body"):
            request.body = _decode(body)

    def _add(self, number: int, url: str, method: str | None) -> ListedRequest:
        path, authorization = self._locate(number, check_url(url, self.names))
        request = ListedRequest(path, method)
        if authorization is not None:
            request.headers.append(("Authorization", authorization))
        self.requests.append(request)
        return request

    def _locate(self, number: int, url: str) -> tuple[str, str | None]:
        """The path of a URL, and its credentials. Raises ValueError."""
        located, rest = None, url
        if not url.startswith("/"):
            parts = _PARTS.fullmatch(url)
            if parts is None:
                raise ValueError(_EXPECTED_URL)
            located, rest = self._server_of(parts[1]), parts[2]
            self._check(number, located.address)
        elif self.server is None and self.needs_server:
            raise ValueError(f"{_EXPECTED_URL}; a path alone needs URL on the command line")
        path = rest.partition("#")[0]
        path = path if path.startswith("/") else f"/{path}"
        if _PATH.fullmatch(path) is None:
            raise ValueError("expected no space and only ASCII; percent-encode the rest")
        return path, located.authorization if located else None

    def _server_of(self, text: str) -> UrlParts:
        if text not in self.located:
            self.located[text] = parse_url_parts(text)
        return self.located[text]

    def _check(self, number: int, address: Address) -> None:
        """Report the first URL that leads to another server."""
        if self.server is None:
            self.server, self.first_line = address, number
        elif address != self.server and not self.another:
            self.another = True
            before = f"line {self.first_line}" if self.first_line else "the command line"
            self.faults.append(
                f"line {number}: `{address.origin}` is not the server of {before},"
                f" `{self.server.origin}`: expected one scheme, host and port"
            )

    def _header(self, request: ListedRequest, line: str) -> None:
        try:
            name, value = parse_header(line, self.names)
        except HeaderValueError:
            raise
        except ValueError:
            raise ValueError(_EXPECTED_MORE) from None
        if name.lower() == "authorization" and has(request.headers[:1], name):
            del request.headers[0]
        request.headers.append((name, value))

    def _body(self, line: str) -> Body:
        if line in self.refused:
            self.again[line] += 1
            return Text(text="")
        if line not in self.bodies:
            self.refused[line] = len(self.faults)
            if not Path(line[1:]).resolve().is_relative_to(self.folder):
                raise ValueError(
                    f"`{line}` is outside of `{self.folder}`: expected the file of a body there;"
                    " `--bodies-from DIR` allows another folder"
                )
            try:
                self.bodies[line] = parse_body(line)
            except ValueError as wrong:
                kind = UnreadableError if isinstance(wrong, UnreadableError) else ValueError
                raise kind(f"{wrong}: expected the file of a body") from None
            del self.refused[line]
        return self.bodies[line]


def _headers_of(given: Any) -> list[str]:
    """The headers of a JSON target, as `NAME: VALUE`."""
    if given is None:
        return []
    if not isinstance(given, dict):
        raise ValueError('expected headers such as `{"Accept": ["text/html"]}`')
    pairs = [(name, v) for name, values in given.items() for v in _strings(values)]
    return [f"{name}: {value}" for name, value in pairs]


def _strings(values: Any) -> list[str]:
    if not isinstance(values, list) or not all(isinstance(one, str) for one in values):
        raise ValueError('expected headers such as `{"Accept": ["text/html"]}`')
    return values


def _decode(body: Any) -> Body:
    try:
        return body_of_bytes(b64decode(body, validate=True))
    except (ValueError, TypeError):
        raise ValueError("expected a body in base64") from None
