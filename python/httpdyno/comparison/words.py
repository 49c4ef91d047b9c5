"""A decision in words: `8.2 % fewer requests/s`, its interval, and what it means."""

from __future__ import annotations

from httpdyno.result import Estimate
from httpdyno.statistics.compare import Metric
from httpdyno.statistics.decide import Decision
from httpdyno.statistics.intervals import FEWEST_TRIALS
from httpdyno.units import counted, significant, times

NOUNS: dict[Metric, str] = {
    "throughput": "requests/s",
    "p99": "p99",
    "server CPU per request": "CPU time per request",
}
_LESS: dict[Metric, str] = {
    "throughput": "fewer",
    "p99": "shorter",
    "server CPU per request": "less",
}
_MORE: dict[Metric, str] = {
    "throughput": "more",
    "p99": "longer",
    "server CPU per request": "more",
}
_VERBS: dict[Metric, str] = {
    "throughput": "serves",
    "p99": "has",
    "server CPU per request": "uses",
}


def change(metric: Metric, ratio: float) -> str:
    """`8.2 % fewer`, or `3.5×` where a percentage would be hard to read."""
    if not _is_share(ratio):
        return times(ratio)
    share = significant(round(abs(ratio - 1) * 100, 9), 2)
    return f"{share} % {_direction(metric, ratio)}"


def interval(metric: Metric, ratio: Estimate) -> str:
    """`6.9 to 9.4 % fewer`, or `1.2 % fewer to 2.1 % more`; or why there is none."""
    low, high = ratio.low, ratio.high
    if low is None or high is None:
        return no_interval(ratio)
    if not all(map(_is_share, (ratio.value, low, high))):
        return f"{times(low)} to {times(high)}"
    if (low < 1) != (high < 1):
        return f"{change(metric, low)} to {change(metric, high)}"
    inner, outer = (high, low) if high < 1 else (low, high)
    return f"{change(metric, inner).partition(' ')[0]} to {change(metric, outer)}"


def no_interval(ratio: Estimate) -> str:
    """Why a ratio has no interval: `none: 3 trials, 5 needed`."""
    return f"none: {counted(ratio.trials, 'trial')}, {FEWEST_TRIALS} needed"


def sentence(one: Decision, baseline: str, arm: str) -> str:
    """The result of one metric, with its interval: `B serves 8.2 % fewer requests/s than A (…)`."""
    ratio = None if one.comparison is None else one.comparison.ratio
    if ratio is None or ratio.low is None:
        few = "" if ratio is None else f": {too_few(ratio)}"
        return f"No result for the {NOUNS[one.metric]} of {arm} compared with {baseline}{few}"
    sure = f"95 % CI {interval(one.metric, ratio)}, {each(ratio)}"
    return f"{arm} {_VERBS[one.metric]} {_compared(one.metric, ratio.value, baseline)} ({sure})"


def too_few(ratio: Estimate) -> str:
    """`3 trials each, 5 needed for an interval`."""
    return f"{each(ratio)}, {FEWEST_TRIALS} needed for an interval"


def each(ratio: Estimate) -> str:
    """`10 trials each`."""
    return f"{counted(ratio.trials, 'trial')} each"


def percent(margin: float) -> str:
    """`3 %`."""
    return f"{margin * 100:g} %"


def _compared(metric: Metric, ratio: float, baseline: str) -> str:
    noun, amount = NOUNS[metric], change(metric, ratio)
    if "%" not in amount:
        return f"{amount} the {noun} of {baseline}"
    article = "a " if metric == "p99" else ""
    return f"{article}{amount} {noun} than {baseline}"


def _is_share(ratio: float) -> bool:
    """True for a ratio that people quote as a percentage; others they quote as a multiple."""
    return 0.05 <= ratio < 2


def _direction(metric: Metric, ratio: float) -> str:
    return _MORE[metric] if ratio >= 1 else _LESS[metric]
