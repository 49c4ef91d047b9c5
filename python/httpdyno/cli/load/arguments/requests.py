"""What is asked of the server and what the right answer is, from the flags of `httpdyno load`."""

from __future__ import annotations

import re
from pathlib import Path

from httpdyno import __version__
from httpdyno.cli.load.arguments.address import Address
from httpdyno.cli.load.arguments.flags import LoadFlags
from httpdyno.cli.values import Values
from httpdyno.engine_plan import Body, Expect, File, Length, Request, Same, Text

__all__ = ["requests_of"]

_TCHAR = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"  # RFC 9110, 5.6.2
_HEADER = re.compile(rf"({_TCHAR}):[ \t]*([^\x00-\x08\x0a-\x1f\x7f]*?)[ \t]*")
_ALSO = re.compile(rf"({_TCHAR})\s+(/[!-~]*)(?:\s+x([1-9]\d*))?")
_DEFAULT_HEADERS = {"Accept": "*/*", "User-Agent": f"httpdyno/{__version__}"}


def requests_of(flags: LoadFlags, values: Values, address: Address | None) -> list[Request]:
    """The rotation: the URL's request, then each --also."""
    headers = _headers(flags, values)
    expect = _expect(flags, values)
    body = values.read("--body", flags.body, _body)
    method = values.read("--method", flags.method, _method) or "GET"
    path = address.path if address else "/"
    asked = [Request(method=method, path=path, headers=headers, body=body, expect=expect)]
    for text in flags.also:
        also = values.read("--also", text, _also)
        if also is not None:
            asked.append(also.model_copy(update={"headers": headers, "expect": expect}))
    return asked


def _headers(flags: LoadFlags, values: Values) -> list[tuple[str, str]]:
    read = [values.read("--header", text, _header) for text in flags.header]
    given = [header for header in read if header is not None]
    names = {name.lower() for name, _ in given}
    defaults = [(n, v) for n, v in _DEFAULT_HEADERS.items() if n.lower() not in names]
    return defaults + given


def _header(text: str) -> tuple[str, str]:
    match = _HEADER.fullmatch(text)
    if match is None:
        raise ValueError("expected `NAME: VALUE`")
    return match[1], match[2]


def _method(text: str) -> str:
    if re.fullmatch(_TCHAR, text) is None:
        raise ValueError("expected a method such as `GET` or `POST`")
    return text


def _also(text: str) -> Request:
    match = _ALSO.fullmatch(text.strip())
    if match is None:
        raise ValueError("expected a method, a path and how often, such as `GET /pong x3`")
    return Request(method=match[1], path=match[2], weight=int(match[3] or 1))


def _expect(flags: LoadFlags, values: Values) -> Expect:
    statuses = [values.read("--expect-status", text, _status) for text in flags.expect_status]
    body = values.read("--expect-body", flags.expect_body, _body)
    length = values.count("--expect-length", flags.expect_length, least=0)
    every = values.count("--check-every", flags.check_every)
    ways = [flags.expect_body is not None, flags.expect_length is not None, flags.expect_same]
    if sum(ways) > 1:
        values.faults.add(
            "`--expect-body`, `--expect-length` and `--expect-same` exclude each other:"
            " expected one of them"
        )
    right = Length(length=length) if length is not None else Same() if flags.expect_same else None
    known = [status for status in statuses if status is not None]
    return Expect(status=known or None, body=body or right, check_every=every or 1)


def _status(text: str) -> int:
    if re.fullmatch(r"[2-5]\d\d", text) is None:
        raise ValueError("expected a status of three digits, such as `200`")
    return int(text)


def _body(text: str) -> Body:
    if not text.startswith("@"):
        return Text(text=text)
    path = Path(text[1:])
    try:
        with path.open("rb"):
            return File(file=str(path.resolve()))
    except OSError as refused:
        raise ValueError(f"cannot read `{path}`: {refused.strerror}") from None
