"""The precision that `--until` requests, such as `p99±2%`, and the precision that was reached."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from httpdyno import units
from httpdyno.engine_plan import Until

if TYPE_CHECKING:
    from httpdyno.measurement import Measurement, Percentile, Time

__all__ = ["describe_precision", "describe_until", "interval", "parse_until"]

_SHAPE = re.compile(r"p(\d{1,2}(?:\.\d+)?)\s*(?:±|\+-|\+/-)\s*(\d+(?:\.\d+)?)\s*%")
_PERCENTILES = (50, 90, 99, 99.9, 99.99)


def parse_until(text: str) -> Until:
    """Parse a precision. Raises ValueError with what was expected."""
    match = _SHAPE.fullmatch(text.strip())
    if match is None:
        raise ValueError("expected a percentile and a precision, such as `p99±2%` or `p99+-2%`")
    percentile, within = float(match[1]), float(match[2])
    if percentile not in _PERCENTILES:
        names = ", ".join(f"`p{one:g}`" for one in _PERCENTILES)
        raise ValueError(f"expected one of {names}")
    if not 0 < within < 100:
        raise ValueError("expected a precision between 0 % and 100 %")
    return Until(quantile=_share(percentile), within=within / 100)


def describe_until(until: Until) -> str:
    """Describe the requested precision: `p99 is known to ±2 %`."""
    return f"{_name(until)} is known to {_requested_precision(until)}"


def describe_precision(until: Until, measurement: Measurement) -> str:
    """Say whether the precision was reached, and the interval of the percentile."""
    found = measurement.percentile(until.quantile)
    answer = "reached" if measurement.stopped_by == "precision" else "not reached"
    known = "was not measured" if found is None else interval(found, measurement.times.response)
    return f"{answer}: {_name(until)} {known}; requested {_requested_precision(until)}"


def interval(found: Percentile, response: Time) -> str:
    """A percentile and its 95 % interval: `4.10 ms, 95 % CI 4.05 ms to 4.20 ms (±1.83 %)`.

    One that is a lower bound has no upper end: `≥1.51 s, 95 % CI 1.51 s or more`.
    """
    bound = "≥" if response.is_lower_bound(found.quantile, found.value_ns) else ""
    value = bound + units.duration(found.value_ns * 1e-9)
    low = "0 s" if found.low_ns is None else units.duration(found.low_ns * 1e-9)
    if found.high_ns is None:
        return f"{value}, 95 % CI {low} or more"
    half = found.half_width
    width = "" if half is None else f" (±{units.percent(half)})"
    return f"{value}, 95 % CI {low} to {units.duration(found.high_ns * 1e-9)}{width}"


def _name(until: Until) -> str:
    return f"p{until.quantile * 100:.6g}"


def _requested_precision(until: Until) -> str:
    return f"±{until.within * 100:g} %"


def _share(percentile: float) -> float:
    return float(f"{percentile / 100:.6f}")
