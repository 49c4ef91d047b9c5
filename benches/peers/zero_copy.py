"""Tries to receive a large reply without a copy on this machine.

    python benches/peers/zero_copy.py

Two ways, on loopback: that of io_uring, which gives the program a queue of the network card, and
that of TCP, which maps the pages that hold the payload.
"""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
import socket
import struct
import threading
from collections.abc import Iterator

PAYLOAD = 550_000
ROOM = 1 << 20
_SETUP, _REGISTER = 425, 427
_RING_FLAGS = 1 << 12 | 1 << 13 | 1 << 11  # single issuer, deferred task work, wide completions
_REGISTER_ZCRX = 32
_QUEUE_ENTRIES = 64
_TCP_ZEROCOPY_RECEIVE = 35

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]


def _memory(size: int, descriptor: int = -1) -> int:
    """Map memory, or the payload of a socket; returns the address. Raises OSError."""
    flags, rights = mmap.MAP_SHARED, mmap.PROT_READ
    if descriptor < 0:
        flags, rights = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ | mmap.PROT_WRITE
    address = _libc.mmap(None, size, rights, flags, descriptor, 0)
    if address in (None, ctypes.c_void_p(-1).value):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return int(address)


def by_uring(interface: str = "lo") -> str:
    """The kernel's answer to a ring that asks for a receive queue of the interface."""
    parameters = ctypes.create_string_buffer(120)
    struct.pack_into("<III", parameters, 0, 0, 0, _RING_FLAGS)
    ring = _libc.syscall(_SETUP, 8, parameters)
    if ring < 0:
        return f"io_uring_setup: {errno.errorcode[ctypes.get_errno()]}"
    try:
        area = ctypes.create_string_buffer(struct.pack("<QQQIIQQ", _memory(ROOM), ROOM, *[0] * 5))
        size = 1 << 16
        user_memory = 1
        region = ctypes.create_string_buffer(
            struct.pack("<QQIIQ4Q", _memory(size), size, user_memory, 0, 0, *[0] * 4)
        )
        request = ctypes.create_string_buffer(
            struct.pack(
                "<IIIIQQ4I2QII3Q",
                *(socket.if_nametoindex(interface), 0, _QUEUE_ENTRIES, 0),
                *(ctypes.addressof(area), ctypes.addressof(region)),
                *[0] * 11,
            )
        )
        if _libc.syscall(_REGISTER, ring, _REGISTER_ZCRX, request, 1) == 0:
            return "accepted"
        number = ctypes.get_errno()
        return f"{errno.errorcode[number]} ({os.strerror(number)})"
    finally:
        os.close(ring)


def by_mapping() -> tuple[int, int]:
    """Number of bytes of a large payload that were mapped, and that had to be copied."""
    with socket.create_server(("127.0.0.1", 0)) as door:
        sender = threading.Thread(target=_send, args=(door,))
        sender.start()
        with socket.create_connection(door.getsockname()) as receiver:
            address = _memory(ROOM, receiver.fileno())
            mapped = copied = 0
            while mapped + copied < PAYLOAD:
                receiver.recv(1, socket.MSG_PEEK)
                request = ctypes.create_string_buffer(struct.pack("<QIIIi", address, ROOM, 0, 0, 0))
                length = ctypes.c_uint32(len(request) - 1)
                if _libc.getsockopt(
                    receiver.fileno(),
                    socket.IPPROTO_TCP,
                    _TCP_ZEROCOPY_RECEIVE,
                    request,
                    ctypes.byref(length),
                ):
                    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
                _, here, hint, _, _ = struct.unpack("<QIIIi", request.raw[:24])
                mapped += here
                copied += len(receiver.recv(hint)) if hint or not here else 0
        sender.join()
    return mapped, copied


def _send(door: socket.socket) -> None:
    peer, _ = door.accept()
    with peer:
        peer.sendall(b"x" * PAYLOAD)


def report() -> Iterator[str]:
    """The results, in Markdown."""
    yield "### Zero-copy receive of large replies, on loopback"
    yield ""
    yield f"- io_uring's zero-copy receive (`IORING_REGISTER_ZCRX_IFQ` on `lo`): {by_uring()}."
    try:
        mapped, copied = by_mapping()
        yield (
            f"- TCP's (`TCP_ZEROCOPY_RECEIVE`): of {PAYLOAD:,} bytes {mapped:,} were mapped,"
            f" {copied:,} copied."
        )
    except OSError as why:
        yield f"- TCP's (`TCP_ZEROCOPY_RECEIVE`): {why.strerror}."


if __name__ == "__main__":
    print("\n".join(report()))
