"""A wire that delays and loses packets: `slow_wire.py TAP TAP MS LOSS` in the switch's namespace.

It makes two network devices and passes each frame from one to the other, later. It prints `ready`
once they exist.
"""

from __future__ import annotations

import fcntl
import os
import random
import select
import struct
import sys
from collections import deque
from contextlib import suppress
from time import monotonic

TUNSETIFF = 0x400454CA
IFF_TAP, IFF_NO_PI = 0x0002, 0x1000
LONGEST = 65536
MOST_FRAMES = 10_000
"""Frames under way; more are lost, as in a switch."""


def opened(name: str) -> int:
    """The device with this name, as a file of whole frames."""
    device = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TAP | IFF_NO_PI))
    return device


def pass_on(one: int, other: int, delay_s: float, loss: float) -> None:
    """Pass frames on for ever."""
    opposite = {one: other, other: one}
    under_way: deque[tuple[float, int, bytes]] = deque()
    chance = random.Random(1)
    while True:
        wait_s = max(0.0, under_way[0][0] - monotonic()) if under_way else None
        for device in select.select(list(opposite), [], [], wait_s)[0]:
            frame = os.read(device, LONGEST)
            if chance.random() >= loss and len(under_way) < MOST_FRAMES:
                under_way.append((monotonic() + delay_s, opposite[device], frame))
        while under_way and under_way[0][0] <= monotonic():
            _, device, frame = under_way.popleft()
            with suppress(OSError):  # the device is not up
                os.write(device, frame)


if __name__ == "__main__":
    first, second, ms, loss = sys.argv[1:]
    devices = opened(first), opened(second)
    print("ready", flush=True)  # noqa: T201
    pass_on(*devices, float(ms) / 1000, float(loss))
