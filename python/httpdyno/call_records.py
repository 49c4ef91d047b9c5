"""The records of the call log as bytes: where the fields of each are, and the codes in them.

`httpdyno.measurement.call_log` has them as columns. Times are nanoseconds since the run began; 0:
it did not come to that.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Kind = Literal["Q", "I", "H", "B"]

__all__ = ["BYTES", "ERRORS", "FIELDS", "IN_FLIGHT", "KEPT", "WRONG_BODY", "WRONG_STATUS", "column"]

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
    "other",
    "in_flight",
)
"""The errors by code, from 1 on; the last is that of calls unanswered when the run ended."""
IN_FLIGHT = len(ERRORS)
"""The code of the last one."""


def column(records: bytes, name: str) -> list[int]:
    """A field of all records, which are little-endian as the machines that the engine runs on."""
    kind, place = FIELDS[name]
    size = _SIZES[kind]
    return memoryview(records).cast(kind)[place // size :: BYTES // size].tolist()
