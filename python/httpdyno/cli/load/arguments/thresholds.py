"""Thresholds such as `p99>20ms`: read before the load, held against its measurement after."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from httpdyno import units
from httpdyno.measurement import Measurement, Time
from httpdyno.units import parse_duration

__all__ = ["Crossing", "Threshold", "parse_threshold"]

Unit = Literal["time", "share", "rate", "count"]
Quantiles = Callable[[str, list[float]], list[int]]
"""The values (ns) of a base64 histogram at quantiles of 0 to 1."""

_SHAPE = re.compile(r"\s*([a-z0-9_.]+)\s*(>=|<=|>|<)\s*(.+?)\s*")
_TIMED = re.compile(
    r"(?:(response|service|first_byte|connect|tls|lag)_)?(p(\d{1,2}(?:\.\d+)?)|min|mean|max)"
)
_NUMBER = re.compile(r"(\d+(?:\.\d+)?)\s*(%|/s)?")
_PLAIN: dict[str, tuple[Unit, Callable[[Measurement], float | None]]] = {
    "rate": ("rate", lambda m: m.throughput_per_s),
    "error_rate": ("share", lambda m: m.error_share),
    "achieved": ("share", lambda m: m.achieved_share),
    "due": ("count", lambda m: m.calls.due),
    "sent": ("count", lambda m: m.calls.sent),
    "ok": ("count", lambda m: m.calls.ok),
    "failed": ("count", lambda m: m.calls.failed),
    "in_flight": ("count", lambda m: m.calls.in_flight),
}
_EXAMPLES: dict[Unit, str] = {
    "time": "a time such as `20ms`",
    "share": "a share such as `0.1%` or `0.001`",
    "rate": "a rate a second such as `5000`",
    "count": "a count such as `0`",
}


@dataclass(frozen=True)
class Crossing:
    """A threshold that was crossed, and what was measured in words."""

    threshold: str
    measured: str


@dataclass(frozen=True)
class Threshold:
    """One metric against one limit; seconds, shares of one, rates per second, or counts."""

    text: str
    metric: str
    sign: str
    limit: float
    unit: Unit

    def crossing(self, measurement: Measurement, quantiles: Quantiles) -> Crossing | None:
        """How the measurement crosses this; what was not measured cannot be within its limit."""
        value = self._value(measurement, quantiles)
        if value is None:
            return Crossing(self.text, "not measured")
        crossed = {
            ">": value > self.limit,
            ">=": value >= self.limit,
            "<": value < self.limit,
            "<=": value <= self.limit,
        }[self.sign]
        return Crossing(self.text, _shown(value, self.unit)) if crossed else None

    def _value(self, measurement: Measurement, quantiles: Quantiles) -> float | None:
        timed = _TIMED.fullmatch(self.metric)
        if timed is None:
            return _PLAIN[self.metric][1](measurement)
        time: Time | None = getattr(measurement.times, timed[1] or "response")
        if time is None or time.count == 0:
            return None
        if timed[3] is None:
            return float(getattr(time, f"{timed[2]}_ns")) * 1e-9
        return quantiles(time.hdr, [float(timed[3]) / 100])[0] * 1e-9


def parse_threshold(text: str) -> Threshold:
    """Read a threshold. Raises ValueError with what was expected."""
    match = _SHAPE.fullmatch(text)
    if match is None:
        raise ValueError("expected a metric, one of > >= < <=, and a limit, such as `p99>20ms`")
    metric, sign, limit = match[1], match[2], match[3]
    if _TIMED.fullmatch(metric):
        unit: Unit = "time"
    elif metric in _PLAIN:
        unit = _PLAIN[metric][0]
    else:
        raise ValueError(
            f"`{metric}` is not a metric: expected a percentile such as `p99`, `min`, `mean`, `max`"
            f" or one of {', '.join(f'`{name}`' for name in _PLAIN)}"
        )
    return Threshold(text, metric, sign, _limit(limit, unit), unit)


def _limit(text: str, unit: Unit) -> float:
    expected = ValueError(f"`{text}` is not a limit for it: expected {_EXAMPLES[unit]}")
    if unit == "time":
        if text.replace(".", "").isdecimal():
            raise expected
        try:
            return parse_duration(text)
        except ValueError:
            raise expected from None
    match = _NUMBER.fullmatch(text)
    allowed = {"share": (None, "%"), "rate": (None, "/s"), "count": (None,)}[unit]
    if match is None or match[2] not in allowed:
        raise expected
    return float(match[1]) / (100 if match[2] == "%" else 1)


def _shown(value: float, unit: Unit) -> str:
    words: dict[Unit, Callable[[float], str]] = {
        "time": units.duration,
        "share": units.percent,
        "rate": units.rate,
        "count": lambda count: f"{count:,.0f}",
    }
    return words[unit](value)
