"""From values to pixels: linear from zero, or logarithmic, with readable ticks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

LOG_FROM = 30
"""Largest ÷ smallest value from which a linear axis would hide the small ones."""
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_LEAST_SPAN = 4.0
"""A logarithmic axis reaches from a value to so many times it, at least."""
_RATIOS: tuple[tuple[float, Sequence[float]], ...] = (
    (1.6, (0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1, 1.05, 1.1, 1.15, 1.2, 1.3, 1.4)),
    (6, (0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1, 1.25, 1.5, 2, 2.5, 3, 4, 5)),
    (300, (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)),
    (float("inf"), tuple(10.0**power for power in range(-9, 10))),
)
"""(breadth of the axis, its ticks): the first whose breadth is larger than the axis is used."""


@dataclass(frozen=True)
class Scale:
    """An axis: its ends as values and as pixels, and its ticks."""

    low: float
    high: float
    start: float
    end: float
    ticks: tuple[float, ...]
    log: bool = False
    mark: bool = True
    """False: the name of the axis does not say that it is logarithmic."""

    def at(self, value: float) -> float:
        """The pixel of a value; a value beyond an end is at that end."""
        if value <= self.low:
            return self.start
        if value >= self.high:
            return self.end
        if self.log:
            return self.start + math.log(value / self.low) * self._per_e
        return self.start + (value - self.low) * self._per_one

    @cached_property
    def _per_e(self) -> float:
        """Pixels from a value to e times it."""
        return (self.end - self.start) / math.log(self.high / self.low)

    @cached_property
    def _per_one(self) -> float:
        return (self.end - self.start) / (self.high - self.low)


def linear(
    values: Iterable[float], start: float, end: float, *, each: float = 80.0, above: float = 0.04
) -> Scale:
    """An axis from zero to the largest value, with a tick about every `each` pixels.

    `above`: share of the axis that is left free beyond the largest value.
    """
    top = max(values, default=0.0) or 1.0
    high = top / (1 - above)
    return Scale(0.0, high, start, end, even_ticks(0.0, high, abs(end - start) / each))


def between(low: float, high: float, start: float, end: float, *, each: float = 80.0) -> Scale:
    """A linear axis that need not begin at zero."""
    return Scale(low, high, start, end, even_ticks(low, high, abs(end - start) / each))


def logarithmic(
    values: Iterable[float], start: float, end: float, *, each: float = 45.0, above: float = 0.0
) -> Scale:
    """A logarithmic axis around all values, which are above zero."""
    known = list(values)
    low, high = min(known) / 1.2, max(known) * 1.2
    high = max(high, low * _LEAST_SPAN)
    high = low * (high / low) ** (1 / (1 - above))
    most = max(2, int(abs(end - start) / each))
    return Scale(low, high, start, end, log_ticks(low, high, most), log=True)


def fitting(values: Sequence[float], start: float, end: float) -> Scale:
    """Linear from zero; logarithmic where that would hide the small values."""
    if is_wide(values):
        return logarithmic(values, start, end, each=60.0)
    return linear(values, start, end)


def ratios(values: Iterable[float], start: float, end: float) -> Scale:
    """A logarithmic axis for ratios, with 1 on it."""
    known = [1.0, *values]
    breadth = max(max(known) / min(known), 1.2)
    low, high = min(known) / breadth**0.06, max(known) * breadth**0.06
    ticks = next(ticks for below, ticks in _RATIOS if breadth < below)
    inside = [tick for tick in ticks if low <= tick <= high]
    most = max(2, int(abs(end - start) / 48))
    return Scale(low, high, start, end, _thin(inside, most, keep=1.0), log=True)


def is_wide(values: Sequence[float]) -> bool:
    """True if a linear axis would hide the small values."""
    return bool(values) and min(values) > 0 and max(values) / min(values) >= LOG_FROM


def even_ticks(low: float, high: float, most: float) -> tuple[float, ...]:
    """Round numbers from `low` to `high`, about `most` of them."""
    rough = (high - low) / max(2.0, min(7.0, most))
    if not rough > 0:
        return (low,)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(step * power for step in _STEPS if step * power >= rough * 0.999)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return tuple(step * count for count in range(first, last + 1))


def log_ticks(low: float, high: float, most: int) -> tuple[float, ...]:
    """1, 10, 100, ...; where that gives fewer than three, also 2 and 5 times each."""
    decades = [10.0**n for n in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]
    ticks: list[float] = []
    for steps in ((1,), (1, 2, 5), (1, 1.5, 2, 3, 4, 5, 6, 8)):
        ticks = [step * ten for ten in decades for step in steps if low <= step * ten <= high]
        if len(ticks) >= min(3, most):
            break
    return _thin(ticks, most)


def label(value: float) -> str:
    """A number on an axis, not rounded: `1,250`, `0.05`, `2.5 M`."""
    size = abs(value)
    if 1e6 <= size < 1e9:
        return f"{value / 1e6:.6g} M"
    if size >= 1e9 or 0 < size < 1e-4:
        return f"{value:.3g}"
    return f"{value:,.6f}".rstrip("0").rstrip(".")


def _thin(ticks: Sequence[float], most: int, keep: float | None = None) -> tuple[float, ...]:
    """Every second, third ... tick where all of them would be too many; `keep` is among them."""
    step = -(-len(ticks) // max(1, most))
    first = ticks.index(keep) % step if keep in ticks and keep is not None else 0
    return tuple(ticks[first::step]) if step else ()
