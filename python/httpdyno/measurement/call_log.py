"""The call log: one record for each measured call, in the order in which the calls ended.

Times are nanoseconds since the run began, `started_at` of the measurement; 0: it did not come to
that.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from httpdyno.call_records import BYTES, ERRORS, FIELDS, WRONG_BODY, WRONG_STATUS, column

__all__ = ["COLUMNS", "CallLog", "merge", "outcomes", "rows"]

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
_ENDS = ("ok", "wrong_status", "wrong_body", *ERRORS)
_AT_ONCE = 100_000


@dataclass(frozen=True)
class CallLog:
    """The records of calls, whose fields are columns: `log["done_ns"]`."""

    records: bytes
    """As the engine writes them: see `httpdyno.call_records`."""

    def __len__(self) -> int:
        return len(self.records) // BYTES

    def __getitem__(self, name: str) -> list[int]:
        return column(self.records, name)


def outcomes(log: CallLog) -> list[str]:
    """The end of each call: `ok`, `wrong_status`, `wrong_body`, an error class, or `in_flight`."""
    return [
        _ENDS[error + 2 if error else flags & (WRONG_STATUS | WRONG_BODY)]
        for error, flags in zip(log["error"], log["flags"], strict=True)
    ]


def merge(parts: Iterable[bytes]) -> CallLog:
    """The calls of several machines in the order in which they ended, from the records of each.

    Connections are numbered on from one machine to the next.
    """
    numbered, connections = [], 0
    kind, place = FIELDS["connection"]
    for part in parts:
        numbers = array(kind, [number + connections for number in column(part, "connection")])
        connections = max(numbers, default=connections) + 1
        records = bytearray(part)
        size = numbers.itemsize
        memoryview(records).cast(kind)[place // size :: BYTES // size] = memoryview(numbers)
        numbered.append(records)
    whole = b"".join(numbered)
    done_ns = column(whole, "done_ns")
    order = sorted(range(len(done_ns)), key=done_ns.__getitem__)
    return CallLog(b"".join([whole[at * BYTES : (at + 1) * BYTES] for at in order]))


def rows(log: CallLog) -> Iterator[str]:
    """The log as CSV: the header, then a row for each call."""
    yield ",".join(COLUMNS) + "\r\n"
    for start in range(0, len(log.records), _AT_ONCE * BYTES):
        part = CallLog(log.records[start : start + _AT_ONCE * BYTES])
        columns = [_column(part, name) for name in COLUMNS]
        yield "".join(",".join(cells) + "\r\n" for cells in zip(*columns, strict=True))


def _column(log: CallLog, name: str) -> list[str]:
    if name == "outcome":
        return outcomes(log)
    if name in _MAYBE:
        return [str(number) if number else "" for number in log[name]]
    return list(map(str, log[name]))
