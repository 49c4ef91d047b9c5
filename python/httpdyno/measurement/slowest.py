"""The slowest calls of a measurement."""

from __future__ import annotations

from httpdyno.value import Value


class SlowCall(Value):
    """One of the slowest measured calls."""

    due_ns: int
    """When it fell due, from the start of the window."""
    response_ns: int
    """due → last byte; of a call that failed or was given up: due → its end."""
    waited_ns: int | None
    """due → sent. Null: it was never sent."""
    first_byte_ns: int | None
    """sent → first byte of its reply. Null: there was none."""
    request: int
    """The place of its request in the plan, from 0 on."""
    connection: int
    """The number of its connection; on each of several machines they begin with 0."""
    status: int | None
    """Of its reply. Null: there was none."""
    body_bytes: int
    """Bytes of the body of its reply, as far as it came."""
    end: str
    """`ok`, `wrong_status`, `wrong_body`, a class of errors, or `in_flight`."""
