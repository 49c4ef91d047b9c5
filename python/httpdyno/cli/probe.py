"""`httpdyno probe`: the engine's driver on this machine, and the limits of this machine."""

from __future__ import annotations

import os
import resource
from pathlib import Path

from httpdyno.output.echo import echo

__all__ = ["probe"]

_PORT_RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")


def probe() -> None:
    """Show which driver the engine uses on this machine, and why; and its limits.

    \b
    Example:
      httpdyno probe
    """
    from httpdyno import engine

    found = engine.probe()
    rows = [
        ("driver", f"{found.chosen}: {found.reason}"),
        ("io_uring", found.io_uring or "usable"),
        ("epoll", found.epoll or "usable"),
        ("processors", f"{_processors()} of {os.cpu_count()} available to this process"),
        ("open files", f"{_open_files()} (each connection takes one)"),
    ]
    ports = _local_ports()
    if ports is not None:
        rows.append(("local ports", f"{ports:,} (as many connections at once to one address)"))
    for name, value in rows:
        echo(f"{name:<13}{value}")


def _processors() -> int:
    """The number of processors that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _open_files() -> str:
    soft, _hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return "unlimited" if soft == resource.RLIM_INFINITY else f"{soft:,}"


def _local_ports() -> int | None:
    """The number of ports for outgoing connections; None where unknown."""
    try:
        first, last = _PORT_RANGE.read_text(encoding="ascii").split()
    except OSError:
        return None
    return int(last) - int(first) + 1
