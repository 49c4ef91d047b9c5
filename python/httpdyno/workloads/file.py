"""file: a PNG picture of exactly 50,990 bytes, the size of the 2011 post's file.

The bytes must not depend on the machine, so that every machine serves and expects the same file.
So the picture is drawn with integers (independent of libm) and stored uncompressed (independent of
the zlib version). Format: PNG 1.2, RFC 1951 §3.2.4.
"""

from __future__ import annotations

import struct
import zlib
from functools import cache

from httpdyno.workloads.workload import Exchange, Workload

SIZE = 50_990
SIDE = 224

_PAPER, _GRID, _FACE, _RIM, _NEEDLE, _TORQUE, _POWER = range(7)
_PALETTE = (
    (250, 249, 245),
    (226, 224, 214),
    (240, 238, 230),
    (61, 61, 58),
    (217, 119, 87),
    (106, 155, 204),
    (120, 140, 93),
)

_KEYWORD = b"Comment\0"
_TEXT = b"The dynamometer of httpdyno; these words bring the file to 50,990 bytes. "


@cache
def picture() -> bytes:
    """The PNG file: a dial above torque and power curves, 224 x 224, 8-bit palette."""
    header = struct.pack(">IIBBBBB", SIDE, SIDE, 8, 3, 0, 0, 0)
    palette = b"".join(bytes(colour) for colour in _PALETTE)
    pixels = b"".join(b"\0" + bytes(_colour(x, y) for x in range(SIDE)) for y in range(SIDE))
    before = b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"PLTE", palette)
    after = _chunk(b"IDAT", _store(pixels)) + _chunk(b"IEND", b"")
    room = SIZE - len(before) - len(after) - 12 - len(_KEYWORD)
    text = _KEYWORD + (_TEXT * (room // len(_TEXT) + 1))[:room]
    return before + _chunk(b"tEXt", text) + after


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _store(data: bytes) -> bytes:
    """A zlib stream of one stored block. `data` has at most 65,535 bytes."""
    block = struct.pack("<BHH", 1, len(data), len(data) ^ 0xFFFF) + data
    return b"\x78\x01" + block + struct.pack(">I", zlib.adler32(data))


def _colour(x: int, y: int) -> int:
    """The palette index of a pixel: dial above (radius 62 around (112, 84)), curves below."""
    dx, dy = x - 112, y - 84
    squared = dx * dx + dy * dy
    if 58 * 58 <= squared <= 62 * 62:
        return _RIM
    if squared < 58 * 58:
        return _dial(dx, dy, squared)
    return _curves(x, y)


def _dial(dx: int, dy: int, squared: int) -> int:
    if squared <= 6 * 6:
        return _RIM
    # The needle points along (4, -3). The cross product is 5 x the distance from that line.
    if squared <= 46 * 46 and abs(3 * dx + 4 * dy) <= 10 and 4 * dx - 3 * dy > 0:
        return _NEEDLE
    on_tick = dy <= 0 and any(abs(dx * ty + dy * tx) <= 2 * 13 for tx, ty in _TICKS)
    return _RIM if squared >= 50 * 50 and on_tick else _FACE


_TICKS = ((0, 13), (5, 12), (12, 5), (13, 0), (-5, 12), (-12, 5))
"""Directions of length 13. The cross product above is 13 x the distance from the tick's line."""


def _curves(x: int, y: int) -> int:
    torque = 212 - (48 * 10_000 - 48 * (x - 100) * (x - 100)) // 16_000
    power = 216 - (x * (300 - x)) // 380
    if y >= 150 and abs(y - torque) <= 1:
        return _TORQUE
    if y >= 150 and abs(y - power) <= 1:
        return _POWER
    return _GRID if x % 16 == 0 or y % 16 == 0 else _PAPER


FILE = Workload(
    name="file",
    title="File",
    description="GET /file.png returns a PNG picture of 50,990 bytes, as each server sends files.",
    measured=(
        Exchange(
            path="/file.png",
            answer=picture(),
            content_type="image/png",
            why="reads and sends a medium-sized file",
        ),
    ),
)
