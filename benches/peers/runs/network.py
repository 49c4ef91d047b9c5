"""A network namespace for the bench, in which the port of a closed connection is free at once.

Otherwise each closed connection keeps its port for a minute (TIME_WAIT; a second if the kernel may
reuse it). With half of the ports taken, the kernel's search for a free one takes longer than the
call, and a row of short connections would measure that search, most of all for the fastest tool.
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
    """Move this thread and its children into a network with only loopback; return what was done.

    If that is not permitted, nothing changes and the answer says so.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_CLONE_NEWNET) != 0:
        return f"that of the machine ({os.strerror(ctypes.get_errno())})"
    with socket.socket() as any_socket:
        up = struct.pack("16sh14x", b"lo", _IFF_UP)
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, up)
    for name, value in _SETTINGS.items():
        (_IPV4 / name).write_text(value, encoding="utf-8")
    return "a separate namespace: ports 1,024 to 65,535, no TIME_WAIT"
