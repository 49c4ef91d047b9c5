"""One second of a trial, as a result has it."""

from __future__ import annotations

from httpdyno.value import Value


class SecondRow(Value):
    """One second of a trial; negative seconds are the warm-up."""

    second: int
    due: int
    """Requests that fell due."""
    ok: int
    """Right replies."""
    failed: int
    p50_s: float
    p99_s: float
