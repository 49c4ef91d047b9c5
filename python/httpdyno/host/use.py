"""The use of a machine between two readings of its counters."""

from __future__ import annotations

from collections.abc import Sequence

from httpdyno.host.activity import Activity, Core
from httpdyno.outcome import CoreUse, MachineSample, MachineUse
from httpdyno.result import Role

__all__ = ["sample_between", "use_between"]


def use_between(
    before: Activity,
    after: Activity,
    *,
    roles: Sequence[Role],
    name: str = "",
    interface: str | None = None,
    load_before: float | None = None,
    samples: Sequence[MachineSample] = (),
    sampling_cpu_s: float = 0.0,
) -> MachineUse:
    """The use of the machine between two readings."""
    window_s = after.at - before.at
    tcp = {key: after.tcp.get(key, 0) - before.tcp.get(key, 0) for key in after.tcp}
    old, new = before.traffic, after.traffic
    waited = _waited_shares(before, after)
    return MachineUse(
        name=name,
        roles=tuple(roles),
        window_s=window_s,
        cores=tuple(
            _core_use(number, before.cores[number], core)
            for number, core in after.cores.items()
            if number in before.cores
        ),
        memory_bytes=after.memory_bytes,
        memory_total_bytes=after.memory_total_bytes,
        interface=interface,
        received_bytes=new.received_bytes - old.received_bytes,
        sent_bytes=new.sent_bytes - old.sent_bytes,
        received_packets=new.received_packets - old.received_packets,
        sent_packets=new.sent_packets - old.sent_packets,
        dropped_packets=new.dropped - old.dropped,
        segments_sent=tcp.get("OutSegs", 0),
        retransmits=tcp.get("RetransSegs", 0),
        listen_overflows=tcp.get("ListenOverflows", 0),
        tcp_timeouts=tcp.get("TCPTimeouts", 0),
        cpu_pressure_share=waited.get("cpu"),
        memory_pressure_share=waited.get("memory"),
        io_pressure_share=waited.get("io"),
        load_before=load_before,
        samples=tuple(samples),
        sampling_cpu_s=sampling_cpu_s,
    )


def _waited_shares(before: Activity, after: Activity) -> dict[str, float]:
    """The share of the time in which something waited for each resource."""
    window_s = after.at - before.at
    if window_s <= 0:
        return {}
    return {
        key: min(1.0, (waited_s - before.pressure_s.get(key, 0.0)) / window_s)
        for key, waited_s in after.pressure_s.items()
    }


def sample_between(first: Activity, before: Activity, after: Activity) -> MachineSample:
    """One line of a time series; `first` is where it begins."""
    seconds = max(after.at - before.at, 1e-9)
    pairs = [(before.cores[n], core) for n, core in after.cores.items() if n in before.cores]
    busy_s = sum((b.total_s - b.idle_s) - (a.total_s - a.idle_s) for a, b in pairs)
    tcp = (after.tcp.get("RetransSegs", 0), before.tcp.get("RetransSegs", 0))
    return MachineSample(
        at_s=after.at - first.at,
        busy_cores=busy_s / seconds,
        softirq_cores=sum(b.softirq_s - a.softirq_s for a, b in pairs) / seconds,
        memory_bytes=after.memory_bytes,
        received_bytes=after.traffic.received_bytes - before.traffic.received_bytes,
        sent_bytes=after.traffic.sent_bytes - before.traffic.sent_bytes,
        retransmits=tcp[0] - tcp[1],
    )


def _core_use(number: int, before: Core, after: Core) -> CoreUse:
    total = after.total_s - before.total_s

    def share(seconds: float) -> float:
        return min(1.0, max(0.0, seconds / total)) if total > 0 else 0.0

    return CoreUse(
        core=number,
        busy_share=share(total - (after.idle_s - before.idle_s)),
        softirq_share=share(after.softirq_s - before.softirq_s),
        steal_share=share(after.steal_s - before.steal_s),
    )
