"""Sockets, memory and limits of the kernel."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class Held:
    """A snapshot."""

    sockets: int
    """TCP sockets in use, both ends of local connections; without TIME_WAIT."""
    kernel_bytes: int
    """Memory of the kernel's tables (slab) and socket buffers."""
    tcp_bytes: int
    """Memory of socket buffers, as counted by TCP."""
    process_bytes: int
    """Resident memory of the given processes."""


def look(processes: Iterable[int]) -> Held:
    """Take a snapshot."""
    words = next(line for line in _lines("/proc/net/sockstat") if line.startswith("TCP:")).split()
    tcp = dict(zip(words[1::2], map(int, words[2::2]), strict=True))
    tcp_bytes = tcp["mem"] * _PAGE
    return Held(
        sockets=tcp["inuse"],
        kernel_bytes=_field("/proc/meminfo", "Slab") * 1024 + tcp_bytes,
        tcp_bytes=tcp_bytes,
        process_bytes=sum(_field(f"/proc/{one}/status", "VmRSS") * 1024 for one in processes),
    )


def limit(name: str) -> list[int]:
    """The numbers of a sysctl: `fs.nr_open`, `net.ipv4.tcp_mem`."""
    text = Path("/proc/sys", *name.split(".")).read_text(encoding="ascii")
    return [int(word) for word in text.split()]


def memory_bytes() -> int:
    """Memory of this machine."""
    return _field("/proc/meminfo", "MemTotal") * 1024


def _field(path: str, name: str) -> int:
    line = next(line for line in _lines(path) if line.startswith(f"{name}:"))
    return int(line.split()[1])


def _lines(path: str) -> list[str]:
    return Path(path).read_text(encoding="ascii").splitlines()
