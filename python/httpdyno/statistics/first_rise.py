"""The endpoint whose p99 rises first when the rate of all endpoints rises.

A p99 has doubled if its whole 95 % interval lies above twice that of the first rate, and has not if
it lies below. Where the intervals of an endpoint show neither, nothing is said: it could be the
first one. So could one with failed calls, whose times say too little.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from httpdyno import units
from httpdyno.doubts import Reason, Status
from httpdyno.doubts.pace import FELL_BEHIND
from httpdyno.measurement import Percentile
from httpdyno.output.printable import printable

__all__ = ["AtRate", "Rise", "first_rise", "is_known"]

_DOUBLED = 2
_FEWEST = 2
"""Fewest endpoints of which one can be the first."""


@dataclass(frozen=True)
class AtRate:
    """An endpoint at a rate of all endpoints together."""

    rate_per_s: float
    p99: Percentile | None
    failed: int

    @property
    def in_words(self) -> str:
        """`2.40 ms (2.20 ms to 2.70 ms) at 500/s`."""
        rate = units.rate(self.rate_per_s)
        if self.p99 is None:
            return f"unknown at {rate}"
        value, low = (_duration(ns) for ns in (self.p99.value_ns, self.p99.low_ns))
        high = "or more" if self.p99.high_ns is None else f"to {_duration(self.p99.high_ns)}"
        return f"{value} ({low} {high}) at {rate}"


@dataclass(frozen=True)
class Rise:
    """The p99 of one endpoint has doubled at a rate, and that of no other has at this rate or a
    lower one."""

    endpoint: str
    before: AtRate
    after: AtRate
    others: int

    @property
    def in_words(self) -> str:
        """The sentence about it."""
        others = "that of the other endpoint stays"
        if self.others > 1:
            others = f"those of the {self.others:,} other endpoints stay"
        return (
            f"p99 of {printable(self.endpoint)} rises first: from {self.before.in_words} to"
            f" {self.after.in_words}. Up to that rate, {others} below twice the value at"
            f" {units.rate(self.before.rate_per_s)}."
        )


def is_known(status: Status, reasons: Iterable[Reason]) -> bool:
    """True if nothing casts doubt on p99, or only that the server fell behind: then it is even
    higher in a longer run."""
    doubts = (one.code for one in reasons if "p99" in one.doubts)
    return status != "invalid" and all(code == FELL_BEHIND for code in doubts)


def first_rise(endpoints: Mapping[str, Sequence[AtRate]]) -> Rise | None:
    """The first endpoint that rises, if the intervals show it. All endpoints have the same rates,
    the first of which is the one that others are compared with."""
    if len(endpoints) < _FEWEST:
        return None
    unknown: set[str] = set()
    for at in range(1, min(map(len, endpoints.values()))):
        if any(rates[at].rate_per_s <= rates[0].rate_per_s for rates in endpoints.values()):
            continue
        states = {name: _has_doubled(rates[0], rates[at]) for name, rates in endpoints.items()}
        unknown |= {name for name, state in states.items() if state is None}
        risen = [name for name, state in states.items() if state]
        if risen:
            first = risen[0]
            if len(risen) > 1 or unknown - {first}:
                return None
            return Rise(first, endpoints[first][0], endpoints[first][at], len(endpoints) - 1)
    return None


def _has_doubled(before: AtRate, after: AtRate) -> bool | None:
    """None: the intervals do not show it."""
    then, there = before.p99, after.p99
    if then is None or there is None or before.failed:
        return None
    if then.design_effect is None or there.design_effect is None:
        return None
    if then.low_ns is None or then.high_ns is None or there.low_ns is None:
        return None
    if there.low_ns > _DOUBLED * then.high_ns:
        return True
    if there.high_ns is None or after.failed or there.high_ns >= _DOUBLED * then.low_ns:
        return None
    return False


def _duration(ns: int | None) -> str:
    return units.duration((ns or 0) * 1e-9)
