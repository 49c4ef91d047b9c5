"""Writes tests/unit/history/otava.json: what Apache Otava finds in some series.

Otava brings scipy and the clients of several databases along, so it is no development dependency;
its findings are kept instead. To write them again, in an environment with httpdyno's numpy:

    pip install apache-otava==0.8.0
    python tools/otava_oracle.py tests/unit/history/otava.json
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from otava.analysis import compute_change_points
from otava.change_point_divisive.calculator import PairDistanceCalculator

LONE = [100.0, 101, 99, 100, 101, 99, 100, 101, 99, 100, 150]
"""One odd run at the end: a change for Otava, not for us."""
DOUBTFUL = [100.0, 101, 102, 106, 107, 108]
"""p = 0.0016 with unbiased variances; Otava, which divides by n, has 0.0005."""

ODD = [
    100.2,
    99.5,
    99.6,
    106.6,
    113.8,
    113.1,
    112.3,
    111.9,
    112.4,
    111.7,
    112.0,
    112.8,
    111.1,
    112.6,
]
"""A step, and an odd run just behind it: Otava finds both doubtful and drops them."""
UNDONE = [100.0, 101, 99, 100, 102, 80, 81, 79, 80, 82, 100, 101, 99, 100, 98]
"""Against all that follows, the first step is hidden by the second."""


def main() -> None:
    """Write the file that is named on the command line."""
    apart: list[tuple[str, list[float], list[int]]] = [
        ("a lone run at the end", LONE, []),
        ("a doubtful step", DOUBTFUL, []),
        ("an odd run beside a step", ODD, [3]),
        ("a step that is undone", UNDONE, [5, 10]),
    ]
    document = {
        "written_by": "tools/otava_oracle.py",
        "otava": version("apache-otava"),
        "cases": [_case(name, series) for name, series in _series()],
        "apart": [{**_case(name, series), "ours": ours} for name, series, ours in apart],
    }
    text = json.dumps(document, indent=None, separators=(",", ":"))
    Path(sys.argv[1]).write_text(text.replace('{"name"', '\n{"name"') + "\n", encoding="utf-8")


def _case(name: str, series: list[float]) -> dict[str, Any]:
    array = np.asarray(series, dtype=np.float64)
    first = PairDistanceCalculator(array).get_candidate_change_point(slice(0, None))
    found, _ = compute_change_points(list(series))
    return {
        "name": name,
        "series": series,
        "first_index": int(first.index),
        "first_divergence": float(first.qhat),
        "change_points": [int(point.index) for point in found],
    }


def _series() -> Iterator[tuple[str, list[float]]]:
    """Steps, drifts and noise, as long as one window and longer."""
    otava = [10.43, 10.23, 10.29, 10.91, 10.34, 10.69, 9.23, 9.11, 9.13, 9.03]
    yield "the example of Otava's documentation", otava
    for seed, (length, at, step) in enumerate(
        [(8, 4, 10), (12, 6, 8), (20, 5, 12), (30, 20, 5), (49, 40, 6), (50, 25, 4)]
    ):
        noise = np.random.default_rng(seed).normal(0, 1, length)
        values = 100 + noise + step * (np.arange(length) >= at)
        yield f"a step of {step} after {at} of {length}", _rounded(values)
    for seed, length in enumerate([6, 10, 25, 50, 120], start=20):
        noise = np.random.default_rng(seed).normal(0, 1, length)
        yield f"{length} without a change", _rounded(100 + noise)
    for seed, levels in enumerate(([0, 9, 0], [0, 5, 12, 5], [0, 20, 21, 0, 20]), start=30):
        noise = np.random.default_rng(seed).normal(0, 1, 15 * len(levels))
        name = f"levels {', '.join(map(str, levels))}"
        yield name, _rounded(100 + noise + np.repeat(levels, 15))
    noise = np.random.default_rng(40).normal(0, 1, 200)
    long = 100 + noise + np.repeat([0.0, 8.0, -6.0, 3.0], 50)
    yield "four levels of 50", _rounded(long)
    heavy = np.random.default_rng(41).standard_t(3, 60)
    yield "heavy tails with a step", _rounded(100 + heavy + 7 * (np.arange(60) >= 33))


def _rounded(values: Any) -> list[float]:
    return [round(float(value), 3) for value in values]


if __name__ == "__main__":
    main()
