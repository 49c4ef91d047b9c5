"""The engine's result of one trial: versioned, plain values, nothing computed but ratios.

The JSON that these models read and write is `docs/reference/measurement.md`. Format history:
  1  first version.
  2  `validity`: percentiles with their intervals, and the tests of what the numbers rest on;
     `stopped_by` may be `precision`.
  3  `kernel`, `times.kernel` and `times.kernel_gap`: the times by the kernel's stamps; `handshakes`
     and `times.tls`, and the error class `tls`.
  4  `engine.low_latency`; `connections.excess_data`. `bytes_sent`, `bytes_received` and
     `body_bytes` are those of the window; earlier versions counted warm-up and drain too. Since
     then, optional: `cpu.waiting_share` and `cpu.standstill_share`.
A reader accepts its own version and older ones, ignores fields it does not know, and refuses newer
versions.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

MEASUREMENT_VERSION = 4

BRIEF_S = 1.0
"""A shorter window is mostly start-up."""
FEWEST_CALLS = 1000
"""Fewer calls say too little about a tail."""


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Calls(_Value):
    """Where every call went.

    due = sent + unsent; sent = ok + wrong_status + wrong_body + errors + in_flight.
    """

    due: int
    """Calls that fell due in the window."""
    sent: int
    """Calls that the engine began: connecting or sending on their behalf."""
    unsent: int
    """Calls that never began: no connection was free before the stop, or their session failed."""
    waited: int
    """Calls that found no connection free when due (their waiting is in the response time)."""
    ok: int
    wrong_status: int
    wrong_body: int
    errors: dict[str, int]
    """Count by error class, only classes that occurred."""
    in_flight: int
    """Calls still unanswered when the drain ended."""

    @property
    def failed(self) -> int:
        """Calls that ended in anything but ok."""
        return self.wrong_status + self.wrong_body + sum(self.errors.values())

    @property
    def ended(self) -> int:
        """Calls that ended, well or badly."""
        return self.ok + self.failed


class Time(_Value):
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
    """Number of them that are lower bounds: calls given up unanswered, at their age by then."""
    censored_min_ns: int = 0
    """The least of those ages: what is below it is exact. 0: there is none, or version 1."""
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


class Times(_Value):
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
    """connected → handshake complete, by connection; null without TLS. Since version 3."""
    kernel: Time | None = None
    """Request left → reply arrived, by the kernel's stamps, of calls that came back right and have
    both. Null: not asked for, or the wall clock was set during the run."""
    kernel_gap: Time | None = None
    """Service time less kernel time, of the same calls: what sending, waking up and reading add."""


class Kernel(_Value):
    """The number of right calls with the kernel's stamps; see `docs/concepts/times.md`."""

    stamped: int
    unstamped: int
    """Calls that miss one: their reply shared its last bytes' stamp with what followed it, or ended
    with the connection, or the kernel gave none."""
    clock_set_ns: int | None
    """Distance by which the wall clock, by which the kernel stamps, was set during the run: then no
    stamp can be placed. Null: it was not set."""


class Interval(_Value):
    """One second of the run, counted from the start of the window (negative: warm-up)."""

    second: int
    due: int
    sent: int
    ok: int
    failed: int
    p50_ns: int
    p99_ns: int
    max_ns: int


class Connections(_Value):
    """Connections of the whole run, warm-up included."""

    opened: int
    failed: int
    closed_by_server: int
    excess_data: int = 0
    """Closed by the engine because the server sent bytes that belong to no reply: more than its
    Content-Length, a body after HEAD, or anything on an idle connection. The replies before them
    count as they are. Since version 4."""
    peak_open: int


class Handshakes(_Value):
    """TLS handshakes of the connections, those of the warm-up too."""

    full: int
    resumed: int
    """Those that went on with an earlier session."""
    version: str | None
    """Of the first one, `1.3`; null when none was completed."""
    cipher: str | None
    """The cipher suite of the first one."""


class Sessions(_Value):
    """Numbers of sessions by their outcome (only for the `sessions` load)."""

    due: int
    started: int
    completed: int
    failed: int


class Percentile(_Value):
    """A percentile of the response time, and the 95 % interval around it by order statistics."""

    quantile: float
    """0 to 1."""
    value_ns: int
    low_ns: int | None
    high_ns: int | None
    """Null: there are too few independent calls to bound it."""
    design_effect: float | None
    """The ratio by which the calls beyond it vary more from second to second than independent ones
    would: the interval is as wide as that of so many times fewer calls. Null: under 5 seconds."""

    @property
    def half_width(self) -> float | None:
        """Half of the interval as a share of the percentile; None when a side is open."""
        if self.low_ns is None or self.high_ns is None or not self.value_ns:
            return None
        return (self.high_ns - self.low_ns) / 2 / self.value_ns


class ArrivalFit(_Value):
    """The arrivals (bursts, or sessions) that were begun, against those declared."""

    spacing: Literal["constant", "uniform", "exponential"]
    sampled: int
    """Groups of successive arrivals that were looked at, spread over the window."""
    group: int
    """Arrivals in a group; it takes 1 ms or more."""
    scheduled: int | None
    """Arrivals that the schedule has in the window (constant spacing, not counted runs)."""
    due: int
    """Arrivals that fell due in it."""
    off_share: float | None
    """Share of the groups whose length is off by over 10 % (constant spacing)."""
    anderson_darling: float | None
    """A² of the groups' lengths against their distribution (uniform, exponential)."""


class Drift(_Value):
    """Test for a drift of response times: their means over stretches of the window, all the same
    length."""

    means: int
    width_s: float
    dickey_fuller: float | None
    """The augmented Dickey-Fuller statistic of the means; null below 50 of them."""
    first_half_ns: float | None
    second_half_ns: float | None
    """The mean of the means of either half."""


class Dependence(_Value):
    """Test for dependent calls: Spearman's rank correlation of response times."""

    sampled: int
    successive: float | None
    """Of calls that came back one after the other on one thread."""
    apart: float | None
    """Of neighbours in a sample spread over the window."""


class Validity(_Value):
    """The tests of what the numbers rest on; see `docs/concepts/verdicts.md`."""

    percentiles: list[Percentile]
    arrivals: ArrivalFit | None
    """Open loads only."""
    drift: Drift
    dependence: Dependence

    def percentile(self, quantile: float) -> Percentile | None:
        """The percentile at `quantile`, 0 to 1, if it has an interval."""
        return next((one for one in self.percentiles if one.quantile == quantile), None)


class Cpu(_Value):
    """The cost of the engine's own threads in the window."""

    user_s: float
    system_s: float
    busy_share: float
    """Share of the window that the busiest engine thread spent on a processor, 0 to 1."""
    voluntary_switches: int
    involuntary_switches: int
    waiting_share: float | None = None
    """Share of the window in which the engine thread that waited longest was ready to run and had
    no processor, 0 to 1. Null: the kernel does not say, or an earlier version measured."""
    standstill_share: float = 0.0
    """Share of the window in which the engine thread that stood still longest did not run, although
    it was to wake up: it ran on 5 ms late or more. It may have been stopped, or preempted."""


class Grant(_Value):
    """This machine's answer to a request of the engine."""

    granted: bool
    reason: str | None
    """Why not; null: it was granted."""


class LowLatency(_Value):
    """The parts of low latency that were granted; see `docs/concepts/times.md`."""

    shallow_idle: Grant
    """Processors kept out of deep idle states."""
    real_time: Grant
    """Engine threads at real-time priority."""


class EngineFacts(_Value):
    """Which engine measured, and how."""

    version: str
    driver: Literal["io_uring", "epoll", "simulated"]
    driver_reason: str
    threads: int
    cpus: list[int] | None
    low_latency: LowLatency | None = None
    """Since version 4; null: not asked for."""


class Measurement(_Value):
    """One trial as the engine measured it."""

    format: Literal["httpdyno-measurement"]
    version: Annotated[int, Field(ge=1, le=MEASUREMENT_VERSION)]
    engine: EngineFacts
    load: Literal["closed", "requests", "sessions"]
    started_at: float
    """Unix time of the start, seconds."""
    warm_up_s: float
    window_s: float
    """Length of the measured window: to its stop edge, or to the last reply of a counted run."""
    drain_s: float
    stopped_by: Literal["count", "duration", "interrupt", "precision"]
    calls: Calls
    warm_up_calls: Calls
    completed_in_window: int
    """Right replies whose last byte came inside the window, whenever they were due."""
    offered_per_s: float | None
    """Calls due per second of window (open loads only)."""
    throughput_per_s: float
    """completed_in_window ÷ window_s."""
    statuses: dict[str, int]
    bytes_sent: int
    """Bytes of requests, in the window; with TLS, before encryption."""
    bytes_received: int
    """Bytes of replies, heads and framing included, in the window; with TLS, after decryption."""
    body_bytes: int
    """Bytes of the bodies of replies that were complete in the window."""
    connections: Connections
    handshakes: Handshakes | None = None
    """Null without TLS. Since version 3."""
    sessions: Sessions | None = None
    times: Times
    kernel: Kernel | None = None
    """Since version 3; null: not asked for."""
    intervals: list[Interval]
    mean_in_flight: float
    """Time average of calls begun and not ended, over the window."""
    validity: Validity | None = None
    """Since version 2."""
    cpu: Cpu
    first_failure: str | None = None
    """The first call that failed, in words, for whoever must find out why."""

    @property
    def error_share(self) -> float:
        """Share of the ended and abandoned calls that did not come back right, 0 to 1."""
        lost = self.calls.failed + self.calls.in_flight
        total = lost + self.calls.ok
        return lost / total if total else 0.0

    @property
    def is_brief(self) -> bool:
        """Too short for a rate, or with too few calls for a tail."""
        return self.window_s < BRIEF_S or self.calls.ended < FEWEST_CALLS

    @property
    def achieved_share(self) -> float | None:
        """Achieved ÷ offered rate, of open loads."""
        return None if not self.offered_per_s else self.throughput_per_s / self.offered_per_s
