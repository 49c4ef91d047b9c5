"""Smaller PNG files show the same picture, to the pixel."""

from __future__ import annotations

import struct
import zlib

import sample
import vl_convert
from httpdyno.report.charts.catalogue import replay_drawings
from httpdyno.report.charts.drawing.style import for_file
from httpdyno.report.charts.files.png import SIGNATURE, smaller

Pixels = list[list[tuple[int, ...]]]


def read(png: bytes) -> Pixels:
    """The red, green and blue of each pixel, by the filters 0 and 1 of the PNG specification."""
    assert png.startswith(SIGNATURE)
    at, data, channels, width, height = 8, b"", 0, 0, 0
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        name, body = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        assert struct.unpack(">I", png[at + 8 + length : at + 12 + length])[0] == zlib.crc32(
            name + body
        )
        if name == b"IHDR":
            width, height, _, colour, *_ = struct.unpack(">IIBBBBB", body)
            channels = {2: 3, 6: 4}[colour]
        data += body if name == b"IDAT" else b""
        at += 12 + length
    raw, size = zlib.decompress(data), 1 + channels * width
    return [row(raw[size * y : size * (y + 1)], channels) for y in range(height)]


def row(data: bytes, channels: int) -> list[tuple[int, ...]]:
    pixels: list[tuple[int, ...]] = []
    before: tuple[int, ...] = (0,) * channels
    for at in range(1, len(data), channels):
        pixel = tuple(data[at : at + channels])
        if data[0] == 1:
            pixel = tuple((a + b) % 256 for a, b in zip(pixel, before, strict=True))
        before = pixel
        pixels.append(pixel)
    return [pixel[:3] for pixel in pixels]


def chart(background: str) -> bytes:
    drawing = replay_drawings(sample.replay(2))[0]
    spec = for_file(drawing.spec, drawing.title)
    spec["config"]["background"] = background
    return bytes(vl_convert.vegalite_to_png(spec, vl_version="6.4", scale=0.5))


def test_a_chart_is_the_same_to_the_pixel_in_less_than_half_the_bytes() -> None:
    given = chart("white")
    made = smaller(given)
    assert len(made) < len(given) / 2
    assert read(made) == read(given)
    assert len({pixel for line in read(made) for pixel in line}) > 20, "it is no blank sheet"


def test_a_picture_that_shows_what_is_behind_it_stays_as_it_is() -> None:
    given = chart("transparent")
    assert smaller(given) is given


def test_what_is_small_already_stays_as_it_is() -> None:
    made = smaller(chart("white"))
    assert smaller(made) is made
