"""The means of the engine to send and to receive: io_uring or epoll, loopback, files and ports."""

from __future__ import annotations

import platform
import re
import socket
from collections.abc import Iterator

from httpdyno.host.doctor.finding import Finding
from httpdyno.host.doctor.place import Place, Remedy
from httpdyno.host.machine import Machine

__all__ = ["drivers", "loopback"]

_URING_FROM = (6, 1)
_EPOLL = (
    "epoll takes its place; a request takes more processor time, so the generator's ceiling"
    " is lower"
)


def drivers(
    machine: Machine, place: Place, uring: str | None, epoll: str | None
) -> Iterator[Finding]:
    """The drivers of the engine. `uring`, `epoll`: why each cannot be used; None: it can."""
    if uring is None:
        yield Finding("io_uring", "usable", "ok", "the engine's best driver")
        return
    value, remedy = _refusal(machine, place, uring)
    if epoll is not None:
        value += f"; epoll: {epoll}"
        no_driver = "the engine has no driver: nothing can be measured"
        yield Finding("io_uring", value, "fails", no_driver, *remedy)
        return
    yield Finding("io_uring", value, "limited", _EPOLL, *remedy)


def _refusal(machine: Machine, place: Place, reason: str) -> tuple[str, Remedy]:
    """The cause of a refusal, with what allows it."""
    disabled = machine.text("proc/sys/kernel/io_uring_disabled")
    allow = "sysctl kernel.io_uring_disabled=0"
    if disabled == "2":
        return "turned off for all users (kernel.io_uring_disabled is 2)", place.setting(allow)
    if disabled == "1" and not place.root:
        return "for root only (kernel.io_uring_disabled is 1)", place.setting(allow)
    release = machine.text("proc/sys/kernel/osrelease") or platform.release()
    version = re.match(r"(\d+)\.(\d+)", release)
    if version and (int(version[1]), int(version[2])) < _URING_FROM:
        return f"Linux {release} is too old: expected 6.1 or newer", Remedy(None)
    if machine.field("proc/self/status", "Seccomp") == "2":
        blocked = "refused, probably by a seccomp filter"
        if place.container:
            return blocked, place.start("--security-opt seccomp=unconfined")
        return blocked, Remedy(None)
    return f"unavailable ({reason})", Remedy(None)


def loopback(place: Place) -> Finding:
    """A connection of this machine to itself: servers under test listen there."""
    try:
        with (
            socket.create_server(("127.0.0.1", 0)) as server,
            socket.create_connection(server.getsockname(), timeout=2),
        ):
            return Finding("loopback", "127.0.0.1 answers", "ok", "servers can run on this machine")
    except OSError as error:
        where = "in a container that was started with `docker run --cap-add NET_ADMIN`"
        return Finding(
            "loopback",
            f"127.0.0.1 does not answer ({error.strerror or error})",
            "fails",
            "no server of this machine can be measured",
            *Remedy(place.as_root("ip link set lo up"), where if place.container else None),
        )
