"""Reads the kernel's counters of a whole machine. Two readings give its use in between (`use.py`).

proc(5), proc_pid_net(5) and the kernel's Documentation/accounting/psi.rst describe the files.
"""

from __future__ import annotations

import fcntl
import os
import socket
import struct
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from httpdyno.host.machine import Machine

_MOST_DIGITS = 20

_TICK_S = 1.0 / os.sysconf("SC_CLK_TCK")
_SIOCGIFADDR = 0x8915  # netdevice(7)
_PRESSURES = ("cpu", "memory", "io")


@dataclass(frozen=True)
class Core:
    """CPU time of one core since boot, in seconds."""

    total_s: float
    idle_s: float
    softirq_s: float
    steal_s: float


@dataclass(frozen=True)
class Traffic:
    """Counters of a network interface."""

    received_bytes: int = 0
    sent_bytes: int = 0
    received_packets: int = 0
    sent_packets: int = 0
    dropped: int = 0


@dataclass(frozen=True)
class Activity:
    """All counters at one moment; `at` is the monotonic clock in seconds."""

    at: float
    cores: Mapping[int, Core]
    traffic: Traffic
    tcp: Mapping[str, int]
    pressure_s: Mapping[str, float]
    """Seconds that some program has waited, by resource."""
    memory_bytes: int
    memory_total_bytes: int


def activity(machine: Machine, interface: str | None) -> Activity:
    """Reads all counters now; those that cannot be read are 0 or absent."""
    total, available = (_kibibytes(machine, key) for key in ("MemTotal", "MemAvailable"))
    return Activity(
        at=monotonic(),
        cores=_cores(machine),
        traffic=_traffic(machine, interface),
        tcp={
            **_table(machine, "proc/net/snmp", "Tcp"),
            **_table(machine, "proc/net/netstat", "TcpExt"),
        },
        pressure_s=_pressure(machine),
        memory_bytes=max(0, total - available),
        memory_total_bytes=total,
    )


def interface_of(address: str) -> str | None:
    """The network interface that has an address; None: no interface of this machine."""
    if ":" in address:
        return _interface_of_ipv6(address)
    if address.startswith("127."):
        return "lo"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        for _, name in socket.if_nameindex():
            try:
                request = struct.pack("256s", name.encode()[:15])
                found = fcntl.ioctl(probe.fileno(), _SIOCGIFADDR, request)
            except OSError:
                continue
            if socket.inet_ntoa(found[20:24]) == address:
                return name
    return None


def _interface_of_ipv6(address: str) -> str | None:
    digits = socket.inet_pton(socket.AF_INET6, address).hex()
    with suppress(OSError):
        for line in Path("/proc/net/if_inet6").read_text(encoding="ascii").splitlines():
            words = line.split()
            if words[0] == digits:
                return words[5]
    return None


def load_average(machine: Machine) -> float | None:
    """Programs that ran or waited in the last minute, on average."""
    words = (machine.text("proc/loadavg") or "").split()
    with suppress(ValueError):
        return float(words[0]) if words else None
    return None


def _cores(machine: Machine) -> dict[int, Core]:
    found = {}
    for line in (machine.text("proc/stat") or "").splitlines():
        name, *words = line.split()
        number = name.removeprefix("cpu")
        if name == number or not number.isdigit() or not _are_numbers(words, 8):
            continue
        user, nice, system, idle, waiting, irq, softirq, steal = (
            int(word) * _TICK_S for word in words[:8]
        )
        total = user + nice + system + idle + waiting + irq + softirq + steal
        found[int(number)] = Core(total, idle + waiting, softirq, steal)
    return found


def _traffic(machine: Machine, interface: str | None) -> Traffic:
    words = (machine.field("proc/net/dev", interface) or "").split() if interface else []
    if not _are_numbers(words, 16):
        return Traffic()
    numbers = [int(word) for word in words[:16]]
    return Traffic(numbers[0], numbers[8], numbers[1], numbers[9], numbers[3] + numbers[11])


def _table(machine: Machine, path: str, name: str) -> dict[str, int]:
    """One table of pairs of lines: the names, then the numbers."""
    lines = [
        line.split()[1:]
        for line in (machine.text(path) or "").splitlines()
        if line.startswith(f"{name}:")
    ]
    if len(lines) != 2:
        return {}
    names = {"OutSegs", "RetransSegs", "ListenOverflows", "TCPTimeouts"}
    return {
        key: int(value)
        for key, value in zip(*lines, strict=False)
        if key in names and _are_numbers([value], 1)
    }


def _pressure(machine: Machine) -> dict[str, float]:
    found = {}
    for resource in _PRESSURES:
        text = machine.text(f"proc/pressure/{resource}") or ""
        some = next((line for line in text.splitlines() if line.startswith("some ")), "")
        _, sign, total = some.partition("total=")
        if sign and total.isdigit():
            found[resource] = int(total) * 1e-6
    return found


def _kibibytes(machine: Machine, key: str) -> int:
    words = (machine.field("proc/meminfo", key) or "").split()
    return int(words[0]) * 1024 if _are_numbers(words, 1) else 0


def _are_numbers(words: list[str], count: int) -> bool:
    """True if the first so many words are counters, as the kernel writes them."""
    return len(words) >= count and all(
        word.isascii() and word.isdigit() and len(word) <= _MOST_DIGITS for word in words[:count]
    )
