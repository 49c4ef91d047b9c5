"""Numbers as a reader sees them: each with its unit, and its interval where it is an estimate."""

from __future__ import annotations

import re
from collections.abc import Callable

from httpdyno import units
from httpdyno.result import CellRow, Comparison, Estimate

NO_RESULT = "no result"
REFUSED = "refused"
NO_INTERVAL = " (no interval)"
Format = Callable[[float], str]
_UNIT = re.compile(r"[^0-9.,]+$")


def ratio(value: float) -> str:
    """A ratio: `1.81×`."""
    return f"{units.significant(value)}×"


def per_request(seconds: float) -> str:
    """Processor time of one request, always in microseconds so that columns compare at a glance."""
    return f"{units.significant(seconds * 1e6)} µs"


def bytes_per_s(value: float) -> str:
    """Bytes a second, in millions: `48.2 MB/s`."""
    return f"{units.significant(value * 1e-6)} MB/s"


def interval(estimate: Estimate, form: Format) -> str:
    """The 95 % interval in words, a shared unit said once; or why there is none."""
    if estimate.low is None or estimate.high is None:
        return f"too few restarts for an interval ({estimate.trials})"
    low, high = form(estimate.low), form(estimate.high)
    unit = _UNIT.search(high)
    shared = unit.group() if unit is not None else ""
    return f"{low.removesuffix(shared)} to {high}"


def without_interval(estimate: Estimate) -> str:
    """What to add to a number that stands where no interval is drawn around it."""
    return NO_INTERVAL if estimate.low is None or estimate.high is None else ""


def estimate(value: Estimate | None, form: Format) -> str:
    """An estimate with its interval, in one line of plain text."""
    return NO_RESULT if value is None else f"{form(value.value)} ({interval(value, form)})"


def without_result(cell: CellRow) -> str:
    """What stands in place of a number: that there is none, or that it was not even asked."""
    return REFUSED if is_refused(cell) else NO_RESULT


def is_refused(cell: CellRow) -> bool:
    """Whether a cell was left out because its server cannot do what the load asks."""
    return any(reason.code == "refused" for reason in cell.reasons)


def outcome(row: Comparison) -> str:
    """What a comparison shows; where it shows nothing, the least that it could have shown."""
    if row.outcome != "no difference shown":
        return row.outcome
    if row.smallest_detectable is None:
        return "no difference shown; too few restarts to say how small a one could have been"
    least = units.percent(row.smallest_detectable)
    return f"no difference shown; one of {least} or more would have been"
