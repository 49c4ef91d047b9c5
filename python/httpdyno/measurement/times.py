"""The times of calls, as distributions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from httpdyno.value import Value

Quantiles = Callable[[str, Sequence[float]], Sequence[int]]
"""Reads the values (ns) of a histogram (base64) at quantiles from 0 to 1; `engine.quantiles`."""


class Time(Value):
    """The distribution of one kind of time, in nanoseconds, with its whole histogram."""

    count: int
    min_ns: int
    mean_ns: float
    stdev_ns: float
    p50_ns: int
    p75_ns: int
    p90_ns: int
    p99_ns: int
    p999_ns: int
    p9999_ns: int
    max_ns: int
    censored: int = 0
    """The lower bounds among them: calls that never came back, at their age when given up."""
    censored_min_ns: int = 0
    """The least of those ages: what is below it is exact. 0: there is none."""
    hdr: str
    """HdrHistogram V2 (compressed), base64; values in nanoseconds."""

    def is_lower_bound(self, share: float, value_ns: int) -> bool:
        """True if the true percentile at `share` (1: the maximum) may well lie above `value_ns`.

        Calls that were given up take longer than the age they count with. Those given up later
        than `value_ns` are above it anyway; and as few as a hundredth of the calls beyond the
        percentile do not move it.
        """
        many = self.censored > 0.01 * (1 - share) * self.count
        return many and value_ns >= self.censored_min_ns

    @property
    def is_min_lower_bound(self) -> bool:
        """True if the shortest of them is a call that was given up."""
        return self.censored > 0 and self.min_ns >= self.censored_min_ns

    @property
    def is_mean_lower_bound(self) -> bool:
        """True if calls were given up: each of them raises the true mean."""
        return self.censored > 0

    def between(self, value_ns: int, low_ns: int, high_ns: int) -> int:
        """A percentile read from the histogram, whose buckets may end beyond its neighbours."""
        return max(low_ns, min(value_ns, high_ns, self.max_ns))


class Times(Value):
    """The times of a call; see `docs/concepts/times.md`."""

    response: Time
    """due → last byte; calls that never came back are in it at their age."""
    service: Time
    """sent → last byte, of calls that came back right."""
    first_byte: Time
    """sent → first byte, of calls that came back right."""
    lag: Time
    """due → begun, of calls that found a connection free: how late the generator itself was."""
    connect: Time
    """connect begun → connected, by connection; through a proxy to its answer, without TLS."""
    tls: Time | None = None
    """connected → handshake complete, by connection; null without TLS."""
    kernel: Time | None = None
    """Request left → reply arrived, by the kernel's stamps, of calls that came back right and have
    both. Null: not asked for, or the wall clock was set during the run."""
    kernel_gap: Time | None = None
    """Service time less kernel time, of the same calls: what sending, waking up and reading add."""
