"""Parses rates, steady or changing, into the segments of an arrival process.

5000                     5,000/s until the end; 5k, 5e3 and 5000/s are the same
1000:5000/30s            a ramp from 1,000/s to 5,000/s within 30 s
1000x10s,2000x10s        1,000/s for 10 s, then 2,000/s for 10 s
"""

from __future__ import annotations

import re

from httpdyno.cli.values import parse_time
from httpdyno.engine_plan import Segment
from httpdyno.units import RATE, parse_rate

__all__ = ["parse_segments", "total_seconds"]

_STEADY = re.compile(RATE)
_STEP = re.compile(rf"({RATE})x(.+)")
_RAMP = re.compile(rf"({RATE}):({RATE})/(.+)")
_EXPECTED = (
    "expected a rate per second such as `5000`, a ramp such as `1000:5000/30s`"
    " or steps such as `1000x10s,2000x10s`"
)


def parse_segments(text: str) -> list[Segment]:
    """Parse a rate into its segments. Raises ValueError with what was expected."""
    if ".." in text:
        raise ValueError(
            "expected one rate; `httpdyno sweep` measures several, one after the other"
        )
    segments = [_segment(piece.strip()) for piece in text.split(",")]
    if any(segment.seconds is None for segment in segments[:-1]):
        raise ValueError("expected a duration for each step but the last, such as `1000x10s,2000`")
    if not any(segment.from_per_s or segment.to_per_s for segment in segments):
        raise ValueError("expected a rate above zero")
    return segments


def total_seconds(segments: list[Segment]) -> float | None:
    """The duration of all segments together; None when the last one has no end."""
    lengths = [segment.seconds for segment in segments]
    return None if None in lengths else sum(length or 0.0 for length in lengths)


def _segment(piece: str) -> Segment:
    if _STEADY.fullmatch(piece):
        return _built(piece, piece, None)
    if match := _STEP.fullmatch(piece):
        return _built(match[1], match[1], match[2])
    if match := _RAMP.fullmatch(piece):
        return _built(match[1], match[2], match[3])
    raise ValueError(_EXPECTED)


def _built(first: str, last: str, length: str | None) -> Segment:
    """One segment; its rates may be 0, since a load may begin with a pause."""
    seconds = None if length is None else parse_time(length)
    return Segment(
        from_per_s=parse_rate(first, least=0), to_per_s=parse_rate(last, least=0), seconds=seconds
    )
