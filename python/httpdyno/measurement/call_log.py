"""The call log: one record for each measured call, in the order in which the calls ended.

Times are nanoseconds since the run began, `started_at` of the measurement; 0: it did not come to
that.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from httpdyno.call_records import ERRORS, FIELDS, KEPT, WRONG_BODY, WRONG_STATUS

__all__ = [
    "COLUMNS",
    "ERRORS",
    "KEPT",
    "RECORD",
    "WRONG_BODY",
    "WRONG_STATUS",
    "CallLog",
    "outcomes",
    "read",
    "rows",
]

RECORD = np.dtype([(name, f"<{kind}") for name, (kind, _) in FIELDS.items()])
"""A record as the engine writes it."""

COLUMNS = (
    "due_ns",
    "sent_ns",
    "first_byte_ns",
    "done_ns",
    "outcome",
    "status",
    "request",
    "header_bytes",
    "body_bytes",
    "connection",
    "connect_began_ns",
    "connected_ns",
)
"""The columns of the log as text."""
_MAYBE = {"sent_ns", "first_byte_ns", "status", "connect_began_ns", "connected_ns"}
"""Columns in which 0 means: there is none."""
_AT_ONCE = 100_000

CallLog = NDArray[np.void]
"""Records by the name of their fields: `log["done_ns"]`."""


def read(content: bytes) -> CallLog:
    """The records in the bytes that the engine returns."""
    return np.frombuffer(content, dtype=RECORD)


def outcomes(log: CallLog) -> NDArray[np.str_]:
    """The end of each call: `ok`, `wrong_status`, `wrong_body`, an error class, or `in_flight`."""
    answered = np.array(["ok", "wrong_status", "wrong_body"])
    ends = np.concatenate([answered, ERRORS])
    codes = np.where(
        log["error"] > 0,
        log["error"] + (len(answered) - 1),
        log["flags"] & (WRONG_STATUS | WRONG_BODY),
    )
    return np.asarray(ends[codes])


def rows(log: CallLog) -> Iterator[str]:
    """The log as CSV: the header, then a row for each call."""
    yield ",".join(COLUMNS) + "\r\n"
    for start in range(0, len(log), _AT_ONCE):
        part = log[start : start + _AT_ONCE]
        columns = [_column(part, name) for name in COLUMNS]
        yield "".join(",".join(cells) + "\r\n" for cells in zip(*columns, strict=True))


def _column(log: CallLog, name: str) -> list[str]:
    if name == "outcome":
        return [str(end) for end in outcomes(log)]
    numbers: list[Any] = log[name].tolist()
    if name in _MAYBE:
        return [str(number) if number else "" for number in numbers]
    return [str(number) for number in numbers]
