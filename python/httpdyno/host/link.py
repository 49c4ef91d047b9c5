"""The network card of an address: its speed and what it does for the kernel (netdevice(7))."""

from __future__ import annotations

import array
import fcntl
import socket
import struct
from dataclasses import dataclass

from httpdyno.host.activity import interface_of
from httpdyno.host.machine import Machine

_SIOCETHTOOL = 0x8946
_OFFLOADS = {"tso": 0x1E, "gso": 0x23, "gro": 0x2B, "rx-checksum": 0x14, "tx-checksum": 0x16}
"""The requests of linux/ethtool.h that ask for each."""


@dataclass(frozen=True)
class Link:
    """The interface of an address."""

    interface: str | None
    bits_per_s: float | None
    """None: it reports no speed, as virtual interfaces do."""
    offloads: tuple[str, ...]
    mtu: int | None = None
    """Its largest packet in bytes, IP head included."""


def link_of(address: str, machine: Machine | None = None) -> Link:
    """The link of an address of this machine."""
    name = interface_of(address)
    if name is None:
        return Link(None, None, ())
    of = machine or Machine()
    return Link(name, _speed(of, name), _offloads(name), _mtu(of, name))


def _speed(machine: Machine, name: str) -> float | None:
    """Its speed; a virtual interface has one too, but it is made up."""
    folder = f"sys/class/net/{name}"
    megabits = machine.text(f"{folder}/speed") or ""
    if not machine.exists(f"{folder}/device") or not megabits.isdigit() or megabits == "0":
        return None
    return int(megabits) * 1e6


def _mtu(machine: Machine, name: str) -> int | None:
    text = machine.text(f"sys/class/net/{name}/mtu") or ""
    return int(text) if text.isdigit() else None


def _offloads(name: str) -> tuple[str, ...]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        return tuple(one for one, number in _OFFLOADS.items() if _is_on(probe, name, number))


def _is_on(probe: socket.socket, name: str, number: int) -> bool:
    value = array.array("I", [number, 0])
    where, _ = value.buffer_info()
    try:
        fcntl.ioctl(probe.fileno(), _SIOCETHTOOL, struct.pack("16sP16x", name.encode(), where))
    except OSError:
        return False
    return value[1] != 0
