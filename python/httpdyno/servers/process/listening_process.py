"""Finds the process that listens on an address of this machine, from /proc (proc(5))."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from httpdyno.engine_plan import Target
from httpdyno.servers.process.processes import all_processes

_NET = Path("/proc/net")
_TCP_LISTENS = "0A"
_UNIX_LISTENS = 0x10000  # SO_ACCEPTCON
_ANY = {"0.0.0.0", "::"}  # noqa: S104 - compared, not bound


def listening_pid(target: Target) -> int | None:
    """The process that listens there, or the parent of all that do; None when there is none.

    A process of another user cannot be seen without root.
    """
    sockets = {f"socket:[{inode}]" for inode in _inodes(target)}
    if not sockets:
        return None
    holders = {pid for pid in _pids() if sockets & _links(pid)}
    everyone = all_processes()
    first = [pid for pid in holders if pid in everyone and everyone[pid].parent not in holders]
    return first[0] if len(first) == 1 else None


def _inodes(target: Target) -> set[str]:
    """The listening sockets at this address."""
    if target.unix is not None:
        return set(_unix_sockets(target.unix))
    addresses = _own_addresses(target)
    if not addresses:
        return set()
    return {
        inode
        for file in ("tcp", "tcp6")
        for address, port, inode in _tcp_sockets(_NET / file)
        if port == target.port and (address in _ANY or address in addresses)
    }


def listens_everywhere(port: int) -> bool:
    """True if a program listens on a TCP port of all addresses of this machine."""
    return any(
        number == port and address in _ANY
        for file in ("tcp", "tcp6")
        for address, number, _ in _tcp_sockets(_NET / file)
    )


def _own_addresses(target: Target) -> set[str]:
    """The addresses of the host that belong to this machine."""
    found: set[str] = set()
    with suppress(OSError):
        for family, _, _, _, address in socket.getaddrinfo(
            target.host, target.port, type=socket.SOCK_STREAM
        ):
            with suppress(OSError), socket.socket(family) as probe:
                probe.bind((address[0], 0))
                found.add(str(address[0]))
    return found


def _tcp_sockets(file: Path) -> Iterator[tuple[str, int, str]]:
    """Address, port and inode of each socket that listens."""
    for line in _lines(file):
        fields = line.split()
        if fields[3] == _TCP_LISTENS:
            address, _, port = fields[1].partition(":")
            yield _address(address), int(port, 16), fields[9]


def _address(text: str) -> str:
    """`0100007F` as `127.0.0.1`: words of four bytes, each in the machine's byte order."""
    words = [bytes.fromhex(text[at : at + 8])[::-1] for at in range(0, len(text), 8)]
    packed = b"".join(words)
    family = socket.AF_INET if len(packed) == 4 else socket.AF_INET6
    return socket.inet_ntop(family, packed).removeprefix("::ffff:")


def _unix_sockets(path: str) -> Iterator[str]:
    for line in _lines(_NET / "unix"):
        fields = line.split(maxsplit=7)
        listens = len(fields) == 8 and int(fields[3], 16) & _UNIX_LISTENS
        if listens and _is_path(fields[7], path):
            yield fields[6]


def _is_path(shown: str, path: str) -> bool:
    """The kernel shows the path as the server gave it, which may be relative to its folder."""
    return shown == path or path.endswith("/" + shown.removeprefix("./"))


def _lines(file: Path) -> list[str]:
    """The lines of a table of /proc/net, without its head."""
    try:
        return file.read_text(encoding="utf-8", errors="replace").splitlines()[1:]
    except OSError:
        return []


def _pids() -> Iterator[int]:
    return (int(name) for name in os.listdir("/proc") if name.isdigit())  # noqa: PTH208


def _links(pid: int) -> set[str]:
    """The files behind the descriptors of a process; empty if they may not be read."""
    folder = f"/proc/{pid}/fd"
    found: set[str] = set()
    with suppress(OSError):
        for name in os.listdir(folder):  # noqa: PTH208 - iterdir is slower
            with suppress(OSError):
                found.add(os.readlink(f"{folder}/{name}"))  # noqa: PTH115
    return found
