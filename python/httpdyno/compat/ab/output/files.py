"""The files of ab's `-e` and `-g`."""

from __future__ import annotations

import time
from itertools import chain

from httpdyno.compat.ab.times import Times, milliseconds

__all__ = ["csv", "gnuplot"]


def csv(times: Times) -> str:
    """The time in milliseconds within which each percentage of the requests was served."""
    micros = chain([times.total[0]], map(times.nearest, range(1, 101)))
    rows = (f"{percent},{value / 1000:.3f}\n" for percent, value in enumerate(micros))
    return "Percentage served,Time in ms\n" + "".join(rows)


def gnuplot(times: Times) -> str:
    """A row for each request, in the order of the total time, in whole milliseconds."""
    lines = [
        "\t".join([_date(began_s), str(int(began_s)), *map(str, map(milliseconds, micros))])
        for began_s, *micros in times.each
    ]
    return "\n".join(["starttime\tseconds\tctime\tdtime\tttime\twait", *lines, ""])


def _date(unix_s: float) -> str:
    return time.strftime("%a %b %d %H:%M:%S %Y", time.localtime(unix_s))
