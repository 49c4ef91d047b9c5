"""The log of HdrHistogram: the response times of all calls, and those of each endpoint by its tag.

Format 1.3, as `HistogramLogWriter` of HdrHistogram writes it: plotters and `HistogramLogProcessor`
read it. An interval is a line: its tag, its start, its length and its longest time, then the
histogram in base64. Times of histograms are nanoseconds, the longest one is milliseconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from httpdyno import __version__
from httpdyno.dates import iso
from httpdyno.measurement import Measurement, Time
from httpdyno.output.printable import printable

_NOT_IN_TAGS = re.compile(r"[,\s]")
"""A tag ends at a comma, and readers of the format split lines at spaces."""


def histogram_log(m: Measurement) -> str:
    """The histograms of a measurement as one log, whose lines are about its whole window."""
    return "\n".join([*_head(m), *_intervals(m)]) + "\n"


def _head(m: Measurement) -> Iterator[str]:
    yield f"#[Logged with httpdyno {__version__}]"
    yield "#[Histogram log format version 1.3]"
    yield f"#[StartTime: {m.started_at:.3f} (seconds since epoch), {iso(m.started_at)}]"
    yield '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"'


def _intervals(m: Measurement) -> Iterator[str]:
    yield _interval(m, m.times.response)
    for one in m.endpoints:
        yield f"Tag={_NOT_IN_TAGS.sub('_', printable(one.name))},{_interval(m, one.response)}"


def _interval(m: Measurement, time: Time) -> str:
    return f"{m.warm_up_s:.3f},{m.window_s:.3f},{time.max_ns * 1e-6:.3f},{time.hdr}"
