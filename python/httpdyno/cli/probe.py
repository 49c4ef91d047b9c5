"""`httpdyno probe`: what this machine lets the engine do, and what limits it."""

from __future__ import annotations

import os
import resource
from pathlib import Path

import typer

__all__ = ["probe"]

_PORT_RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")


def probe() -> None:
    """Tell what this machine lets the engine do: its driver and why, and the limits it meets.

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
        ("processors", f"{_processors()} may be used, of {os.cpu_count()}"),
        ("open files", f"{_open_files()} at most, so about as many connections"),
    ]
    ports = _local_ports()
    if ports is not None:
        rows.append(("local ports", f"{ports:,}: so many connections at once to one address"))
    for name, value in rows:
        typer.echo(f"{name:<13}{value}")


def _processors() -> int:
    """How many processors this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _open_files() -> str:
    soft, _hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return "unlimited" if soft == resource.RLIM_INFINITY else f"{soft:,}"


def _local_ports() -> int | None:
    """The size of the range that outgoing connections take their ports from; None where unknown."""
    try:
        first, last = _PORT_RANGE.read_text(encoding="ascii").split()
    except OSError:
        return None
    return int(last) - int(first) + 1
