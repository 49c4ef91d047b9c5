"""The counters of a machine between two readings, and the samples of a trial."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from httpdyno.host.activity import Activity, activity, interface_of, load_average
from httpdyno.host.link import link_of
from httpdyno.host.machine import Machine
from httpdyno.host.sampler import MOST_SAMPLES, Sampler
from httpdyno.host.use import use_between

STAT = "cpu  0 0 0 0 0 0 0 0 0 0\ncpu0 {busy} 0 0 {idle} 0 0 {softirq} {steal} 0 0\n"
SNMP = "Tcp: MaxConn OutSegs RetransSegs\nTcp: 200 {sent} {again}\nUdp: A\nUdp: 1\n"
NETSTAT = "TcpExt: ListenOverflows TCPTimeouts X\nTcpExt: {overflows} 2 3\nIpExt: A\nIpExt: 1\n"
DEV = " eth0: {got} 10 0 1 0 0 0 0 {put} 20 0 2 0 0 0 0\n   lo: 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9\n"
PRESSURE = "some avg10=0.00 avg60=0.00 avg300=0.00 total={us}\nfull avg10=0.00 total=9\n"


def machine(root: Path, **numbers: int) -> Machine:
    given = {
        "busy": 100,
        "idle": 900,
        "softirq": 50,
        "steal": 10,
        "sent": 1000,
        "again": 5,
        "overflows": 7,
        "got": 1_000,
        "put": 2_000,
        "us": 1_000_000,
    } | numbers
    files = {
        "proc/stat": STAT,
        "proc/net/snmp": SNMP,
        "proc/net/netstat": NETSTAT,
        "proc/net/dev": DEV,
        "proc/pressure/cpu": PRESSURE,
        "proc/meminfo": "MemTotal: 2048 kB\nMemAvailable: 1024 kB\n",
        "proc/loadavg": "0.25 0.5 0.75 1/2 3\n",
    }
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text.format(**given))
    return Machine(root)


def between(tmp_path: Path, seconds: float = 2.0, **after: int) -> tuple[Activity, Activity]:
    first = activity(machine(tmp_path / "before"), "eth0")
    last = activity(machine(tmp_path / "after", **after), "eth0")
    return first, replace(last, at=first.at + seconds)


def test_a_window_has_the_differences_of_the_counters(tmp_path: Path) -> None:
    first, last = between(
        tmp_path,
        busy=150,
        idle=920,
        softirq=70,
        steal=20,
        sent=3000,
        again=15,
        overflows=9,
        got=5_000,
        put=9_000,
        us=2_000_000,
    )
    use = use_between(first, last, roles=("server",), name="s", interface="eth0")
    (core,) = use.cores
    assert core.core == 0
    shares = (core.busy_share, core.softirq_share, core.steal_share)
    assert shares == pytest.approx((0.8, 0.2, 0.1))
    assert (use.received_bytes, use.sent_bytes) == (4_000, 7_000)
    assert (use.segments_sent, use.retransmits, use.retransmit_share) == (2000, 10, 0.005)
    assert (use.listen_overflows, use.tcp_timeouts, use.dropped_packets) == (2, 0, 0)
    assert use.cpu_pressure_share == pytest.approx(0.5)
    assert use.io_pressure_share is None
    assert (use.memory_bytes, use.memory_total_bytes) == (1024 * 1024, 2048 * 1024)


def test_a_machine_without_these_files_has_no_counters(tmp_path: Path) -> None:
    empty = activity(Machine(tmp_path), "eth0")
    use = use_between(empty, replace(empty, at=empty.at + 1), roles=("server",))
    assert use.cores == ()
    assert (use.retransmit_share, use.dropped_share, use.cpu_pressure_share) == (0.0, 0.0, None)


def test_the_load_before_is_the_first_number_of_loadavg(tmp_path: Path) -> None:
    assert load_average(machine(tmp_path)) == 0.25


def test_this_machine_can_be_read() -> None:
    now = activity(Machine(), "lo")
    assert now.cores
    assert now.memory_total_bytes > now.memory_bytes > 0
    assert interface_of("127.0.0.1") == "lo"
    assert interface_of("192.0.2.1") is None


def test_a_virtual_card_has_no_speed() -> None:
    link = link_of("127.0.0.1")
    assert (link.interface, link.bits_per_s) == ("lo", None)


@pytest.mark.parametrize(("speed", "expected"), [("1000", 1e9), ("-1", None), ("0", None)])
def test_a_real_card_reports_its_speed(tmp_path: Path, speed: str, expected: float | None) -> None:
    card = tmp_path / "sys/class/net/lo"
    (card / "device").mkdir(parents=True)
    (card / "speed").write_text(f"{speed}\n")
    assert link_of("127.0.0.1", Machine(tmp_path)).bits_per_s == expected


def test_a_long_trial_is_sampled_less_often_and_loses_neither_end(tmp_path: Path) -> None:
    reading = activity(machine(tmp_path), "eth0")
    count = 0

    def read() -> Activity:
        nonlocal count
        count += 1
        return replace(reading, at=float(count))

    sampler = Sampler(read, every_s=0.0)
    while count < 2 * MOST_SAMPLES:
        pass
    first, last, samples, cost_s = sampler.stop()
    assert first.at == 1.0
    assert last.at == count
    assert 2 <= len(samples) <= MOST_SAMPLES
    assert samples[-1].at_s == count - 1
    assert cost_s > 0
