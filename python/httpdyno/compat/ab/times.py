"""The times of ab's tables: whole microseconds, shown in milliseconds."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

__all__ = ["Each", "Micros", "Row", "Times", "milliseconds"]

Each = tuple[float, int, int, int, int]
"""A request: Unix time of its begin, and its connect, processing, total and waiting time."""


class Micros:
    """Times in whole microseconds, as a count of each value: it stays small in a long test."""

    def __init__(self, times: Iterable[int] = ()) -> None:
        self._counts = Counter(times)
        self._ordered: list[int] = []
        self._below: list[int] = []

    def add(self, times: Iterable[int]) -> None:
        """Count more times."""
        self._counts.update(times)
        self._ordered, self._below = [], []

    def __len__(self) -> int:
        return self._counts.total()

    def __getitem__(self, place: int) -> int:
        """The time at this place, from 0 on, of all times in their order."""
        if not self._ordered:
            self._ordered = sorted(self._counts)
            self._below = list(accumulate(map(self._counts.__getitem__, self._ordered)))
        return self._ordered[bisect_right(self._below, place)]

    @property
    def sum(self) -> int:
        """All times together."""
        return sum(time * count for time, count in self._counts.items())

    def squares(self, around: int) -> int:
        """The sum of the squared distances from a value."""
        return sum((time - around) ** 2 * count for time, count in self._counts.items())


@dataclass(frozen=True)
class Row:
    """One row of the table, in whole milliseconds."""

    least: int
    mean: int
    deviation: float
    median: int
    most: int

    @classmethod
    def of(cls, times: Micros) -> Row:
        """The row of at least one time."""
        count = len(times)
        mean = times.sum // count
        deviation = (times.squares(mean) / (count - 1)) ** 0.5 if count > 1 else 0.0
        middle = times[count // 2]
        if count > 1 and count % 2:  # as ab does: the one in the middle and the next
            middle = (middle + times[count // 2 + 1]) // 2
        return cls(
            least=milliseconds(times[0]),
            mean=milliseconds(mean),
            deviation=deviation / 1000,
            median=milliseconds(middle),
            most=milliseconds(times[count - 1]),
        )

    @property
    def distance(self) -> int:
        """Between mean and median."""
        return abs(self.mean - self.median)


@dataclass(frozen=True)
class Times:
    """The times of all requests."""

    connect: Micros = field(default_factory=Micros)
    processing: Micros = field(default_factory=Micros)
    """The time after the connection was open."""
    waiting: Micros = field(default_factory=Micros)
    total: Micros = field(default_factory=Micros)
    each: Sequence[Each] = ()
    """Each request, in the order of the total time; empty unless a file is to list them."""

    def __len__(self) -> int:
        return len(self.total)

    def served_within_us(self, percent: int) -> int:
        """The total time, in microseconds, within which so many per cent were answered."""
        return self.total[min(len(self) * percent // 100, len(self) - 1)]

    def nearest(self, percent: int) -> int:
        """As `served`, by the nearest request, as in ab's CSV file."""
        return self.total[min(int(0.5 + len(self) * percent / 100.0), len(self) - 1)]


def milliseconds(micros: int) -> int:
    """Rounded to whole milliseconds."""
    return (micros + 500) // 1000
