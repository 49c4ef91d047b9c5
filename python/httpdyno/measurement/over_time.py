"""A measurement over time, in a bounded number of bins: what charts show of it."""

from __future__ import annotations

from httpdyno.value import Value


class TimeBin(Value):
    """Some seconds of the window together; all bins but the last have the same length.

    Replies and failures count when they came, which may be after the window.
    """

    second: int
    """The first of its seconds, from the start of the window."""
    seconds: int
    due: int
    """Calls that fell due."""
    ok: int
    """Right replies."""
    failures: dict[str, int]
    """Failed calls by kind: `wrong_status`, `wrong_body`, or a class of errors."""
    p50_ns: int
    """Of right replies, within 0.8 %, as the other percentiles. 0: there was none."""
    p90_ns: int
    p99_ns: int
    max_ns: int
    times: list[tuple[int, int, int]]
    """Response times of right replies: from, to (exclusive) and their count, without empty ranges.
    Four ranges per power of two."""

    @property
    def failed(self) -> int:
        """Failed calls of any kind."""
        return sum(self.failures.values())
