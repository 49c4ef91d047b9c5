"""The bodies of requests and the expected replies, from the flags of `httpdyno load`."""

from __future__ import annotations

import os
import re
from base64 import b64encode
from collections.abc import Iterable, Sequence
from functools import partial

from httpdyno.cli.faults import given_flags
from httpdyno.cli.load.arguments.input_files import read_input, text_or_file
from httpdyno.cli.load.arguments.request_flags import RequestFlags
from httpdyno.cli.values import Values, plain_text
from httpdyno.engine_plan import (
    Base64,
    Body,
    Expect,
    File,
    Html,
    Json,
    Length,
    Like,
    Regex,
    Same,
    Text,
    check_placeholders,
)
from httpdyno.engine_plan.answers import answer_fault, parse_sample
from httpdyno.output.printable import printable

__all__ = ["body_of", "body_of_bytes", "expect_of", "parse_body", "report_answer"]

_MOST_BYTES = 1 << 40


def body_of(flags: RequestFlags, values: Values) -> tuple[Body | None, str | None]:
    """The body of every request, and the media type that its flag stands for."""
    ways = (
        ("--body", flags.body, None),
        ("--data", flags.data, "application/x-www-form-urlencoded"),
        ("--json-body", flags.json_body, "application/json"),
    )
    given = [way for way in ways if way[1] is not None]
    if not given:
        return None, None
    if len(given) > 1:
        names = " and ".join(f"`{flag}`" for flag, _, _ in given)
        values.faults.add(f"{names} exclude each other: expected one of them")
    flag, text, media_type = given[0]
    return values.read(flag, text, partial(_varied_body, values.names)), media_type


def parse_body(text: str) -> Body:
    """A body given as text, or as `@FILE`. Raises ValueError."""
    if text.startswith("@"):
        found = read_input(text[1:])
        return body_of_bytes(found) if isinstance(found, bytes) else File(file=str(found))
    try:
        return Text(text=plain_text(text))
    except ValueError:
        return body_of_bytes(os.fsencode(text))


def _varied_body(names: Sequence[str], text: str) -> Body:
    body = parse_body(text)
    if isinstance(body, Text):
        check_placeholders(body.text, names)
    return body


def body_of_bytes(content: bytes) -> Base64:
    """A body with this content."""
    return Base64(base64=b64encode(content).decode("ascii"))


def expect_of(flags: RequestFlags, values: Values) -> Expect:
    """The reply that each request expects; without a declared body, one like the first reply's.

    `report_answer` checks what `--expect` says, once it is known what is sent.
    """
    statuses = [values.read("--expect-status", text, _status) for text in flags.expect_status]
    body = values.read("--expect-body", flags.expect_body, parse_body)
    length = values.bytes_("--expect-length", flags.expect_length, _MOST_BYTES, least=0)
    expected = {
        "--expect": flags.expect is not None,
        "--expect-body": flags.expect_body is not None,
        "--expect-length": flags.expect_length is not None,
        "--expect-same": flags.expect_same,
    }
    given = given_flags(expected)
    if len(given) > 1:
        values.faults.add(
            f"{', '.join(given[:-1])} and {given[-1]} exclude each other: expected one of them"
        )
    answer = values.read("--expect", flags.expect, _answer)
    known = [status for status in statuses if status is not None]
    right = Length(length=length) if length is not None else Same() if flags.expect_same else None
    like = None if flags.expect is not None else Like()
    one_in = values.read("--check", flags.check, parse_sample)
    return Expect(
        status=known or None, body=body or right or answer or like, check_one_in=one_in or 1
    )


def _answer(text: str) -> Json | Html | Regex | None:
    """A right body as `json:TEXT`, `html:@FILE`, `regex:TEXT` …; None: `any`."""
    notation, _, answer = text.partition(":")
    if text == "any":
        return None
    if notation == "json":
        return Json(json=text_or_file(answer))
    if notation == "html":
        return Html(html=text_or_file(answer))
    if notation == "regex":
        return Regex(regex=plain_text(answer))
    raise ValueError(
        "expected `any`, `json:TEXT`, `json:@FILE`, `html:TEXT`, `html:@FILE` or `regex:TEXT`"
    )


def report_answer(
    flags: RequestFlags, values: Values, expect: Expect, sent: Iterable[Sequence[str]]
) -> None:
    """Report a fault of `--expect`, if it has one for a request that sends values of such names."""
    for names in sent:
        match expect.body:
            case Json(json=text):
                fault = answer_fault("json", text, names)
            case Html(html=text):
                fault = answer_fault("html", text, names)
            case Regex(regex=text):
                fault = answer_fault("regex", text, names)
            case _:
                return
        if fault:
            subject = " ".join(("--expect", printable(flags.expect or "")))
            values.faults.add(f"`{subject}`: {fault}")
            return


def _status(text: str) -> int:
    if re.fullmatch(r"[2-5]\d\d", text) is None:
        raise ValueError("expected a status of three digits, such as `200`")
    return int(text)
