"""The requests and the expected replies, from the flags of `httpdyno load`."""

from __future__ import annotations

import os
import re
from base64 import b64encode

from httpdyno import __version__
from httpdyno.cli.load.arguments.address import Address
from httpdyno.cli.load.arguments.flags import LoadFlags
from httpdyno.cli.load.arguments.input_files import read_input
from httpdyno.cli.values import Values, plain_text
from httpdyno.engine_plan import Base64, Body, Expect, File, Length, Request, Same, Text

__all__ = ["requests_of"]

_TCHAR = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"  # RFC 9110, 5.6.2
_HEADER = re.compile(rf"({_TCHAR}):[ \t]*([^\x00-\x08\x0a-\x1f\x7f]*?)[ \t]*")
_ALSO = re.compile(rf"({_TCHAR})\s+(/[!-~]*)(?:\s+x([1-9]\d*))?")
_MOST_WEIGHT = 10_000
_MOST_BYTES = 1 << 40
_MOST_BETWEEN_CHECKS = (1 << 32) - 1
_DEFAULT_HEADERS = {"Accept": "*/*", "User-Agent": f"httpdyno/{__version__}"}


def requests_of(flags: LoadFlags, values: Values, address: Address | None) -> list[Request]:
    """The rotation: the request to the URL, then each --also."""
    headers = _headers(flags, values)
    expect = _expect(flags, values)
    body = values.read("--body", flags.body, _body)
    default = "GET" if flags.body is None else "POST"
    method = values.read("--method", flags.method, _method) or default
    path = address.path if address else "/"
    requests = [Request(method=method, path=path, headers=headers, body=body, expect=expect)]
    for text in flags.also:
        also = values.read("--also", text, _also)
        if also is not None:
            requests.append(also.model_copy(update={"headers": headers, "expect": expect}))
    return requests


def _headers(flags: LoadFlags, values: Values) -> list[tuple[str, str]]:
    read = [values.read("--header", text, _header) for text in flags.header]
    given = [header for header in read if header is not None]
    names = {name.lower() for name, _ in given}
    defaults = [(n, v) for n, v in _DEFAULT_HEADERS.items() if n.lower() not in names]
    return defaults + given


def _header(text: str) -> tuple[str, str]:
    match = _HEADER.fullmatch(plain_text(text))
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
    weight = match[3] or "1"
    if len(weight) > len(str(_MOST_WEIGHT)) or int(weight) > _MOST_WEIGHT:
        raise ValueError(f"expected at most x{_MOST_WEIGHT}")
    return Request(method=match[1], path=match[2], weight=int(weight))


def _expect(flags: LoadFlags, values: Values) -> Expect:
    statuses = [values.read("--expect-status", text, _status) for text in flags.expect_status]
    body = values.read("--expect-body", flags.expect_body, _body)
    length = values.count("--expect-length", flags.expect_length, _MOST_BYTES, least=0)
    every = values.count("--check-every", flags.check_every, _MOST_BETWEEN_CHECKS)
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
    if text.startswith("@"):
        found = read_input(text[1:])
        return _base64(found) if isinstance(found, bytes) else File(file=str(found))
    try:
        return Text(text=plain_text(text))
    except ValueError:
        return _base64(os.fsencode(text))


def _base64(content: bytes) -> Base64:
    return Base64(base64=b64encode(content).decode("ascii"))
