"""One HdrHistogram of raw times, in its V2 format: https://github.com/HdrHistogram/HdrHistogram."""

from __future__ import annotations

import base64
import struct
import zlib
from typing import Any

import numpy as np

_COOKIE, _COMPRESSED_COOKIE = 0x1C849313, 0x1C849314
_DIGITS = 3
_HALF_BITS = 10
"""A value has its own bucket below 2^11; above, each power of two is divided into 2^10."""
_LONGEST_NS = 3_600_000_000_000

Times = np.ndarray[Any, Any]


def bucket(ns: int) -> int:
    """The number of the bucket that a value is counted in, from 0."""
    shift = max(0, ns.bit_length() - _HALF_BITS - 1)
    return (shift << _HALF_BITS) + (ns >> shift)


def hdr_of(times_ns: Times) -> str:
    """The histogram of these times: compressed, as base64."""
    counts = np.bincount([bucket(ns) for ns in times_ns.tolist()])
    payload, empty = b"", 0
    for count in counts.tolist():
        if count:
            payload += _number(-empty) if empty else b""
            payload += _number(count)
        empty = 0 if count else empty + 1
    shape = struct.pack(">iiqqd", 0, _DIGITS, 1, _LONGEST_NS, 1.0)
    head = struct.pack(">ii", _COOKIE, len(payload)) + shape
    packed = zlib.compress(head + payload)
    return base64.b64encode(struct.pack(">ii", _COMPRESSED_COOKIE, len(packed)) + packed).decode()


def _number(value: int) -> bytes:
    """An integer in ZigZag LEB128."""
    value = value << 1 if value >= 0 else (-value << 1) - 1
    written = bytearray()
    while value >= 0x80:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*written, value])
