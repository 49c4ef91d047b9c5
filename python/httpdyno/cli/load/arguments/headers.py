"""The headers of the requests: those of the user, cookies, credentials and our own."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from getpass import getpass

from httpdyno.cli.load.arguments.address import basic
from httpdyno.cli.load.arguments.input_files import read_whole
from httpdyno.cli.load.arguments.request_flags import RequestFlags
from httpdyno.cli.values import Values, plain_text
from httpdyno.engine_plan import check_placeholders
from httpdyno.output.printable import printable
from httpdyno.output.secrets import is_shown

__all__ = [
    "NAME",
    "Header",
    "HeaderValueError",
    "has",
    "headers_of",
    "parse_header",
    "replace_headers",
]

Header = tuple[str, str]

NAME = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"  # RFC 9110, 5.6.2
_HEADER = re.compile(rf"({NAME}):[ \t]*([^\x00-\x08\x0a-\x1f\x7f]*?)[ \t]*")
_NAMED = re.compile(rf"{NAME}:")
_COOKIE = re.compile(rf"({NAME})=([^\x00-\x1f\x7f;]*)")
_MOST_FAULTS = 20
_CREDENTIALS = "expected `NAME:PASSWORD`, `NAME:@FILE` or `NAME`"


class HeaderValueError(ValueError):
    """The value of a header has a line break, a control character or a wrong placeholder."""


def headers_of(
    flags: RequestFlags, values: Values, authorization: str | None = None
) -> list[Header]:
    """The headers of every request; `authorization` is that of the URL."""
    given = list(_header_flags(flags.header, values))
    added = list(_of_other_flags(flags, values, authorization))
    for name, _ in added:
        if has(given, name):
            values.faults.add(
                f"the header `{name}` is given by `--header` too: expected one of the two"
            )
    return [*given, *added]


def has(headers: Iterable[Header], name: str) -> bool:
    """True if one of the headers has this name."""
    return any(one.lower() == name.lower() for one, _ in headers)


def replace_headers(headers: Iterable[Header], own: Sequence[Header]) -> list[Header]:
    """The headers, but for those whose names are among `own`; then `own`."""
    names = {name.lower() for name, _ in own}
    return [*(header for header in headers if header[0].lower() not in names), *own]


def parse_header(text: str, names: Sequence[str] = ()) -> Header:
    """A header from `NAME: VALUE`. Raises ValueError. `names`: those that placeholders may have."""
    match = _HEADER.fullmatch(plain_text(text))
    if match is not None:
        try:
            check_placeholders(text, names, is_secret=not is_shown(match[1]))
        except ValueError as wrong:
            raise HeaderValueError(wrong) from None
        return match[1], match[2]
    if _NAMED.match(text):
        raise HeaderValueError("expected no line break or control character in the value")
    raise ValueError("expected `NAME: VALUE`")


def _header_flags(texts: Sequence[str], values: Values) -> Iterator[Header]:
    """The headers of --header, and of the files that it names."""
    parse = partial(parse_header, names=values.names)
    for text in texts:
        if text.startswith("@"):
            content = values.read("--header", text, lambda given: read_whole(given[1:]))
            yield from _of_file(text, content or b"", values)
        elif (header := values.read("--header", text, parse)) is not None:
            yield header


def _of_file(given: str, content: bytes, values: Values) -> Iterator[Header]:
    """The headers of a file: one per line, but for blank lines and comments."""
    faults = 0
    for number, line in enumerate(content.decode(errors="surrogateescape").split("\n"), 1):
        text = line.strip(" \t\r")
        if not text or text.startswith("#"):
            continue
        try:
            yield parse_header(text, values.names)
        except ValueError as wrong:
            # The line itself may hold a credential.
            values.faults.add(f"`--header {given}`: line {number}: {wrong}")
            faults += 1
            if faults == _MOST_FAULTS:
                return


def _of_other_flags(
    flags: RequestFlags, values: Values, authorization: str | None
) -> Iterator[Header]:
    """The headers that other flags stand for."""
    cookies = [
        values.read("--cookie", text, partial(_cookie, values.names)) for text in flags.cookie
    ]
    if cookies:
        yield "Cookie", "; ".join(cookie for cookie in cookies if cookie is not None)
    user = values.read("--user", flags.user, _credentials)
    if flags.user is not None and authorization is not None:
        values.faults.add("`--user` and the user in the URL exclude each other: expected one")
    if (found := user or authorization) is not None:
        yield "Authorization", found


def _cookie(names: Sequence[str], text: str) -> str:
    if _COOKIE.fullmatch(plain_text(text)) is None:
        raise ValueError("expected `NAME=VALUE`")
    return check_placeholders(text, names, is_secret=True)


def _credentials(text: str) -> str:
    """The value of `Authorization` for --user. Raises ValueError."""
    name, colon, password = text.partition(":")
    if not name:
        raise ValueError(_CREDENTIALS)
    if not colon:
        password = _ask_password(name)
    elif password.startswith("@"):
        try:
            content = read_whole(password[1:])
        except ValueError:  # its words repeat the name, which may be a password
            raise ValueError(
                "the file after `@` cannot be read; put a password that begins with `@` into a file"
            ) from None
        password = content.partition(b"\n")[0].rstrip(b"\r").decode(errors="surrogateescape")
    return basic(name, password)


def _ask_password(name: str) -> str:
    if not sys.stdin.isatty():
        raise ValueError(f"{_CREDENTIALS}; the password is asked for only on a terminal")
    try:
        return getpass(f"password of {printable(name)}: ")
    except EOFError:
        raise ValueError("no password was typed") from None
