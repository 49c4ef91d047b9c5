"""The outcome of one trial: stored, then summarised by the statistics.

Format history of the JSON:
  1  first version.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Literal

from httpdyno.doubts import Number, status_of
from httpdyno.limits.walk import Walk
from httpdyno.measurement import Measurement
from httpdyno.result import Reason, Role, Status
from httpdyno.value import Value

CellKey = tuple[str, str, str]
"""Names of the arm, the load and the point."""


class ServerCost(Value):
    """CPU time of the server's processes in the measured window, and their memory at its end."""

    window_s: float
    """Time between the two readings, which are close to the edges of the engine's window."""
    cpu_s: float
    """Seconds of CPU time, user and system."""
    rss_peak_bytes: int
    threads: int
    processes: int
    voluntary_switches: int
    involuntary_switches: int


class DatabaseUse(Value):
    """The database beside the server in a trial.

    Its statements are those of the whole load, with the warm-up; its CPU time is that of the
    measured window.
    """

    name: str
    window_s: float
    cpu_s: float | None
    """None: it runs elsewhere."""
    cores: int
    """Processors that it may use; 0: not known."""
    shares_server: bool
    """They are those of the server, too."""
    connections: int
    """Connections of the server: the most of those at the edges of the window."""
    replies: int
    """Right replies of the whole load."""
    queries: int | None
    """Statements that read or change rows. None: the database does not count them; so below."""
    reads: int | None
    """Those that read the tables of the workload."""
    rows_read: int | None
    rows_written: int | None
    rows_changed: int | None
    """Rows of World with another number than before the first load on this start of the server;
    None: the workload changes none."""

    @property
    def cores_used(self) -> float | None:
        """The processors that it used on average."""
        return self.cpu_s / self.window_s if self.cpu_s is not None and self.window_s > 0 else None


class CoreUse(Value):
    """Shares of the window that one core spent, 0 to 1."""

    core: int
    busy_share: float
    """On anything, `softirq_share` included."""
    softirq_share: float
    """On interrupts of network cards and timers, which no process is charged for."""
    steal_share: float
    """Taken by the host of a virtual machine."""


class MachineSample(Value):
    """A machine since the sample before."""

    at_s: float
    """Seconds since the first reading."""
    busy_cores: float
    softirq_cores: float
    memory_bytes: int
    """Memory in use now."""
    received_bytes: int
    sent_bytes: int
    retransmits: int


class MachineUse(Value):
    """A machine in the measured window, from the kernel's counters: all of its programs."""

    name: str = ""
    """Empty: the machine that `httpdyno` ran on."""
    roles: tuple[Role, ...]
    window_s: float
    cores: tuple[CoreUse, ...]
    memory_bytes: int
    """Memory in use at the end of the window."""
    memory_total_bytes: int
    interface: str | None = None
    """The network interface of the load; the counters of bytes and packets are its own."""
    received_bytes: int = 0
    sent_bytes: int = 0
    received_packets: int = 0
    sent_packets: int = 0
    dropped_packets: int = 0
    segments_sent: int = 0
    """TCP segments, on all interfaces, as are the next three."""
    retransmits: int = 0
    listen_overflows: int = 0
    tcp_timeouts: int = 0
    cpu_pressure_share: float | None = None
    """Share of the window in which a program waited for a core; None: the kernel does not say."""
    memory_pressure_share: float | None = None
    io_pressure_share: float | None = None
    load_before: float | None = None
    """Load average (1 min) before the trial."""
    samples: tuple[MachineSample, ...] = ()
    """At most two a second; none where only the edges of the window were read."""
    sampling_cpu_s: float = 0.0
    """CPU time of reading all this."""

    @property
    def retransmit_share(self) -> float:
        """Share of the TCP segments that were sent again, 0 to 1."""
        return self.retransmits / self.segments_sent if self.segments_sent else 0.0

    @property
    def dropped_share(self) -> float:
        """Share of the packets of the interface that were dropped, 0 to 1."""
        packets = self.received_packets + self.sent_packets + self.dropped_packets
        return self.dropped_packets / packets if packets else 0.0


def received_bits_per_s(machines: Sequence[MachineUse], names: Container[str]) -> float:
    """Bits per second that some machines have received together, by their interfaces' counters."""
    return sum(
        8 * use.received_bytes / use.window_s
        for use in machines
        if use.name in names and use.window_s > 0
    )


class TrialOutcome(Value):
    """One trial: a measurement with its verdict, or the reason why there is none."""

    version: Literal[1] = 1
    index: int
    block: int
    arm: str
    load: str
    point: str
    started_at: float
    """Unix time, seconds."""
    ended_at: float
    """Unix time when its server had stopped."""
    status: Status
    reasons: tuple[Reason, ...]
    measurement: Measurement | None
    server: ServerCost | None
    ceiling_per_s: float | None
    ceiling_is_bound: bool = False
    """Only a lower bound of that ceiling is known: the machine was busy."""
    walk: Walk | None = None
    """The steps of a capacity load. The measurement is then that of the last step that held."""
    machines: tuple[MachineUse, ...] = ()
    """Use of the machines in the window, that of the server first."""
    database: DatabaseUse | None = None
    """None: there is none beside the server."""

    @property
    def cell(self) -> CellKey:
        """Key of the cell that this trial measured."""
        return (self.arm, self.load, self.point)

    @property
    def usable(self) -> bool:
        """True if its numbers may be shown: an invalid trial has no result."""
        return self.status != "invalid" and self.measurement is not None

    @property
    def is_skipped(self) -> bool:
        """True for a start that was not searched, because those before it held no rate."""
        return self.walk is not None and self.walk.ended == "skipped"

    def status_of(self, number: Number) -> Status:
        """The status of one of its numbers."""
        return status_of(number, self.status, self.reasons)

    @property
    def cpu_s_per_request(self) -> float | None:
        """CPU seconds of the server per right reply in the window."""
        if self.measurement is None or self.server is None:
            return None
        return self._per_reply(self.server.cpu_s, self.server.window_s)

    @property
    def database_cpu_s_per_request(self) -> float | None:
        """CPU seconds of the database per right reply in the window."""
        found = self.database
        if found is None or found.cpu_s is None:
            return None
        return self._per_reply(found.cpu_s, found.window_s)

    @property
    def queries_per_request(self) -> float | None:
        """Queries of the database per right reply."""
        found = self.database
        if found is None or found.queries is None or found.replies == 0:
            return None
        return found.queries / found.replies

    @property
    def database_connections(self) -> int | None:
        """Connections of the server to its database."""
        return None if self.database is None else self.database.connections

    def _per_reply(self, cpu_s: float, window_s: float) -> float | None:
        """CPU time per right reply, from two readings this far apart."""
        if self.measurement is None:
            return None
        # The readings may start after the window, or end in the idle time that follows it.
        seen_s = min(window_s, self.measurement.window_s)
        replies = self.measurement.throughput_per_s * seen_s
        return cpu_s / replies if replies > 0 else None

    @property
    def memory_bytes(self) -> int | None:
        """Peak memory of the server's processes."""
        return None if self.server is None else self.server.rss_peak_bytes
