"""The expected replies, from the flags of `httpdyno load`."""

from __future__ import annotations

import re

from httpdyno.cli.load.arguments.flags import LoadFlags
from httpdyno.cli.load.arguments.request_flags import EXPECT
from httpdyno.cli.load.arguments.requests.bodies import parse_body
from httpdyno.cli.values import Values
from httpdyno.engine_plan import Expect, Length, Like, Same

__all__ = ["expect_of"]

_MOST_BYTES = 1 << 40
_MOST_BETWEEN_CHECKS = (1 << 32) - 1


def expect_of(flags: LoadFlags, values: Values) -> Expect:
    """The reply that each request expects; without a declared body, one like the first reply's."""
    statuses = [values.read("--expect-status", text, _status) for text in flags.expect_status]
    body = values.read("--expect-body", flags.expect_body, parse_body)
    length = values.bytes_("--expect-length", flags.expect_length, _MOST_BYTES, least=0)
    every = values.count("--check-every", flags.check_every, _MOST_BETWEEN_CHECKS)
    expected = {
        "--expect": flags.expect is not None,
        "--expect-body": flags.expect_body is not None,
        "--expect-length": flags.expect_length is not None,
        "--expect-same": flags.expect_same,
    }
    given = [f"`{flag}`" for flag, is_given in expected.items() if is_given]
    if len(given) > 1:
        values.faults.add(
            f"{', '.join(given[:-1])} and {given[-1]} exclude each other: expected one of them"
        )
    if flags.expect is not None:
        values.choice("--expect", flags.expect, EXPECT)
    known = [status for status in statuses if status is not None]
    right = Length(length=length) if length is not None else Same() if flags.expect_same else None
    like = None if flags.expect is not None else Like()
    return Expect(
        status=known or None,
        body=body or right or like,
        check_every=every or 1,
        decode="gzip" if flags.gzip else None,
    )


def _status(text: str) -> int:
    if re.fullmatch(r"[2-5]\d\d", text) is None:
        raise ValueError("expected a status of three digits, such as `200`")
    return int(text)
