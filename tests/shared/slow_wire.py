"""A slow wire: `slow_wire.py TAP TAP MS LOSS BITS_PER_S` in the switch's namespace.

It makes two network devices and passes each frame from one to the other: later, not all of them,
and no faster than its rate in each direction (0: any). It prints `ready` once they exist.
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
MOST_QUEUE_S = 2.0
"""Frames that would wait for longer are lost."""


def opened(name: str) -> int:
    """The device with this name, as a file of whole frames."""
    device = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TAP | IFF_NO_PI))
    return device


def pass_on(one: int, other: int, delay_s: float, loss: float, bits_per_s: float) -> None:
    """Pass frames on for ever."""
    opposite = {one: other, other: one}
    under_way: dict[int, deque[tuple[float, bytes]]] = {one: deque(), other: deque()}
    free_at = {one: 0.0, other: 0.0}
    chance = random.Random(1)
    while True:
        due = [frames[0][0] for frames in under_way.values() if frames]
        wait_s = max(0.0, min(due) - monotonic()) if due else None
        for device in select.select(list(opposite), [], [], wait_s)[0]:
            frame, to = os.read(device, LONGEST), opposite[device]
            now = monotonic()
            begins = max(now, free_at[to])
            queued = len(under_way[to]) >= MOST_FRAMES or begins - now > MOST_QUEUE_S
            if chance.random() < loss or queued:
                continue
            free_at[to] = begins + (8 * len(frame) / bits_per_s if bits_per_s else 0.0)
            under_way[to].append((free_at[to] + delay_s, frame))
        for device, frames in under_way.items():
            while frames and frames[0][0] <= monotonic():
                with suppress(OSError):  # the device is not up
                    os.write(device, frames.popleft()[1])


if __name__ == "__main__":
    first, second, ms, loss, bits = sys.argv[1:]
    devices = opened(first), opened(second)
    print("ready", flush=True)  # noqa: T201
    pass_on(*devices, float(ms) / 1000, float(loss), float(bits))
