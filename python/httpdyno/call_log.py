"""The call log: one record for each measured call, in the order in which the calls ended.

Times are nanoseconds since the run began, `started_at` of the measurement; 0: it did not come to
that.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Kind = Literal["Q", "I", "H", "B"]

__all__ = [
    "BYTES",
    "COLUMNS",
    "ERRORS",
    "FIELDS",
    "IN_FLIGHT",
    "KEPT",
    "WRONG_BODY",
    "WRONG_STATUS",
    "CallLog",
    "merge",
    "outcomes",
    "rows",
]

FIELDS: dict[str, tuple[Kind, int]] = {
    "due_ns": ("Q", 0),
    "sent_ns": ("Q", 8),
    "connect_began_ns": ("Q", 16),
    "connected_ns": ("Q", 24),
    "first_byte_ns": ("Q", 32),
    "done_ns": ("Q", 40),
    "body_bytes": ("Q", 48),
    "connection": ("I", 56),
    "request": ("I", 60),
    "header_bytes": ("I", 64),
    "status": ("H", 68),
    "error": ("B", 70),
    "flags": ("B", 71),
}
"""Each field's type, as in `struct`, and its place in a record as the engine writes it."""
BYTES = 72
"""The size of a record."""
_SIZES = {"Q": 8, "I": 4, "H": 2, "B": 1}

WRONG_STATUS = 1
"""The flag of a reply with another status than expected."""
WRONG_BODY = 2
"""The flag of a reply with the expected status and another body than expected."""
KEPT = 4
"""The flag of a reply that allowed another call on its connection."""

ERRORS = (
    "connect_timeout",
    "first_byte_timeout",
    "reply_timeout",
    "socket_timeout",
    "refused",
    "reset",
    "early_close",
    "protocol",
    "tls",
    "unreachable",
    "descriptors",
    "addresses",
    "file_table",
    "value_not_found",
    "refused_stream",
    "stream_reset",
    "goaway",
    "grpc_status",
    "other",
    "in_flight",
)
"""The errors by code, from 1 on; the last is that of calls unanswered when the run ended."""
IN_FLIGHT = len(ERRORS)
"""The code of the last one."""


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
_AT_ONCE = 50_000
"""Records that are read together: lists of more numbers take much memory."""


@dataclass(frozen=True)
class CallLog:
    """The records of calls, whose fields are columns: `log["done_ns"]`."""

    records: bytes
    """As the engine writes them: little-endian, as the machines that it runs on."""

    def __len__(self) -> int:
        return len(self.records) // BYTES

    def __getitem__(self, name: str) -> list[int]:
        kind, place = FIELDS[name]
        size = _SIZES[kind]
        return memoryview(self.records).cast(kind)[place // size :: BYTES // size].tolist()

    def parts(self) -> Iterator[CallLog]:
        """The log in parts that are small enough to be read as lists of numbers."""
        size = _AT_ONCE * BYTES
        return (CallLog(self.records[at : at + size]) for at in range(0, len(self.records), size))

    def pick(self, places: Iterable[int]) -> CallLog:
        """The calls at these places, in their order."""
        whole = self.records
        return CallLog(b"".join([whole[at * BYTES : (at + 1) * BYTES] for at in places]))


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
        numbers = array(kind, [one + connections for one in CallLog(part)["connection"]])
        connections = max(numbers, default=connections) + 1
        records = bytearray(part)
        size = numbers.itemsize
        memoryview(records).cast(kind)[place // size :: BYTES // size] = memoryview(numbers)
        numbered.append(records)
    whole = CallLog(b"".join(numbered))
    return whole.pick(sorted(range(len(whole)), key=whole["done_ns"].__getitem__))


def rows(log: CallLog) -> Iterator[str]:
    """The log as CSV: the header, then a row for each call."""
    yield ",".join(COLUMNS) + "\r\n"
    for part in log.parts():
        columns = [_column(part, name) for name in COLUMNS]
        yield "".join(",".join(cells) + "\r\n" for cells in zip(*columns, strict=True))


def _column(log: CallLog, name: str) -> list[str]:
    if name == "outcome":
        return outcomes(log)
    if name in _MAYBE:
        return [str(number) if number else "" for number in log[name]]
    return list(map(str, log[name]))
