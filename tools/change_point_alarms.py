"""Prints the tables of docs/concepts/change-points.md: false alarms, and changes found.

python tools/change_point_alarms.py
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
from httpdyno.history import change_points
from numpy.typing import NDArray

RUNS = (6, 8, 10, 20, 50, 100)
SERIES = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000

Noise = Callable[[np.random.Generator, int], NDArray[np.float64]]


def _drifting(source: np.random.Generator, count: int) -> NDArray[np.float64]:
    """Each run remembers half of the one before: AR(1)."""
    values = np.empty(count)
    values[0] = source.standard_normal()
    for at in range(1, count):
        values[at] = 0.5 * values[at - 1] + source.standard_normal() * 0.75**0.5
    return values


LAWS: dict[str, Noise] = {
    "normal": lambda source, count: source.standard_normal(count),
    "heavy tails (t, 3 degrees of freedom)": lambda source, count: source.standard_t(3, count),
    "skewed (lognormal, sigma 0.5)": lambda source, count: source.lognormal(0, 0.5, count),
    "each run remembers half of the one before": _drifting,
}


def main() -> None:
    """Print both tables as Markdown."""
    print(f"Series without a change in which one is found, of {SERIES:,}:\n")
    _heading("noise")
    for seed, (name, draw) in enumerate(LAWS.items()):
        _row(name, [_share(draw, count, seed, 0.0) for count in RUNS])
    print("\nSeries with a step in the middle in which it is found, normal noise:\n")
    _heading("step ÷ standard deviation")
    for step in (1.0, 2.0, 3.0, 5.0, 10.0):
        _row(f"{step:g}", [_share(LAWS["normal"], count, 9, step) for count in RUNS])


def _share(draw: Noise, count: int, seed: int, step: float) -> float:
    """The share of series with a change point; with a step, at most one run from it."""
    source = np.random.default_rng([seed, count])
    found = 0
    for _ in range(SERIES):
        values = 1000 + draw(source, count) + step * (np.arange(count) >= count // 2)
        places = [point.index for point in change_points(list(values))]
        near = [place for place in places if abs(place - count // 2) <= 1]
        found += bool(near if step else places)
    return found / SERIES


def _heading(first: str) -> None:
    print(f"| {first} | {' | '.join(f'{count} runs' for count in RUNS)} |")
    print(f"| --- |{' ---: |' * len(RUNS)}")


def _row(name: str, shares: list[float]) -> None:
    print(f"| {name} | {' | '.join(f'{share:.1%}'.replace('%', ' %') for share in shares)} |")


if __name__ == "__main__":
    main()
