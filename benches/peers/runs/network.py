"""A network of the bench's own, in which a closed connection's port is free again at once.

Elsewhere each closed connection keeps its port for a minute (TIME_WAIT; a second where the kernel
may reuse it). After half of the ports the kernel's search for a free one takes longer than the
call, and a row of short connections would measure that search: worst for the fastest tool.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import socket
import struct
from pathlib import Path

_CLONE_NEWNET = 0x40000000
_SIOCSIFFLAGS = 0x8914
_IFF_UP = 1
_SETTINGS = {"ip_local_port_range": "1024 65535", "tcp_max_tw_buckets": "0"}
_IPV4 = Path("/proc/sys/net/ipv4")


def own_network() -> str:
    """Move this thread, and what it starts, into a network with loopback alone; what was done.

    Where that is forbidden, nothing is done and the answer says so.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_CLONE_NEWNET) != 0:
        return f"the machine's own ({os.strerror(ctypes.get_errno())})"
    with socket.socket() as any_socket:
        up = struct.pack("16sh14x", b"lo", _IFF_UP)
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, up)
    for name, value in _SETTINGS.items():
        (_IPV4 / name).write_text(value, encoding="utf-8")
    return "one of its own: ports 1,024 to 65,535, no TIME_WAIT"
