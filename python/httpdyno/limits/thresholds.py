"""Thresholds such as `p99>20ms`, and limits such as `p99<20ms`: parsed before a run, checked after.

A threshold says when a run fails, a limit what has to hold; their grammar is the same.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from httpdyno import units
from httpdyno.limits.errors import CLASSES, STATUSES, error_share, is_error_class
from httpdyno.output.printable import printable
from httpdyno.units import parse_duration, parse_number, parse_rate, parse_share

if TYPE_CHECKING:
    from httpdyno.measurement import Measurement, Quantiles

__all__ = [
    "Threshold",
    "ThresholdCheck",
    "TimedMetric",
    "parse_limit",
    "parse_threshold",
    "unknown_endpoint",
]

Unit = Literal["time", "share", "rate", "count"]

_SHAPE = re.compile(r"\s*([a-z0-9_.]+)(?:\[(.+)\])?\s*(>=|<=|>|<)\s*(.+?)\s*")
_TIMED = re.compile(
    r"(?:(response|service|first_byte|connect|tls|lag)_)?(p(\d{1,2}(?:\.\d+)?)|min|mean|max)"
)
_PLAIN: dict[str, tuple[Unit, Callable[[Any], float | None]]] = {
    "rate": ("rate", lambda m: m.throughput_per_s),
    "achieved": ("share", lambda m: m.achieved_share),
    "due": ("count", lambda m: m.calls.due),
    "sent": ("count", lambda m: m.calls.sent),
    "ok": ("count", lambda m: m.calls.ok),
    "failed": ("count", lambda m: m.calls.failed),
    "in_flight": ("count", lambda m: m.calls.in_flight),
}
_OF_ENDPOINTS = frozenset({"rate", "ok", "failed", "in_flight"})
"""Those of them that an endpoint has, too."""
_TIMES_OF_ENDPOINTS = frozenset({"response", "service"})
_EXAMPLES: dict[Unit, str] = {
    "time": "a time such as `20ms`",
    "share": "a share such as `0.1%` or `0.001`",
    "rate": "a rate per second such as `5000`",
    "count": "a count such as `0`",
}
_CROSSED: dict[str, Callable[[float, float], bool]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}
_MORE_IS_GOOD = frozenset({"rate", "achieved", "ok"})
_NEITHER_IS_GOOD = frozenset({"due", "sent"})
_MOST_LISTED = 10
"""Endpoints that an error lists."""
_SURE = math.log(1000)
"""The logarithm of the odds at which a distribution is excluded: 1 of 1,000."""
_FEWEST_OF_A_MEAN = 10
_STEPS = 1000
"""Shares of calls are read from a histogram in so many steps."""
_SIGNS = {">": (">", "≤"), ">=": ("≥", "<"), "<": ("<", "≥"), "<=": ("≤", ">")}
"""The sign of a threshold that failed, and of one that passed."""


class TimedMetric(NamedTuple):
    """A metric of times: `p99`, `service_mean`."""

    time: str
    """Such as `response` or `service`."""
    statistic: str
    """`p99`, `min`, `mean` or `max`."""
    percent: float | None
    """99 of `p99`; None: not a percentile."""


@dataclass(frozen=True)
class ThresholdCheck:
    """A threshold that was checked against a measurement."""

    threshold: Threshold
    passed: bool
    measured: str
    """The measured value: `847 µs`, `not measured`."""
    comparison: str
    """The value beside its limit: `p99 847 µs ≤ 1 ms`."""

    def __str__(self) -> str:
        return f"threshold {'passed' if self.passed else 'failed'}: {self.comparison}"


@dataclass(frozen=True)
class Threshold:
    """One metric and its limit; seconds, shares of one, rates per second, or counts."""

    text: str
    metric: str
    sign: str
    limit: float
    limit_text: str
    unit: Unit
    endpoint: str | None = None
    """The endpoint whose calls it is about; None: all calls."""

    @property
    def name(self) -> str:
        """The metric, and its endpoint: `p99[POST /orders]`."""
        return (
            self.metric if self.endpoint is None else f"{self.metric}[{printable(self.endpoint)}]"
        )

    @property
    def in_words(self) -> str:
        """The condition that a run has to meet: `p99 ≤ 20 ms`."""
        return f"{self.name} {_SIGNS[self.sign][1]} {self.limit_text}"

    @property
    def is_of_errors(self) -> bool:
        """True for a share of errors: all of them, or one class."""
        return is_error_class(self.metric)

    @property
    def timed(self) -> TimedMetric | None:
        """The metric as one of times; None: it is another."""
        match = _TIMED.fullmatch(self.metric)
        if match is None:
            return None
        percent = None if match[3] is None else float(match[3])
        return TimedMetric(match[1] or "response", match[2], percent)

    def check(self, measurement: Measurement, quantiles: Quantiles) -> ThresholdCheck:
        """Compare the measurement with the limit; what was not measured fails."""
        value = self.value(measurement, quantiles)
        if value is None:
            absent = f"{self.name} was not measured (`{printable(self.text)}`)"
            return ThresholdCheck(self, False, "not measured", absent)
        crossed = _CROSSED[self.sign](value, self.limit)
        measured = _in_unit(value, self.unit)
        sign = _SIGNS[self.sign][0 if crossed else 1]
        comparison = f"{self.name} {measured} {sign} {self.limit_text}"
        return ThresholdCheck(self, not crossed, measured, comparison)

    def value(self, measurement: Measurement, quantiles: Quantiles) -> float | None:
        """The measured value in seconds, as a share, rate or count; None: not measured."""
        part, timed = measurement.part(self.endpoint), self.timed
        if part is None:
            return None
        if timed is None and self.is_of_errors:
            return error_share(self.metric, part)
        if timed is None:
            return _PLAIN[self.metric][1](part)
        time = part.time(timed.time)
        if time is None or time.count == 0:
            return None
        if timed.percent is None:
            return float(getattr(time, f"{timed.statistic}_ns")) * 1e-9
        read_ns = quantiles(time.hdr, [timed.percent / 100])[0]
        return time.between(read_ns, time.min_ns, time.max_ns) * 1e-9

    def is_surely_broken(self, measurement: Measurement, quantiles: Quantiles) -> bool:
        """True if calls like the measured ones keep an upper limit in 1 of 1,000 cases at most.

        Whether a call keeps the limit of a percentile, or fails, is a draw from two outcomes, whose
        shares have Chernoff's bound ("A Measure of Asymptotic Efficiency", 1952, theorem 1). A
        maximum counts as a p99. A mean is normally distributed.
        """
        part, timed = measurement.part(self.endpoint), self.timed
        if part is None:
            return False
        if timed is None:
            share = error_share(self.metric, part)
            return _surely_more(share, self.limit, part.calls.ended)
        time = part.time(timed.time)
        if time is None or time.count == 0:
            return False
        if timed.statistic == "mean":
            error_ns = time.stdev_ns / math.sqrt(time.count)
            least_ns = time.mean_ns - math.sqrt(2 * _SURE) * error_ns
            return time.count >= _FEWEST_OF_A_MEAN and least_ns * 1e-9 > self.limit
        within = 0.99 if timed.percent is None else timed.percent / 100
        shares = [within * step / _STEPS for step in range(_STEPS + 1)]
        values = zip(shares, quantiles(time.hdr, shares), strict=True)
        kept = max((share for share, ns in values if ns * 1e-9 <= self.limit), default=0.0)
        return _surely_more(1 - kept, 1 - within, time.count)


def _surely_more(share: float, allowed: float, count: int) -> bool:
    """True if a share of so many draws excludes that the true share is as small as `allowed`."""
    if share <= allowed or allowed <= 0:
        return share > allowed
    divergence = share * math.log(share / allowed)
    if share < 1:
        divergence += (1 - share) * math.log((1 - share) / (1 - allowed))
    return count * divergence > _SURE


def parse_threshold(text: str) -> Threshold:
    """Parse a threshold that says when a run fails: `p99>20ms`, `rate<500`.

    Raises ValueError with what was expected, also for one that fails a run for being good.
    """
    found = _parse(text)
    bad = "<" if found.metric in _MORE_IS_GOOD else ">"
    if found.sign[0] != bad and found.metric not in _NEITHER_IS_GOOD:
        meant = bad.join(text.rsplit(found.sign[0], 1)).strip()
        raise ValueError(f"a threshold says when the run fails: did you mean `{meant}`?")
    return found


def _parse(text: str) -> Threshold:
    match = _SHAPE.fullmatch(text)
    if match is None:
        raise ValueError(
            "expected a metric, one of > >= < <=, and a limit, in quotes (the shell reads a bare"
            " > or <), such as `'p99>20ms'`"
        )
    metric, endpoint, sign, limit = match.groups()
    if _TIMED.fullmatch(metric):
        unit: Unit = "time"
    elif is_error_class(metric):
        unit = "share"
    elif metric in _PLAIN:
        unit = _PLAIN[metric][0]
    else:
        raise ValueError(
            f"`{metric}` is not a metric: expected a percentile such as `p99`, `min`, `mean`, `max`"
            f", {_list(CLASSES)}, {STATUSES}, a class of errors such as `reset`"
            f" or one of {_list(_PLAIN)}"
        )
    if endpoint is not None and not _is_of_endpoints(metric):
        raise ValueError(
            f"`{metric}` is not measured by endpoint: expected a response time such as `p99`, a"
            " service time such as `service_p99`, a class of errors such as `errors`, or one of"
            f" {_list(sorted(_OF_ENDPOINTS))}"
        )
    value = _limit(limit, unit)
    if is_error_class(metric) and value > 1:
        raise ValueError(f"no more than 100 % can fail: expected {_EXAMPLES[unit]}")
    limit = limit if unit in {"rate", "count"} else _quantity(limit)
    return Threshold(text, metric, sign, value, limit, unit, endpoint and endpoint.strip())


def _is_of_endpoints(metric: str) -> bool:
    timed = _TIMED.fullmatch(metric)
    if timed is not None:
        return (timed[1] or "response") in _TIMES_OF_ENDPOINTS
    return is_error_class(metric) or metric in _OF_ENDPOINTS


def unknown_endpoint(threshold: Threshold, endpoints: Sequence[str]) -> str:
    """The fault of a threshold whose endpoint is none of these, in words; empty: it is one."""
    name = threshold.endpoint
    if name is None or name in endpoints:
        return ""
    near = get_close_matches(name, endpoints, n=1)
    known = [*near, *(one for one in endpoints if one not in near)]
    others = len(known) - _MOST_LISTED
    more = f" and {units.counted(others, 'other')}" if others > 0 else ""
    listed = _list(map(printable, known[:_MOST_LISTED]))
    return f"`{printable(name)}` is not an endpoint of this load: expected {listed}{more}"


def parse_limit(text: str) -> Threshold:
    """Parse an upper limit of a time or of errors, such as `p99<20ms` or `errors<0.1%`.

    Raises ValueError with what was expected.
    """
    expected = "expected an upper limit such as `p99<20ms`, `p50<5ms` or `errors<0.1%`"
    match = _SHAPE.fullmatch(text)
    if match is None:
        raise ValueError(expected)
    metric = match[1]
    is_limited = is_error_class(metric) or (metric != "min" and _TIMED.fullmatch(metric))
    if not is_limited or not match[3].startswith("<"):
        raise ValueError(expected)
    limit = _parse(text)
    if limit.limit <= 0:
        raise ValueError(f"a limit of 0 never holds: {expected}")
    return limit


def _list(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _limit(text: str, unit: Unit) -> float:
    expected = ValueError(f"`{text}` cannot be the limit: expected {_EXAMPLES[unit]}")
    if unit == "time" and re.fullmatch("[0-9_.]+", text):
        raise expected
    try:
        match unit:
            case "time":
                return parse_duration(text)
            case "share":
                return parse_share(text)
            case "rate":
                return parse_rate(text, least=0)
            case "count":
                return float(parse_number(text))
    except ValueError:
        raise expected from None


def _quantity(limit: str) -> str:
    """A time or a share as it was typed, written as a quantity: `20 ms`, `0.1 %`."""
    spaced = re.sub(r"(?<=\d)\s*(?=[a-zµ%])", " ", limit)
    return re.sub(r"\bus\b", "µs", spaced)


def _in_unit(value: float, unit: Unit) -> str:
    words: dict[Unit, Callable[[float], str]] = {
        "time": units.duration,
        "share": units.percent,
        "rate": units.rate,
        "count": lambda count: f"{count:,.0f}",
    }
    return words[unit](value)
