"""A change in words: `8.2 % fewer`, its interval, and the numbers that it compares."""

from __future__ import annotations

from httpdyno.metrics import COMPARED, ComparedBy
from httpdyno.result import Estimate
from httpdyno.statistics.intervals import FEWEST_TRIALS
from httpdyno.units import counted, significant, times


def number(metric: ComparedBy, value: float) -> str:
    """A number of an arm: `1,420/s`, `3.10 ms`."""
    return COMPARED[metric].words(value)


def at(point: str) -> str:
    """` at 260/s`; empty for a number of connections, which are driven at full speed."""
    return f" at {point}" if point.endswith("/s") else ""


def change(metric: ComparedBy, ratio: float) -> str:
    """`8.2 % fewer`, or `3.5×` where a percentage would be hard to read."""
    if not is_share(ratio):
        return times(ratio)
    share = significant(round(abs(ratio - 1) * 100, 9), 2)
    return f"{share} % {COMPARED[metric].more if ratio >= 1 else COMPARED[metric].less}"


def interval(metric: ComparedBy, ratio: Estimate) -> str:
    """`6.9 to 9.4 % fewer`, or `1.2 % fewer to 2.1 % more`; or why there is none."""
    low, high = ratio.low, ratio.high
    if low is None or high is None:
        return no_interval(ratio)
    if not all(map(is_share, (ratio.value, low, high))):
        return f"{times(low)} to {times(high)}"
    if (low < 1) != (high < 1):
        return f"{change(metric, low)} to {change(metric, high)}"
    inner, outer = (high, low) if high < 1 else (low, high)
    return f"{change(metric, inner).partition(' ')[0]} to {change(metric, outer)}"


def no_interval(ratio: Estimate, needed: int = FEWEST_TRIALS) -> str:
    """Why a ratio has no interval: `none: 3 trials, 5 needed`."""
    return f"none: {counted(ratio.trials, 'trial')}, {needed} needed"


def percent(margin: float) -> str:
    """`3 %`."""
    return f"{margin * 100:g} %"


def is_share(ratio: float) -> bool:
    """True for a ratio that people quote as a percentage; others they quote as a multiple."""
    return 0.1 <= ratio < 2
