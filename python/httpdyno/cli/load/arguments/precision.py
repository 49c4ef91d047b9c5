"""How well a percentile is to be known, such as `p99±2%`; and whether it is."""

from __future__ import annotations

import re

from httpdyno import units
from httpdyno.engine_plan import Until
from httpdyno.measurement import Measurement, Percentile

__all__ = ["describe_until", "parse_until", "told"]

_SHAPE = re.compile(r"p(\d{1,2}(?:\.\d+)?)\s*(?:±|\+-|\+/-)\s*(\d+(?:\.\d+)?)\s*%")
_PERCENTILES = (50, 90, 99, 99.9, 99.99)


def parse_until(text: str) -> Until:
    """The precision asked for. Raises ValueError with what was expected."""
    match = _SHAPE.fullmatch(text.strip())
    if match is None:
        raise ValueError("expected a percentile and a share of it, such as `p99±2%` or `p99+-2%`")
    percentile, within = float(match[1]), float(match[2])
    if percentile not in _PERCENTILES:
        names = ", ".join(f"`p{one:g}`" for one in _PERCENTILES)
        raise ValueError(f"expected one of {names}")
    if not 0 < within < 100:
        raise ValueError("expected a share of more than 0 % and under 100 %")
    return Until(quantile=_share(percentile), within=within / 100)


def describe_until(until: Until) -> str:
    """The precision as it is typed: `p99 is known to ± 2 %`."""
    return f"p{_percentage(until.quantile)} is known to ± {until.within * 100:g} %"


def told(until: Until, measurement: Measurement) -> str:
    """Whether the percentile came to be known so well, with its interval."""
    found = measurement.validity.percentile(until.quantile) if measurement.validity else None
    reached = measurement.stopped_by == "precision"
    answer = "reached" if reached else "not reached"
    name = f"p{_percentage(until.quantile)}"
    asked = f"± {until.within * 100:g} %"
    if found is None:
        return f"{answer}: {name} was not measured (asked for {asked})"
    return f"{answer}: {name} = {interval(found)} (asked for {asked})"


def interval(found: Percentile) -> str:
    """A percentile with its 95 % interval in words: `4.10 ms ± 1.80 % (4.05 ms to 4.20 ms)`."""
    value = units.duration(found.value_ns * 1e-9)
    low = "unknown" if found.low_ns is None else units.duration(found.low_ns * 1e-9)
    high = "unknown" if found.high_ns is None else units.duration(found.high_ns * 1e-9)
    half = found.half_width
    width = "" if half is None else f" ± {units.percent(half)}"
    return f"{value}{width} ({low} to {high})"


def _share(percentile: float) -> float:
    return float(f"{percentile / 100:.6f}")


def _percentage(quantile: float) -> str:
    return f"{quantile * 100:.6g}"
