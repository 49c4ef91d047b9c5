"""The times of ab's tables: whole microseconds, shown in milliseconds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Micros", "Row", "Times", "milliseconds"]

Micros = NDArray[np.int64]


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
        ordered, count = np.sort(times), len(times)
        mean = int(ordered.sum()) // count
        squares = float(((ordered - mean).astype(np.float64) ** 2).sum())
        deviation = (squares / (count - 1)) ** 0.5 if count > 1 else 0.0
        middle = int(ordered[count // 2])
        if count > 1 and count % 2:  # as ab does: the one in the middle and the next
            middle = (middle + int(ordered[count // 2 + 1])) // 2
        return cls(
            least=milliseconds(int(ordered[0])),
            mean=milliseconds(mean),
            deviation=deviation / 1000,
            median=milliseconds(middle),
            most=milliseconds(int(ordered[-1])),
        )

    @property
    def distance(self) -> int:
        """Between mean and median."""
        return abs(self.mean - self.median)


@dataclass(frozen=True)
class Times:
    """The times of each request, in the order of the total time."""

    began_s: NDArray[np.float64]
    """Unix time."""
    connect: Micros
    total: Micros
    waiting: Micros

    def __len__(self) -> int:
        return len(self.total)

    @property
    def processing(self) -> Micros:
        """The time after the connection was open."""
        return self.total - self.connect

    def served(self, percent: int) -> int:
        """The total time, in microseconds, within which so many per cent were answered."""
        return int(self.total[min(len(self) * percent // 100, len(self) - 1)])

    def nearest(self, percent: int) -> int:
        """As `served`, by the nearest request, as in ab's CSV file."""
        return int(self.total[min(int(0.5 + len(self) * percent / 100.0), len(self) - 1)])


def milliseconds(micros: int) -> int:
    """Rounded to whole milliseconds."""
    return (micros + 500) // 1000
