"""The rate of right decisions of `httpdyno compare`, in simulated comparisons of known change.

    make decisions
    python benches/decisions.py [--comparisons N] [--write PAGE]

Ten seconds; seeded, so that the same program writes the same tables.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from httpdyno.comparison.margins import MARGIN, P99_MARGIN
from httpdyno.statistics.compare import Metric, compare
from httpdyno.statistics.decide import decide
from httpdyno.statistics.student import critical
from peers.tables.marks import write

COMMAND = "make decisions"
BLOCKS = 10
LOOKS = (10, 20, 40)
OUTCOMES = ("no regression shown", "cannot tell", "regression")
CASES: tuple[tuple[Metric, float, float], ...] = (
    ("throughput", 0.02, MARGIN),
    ("throughput", 0.04, MARGIN),
    ("throughput", 0.06, MARGIN),
    ("p99", 0.2, P99_MARGIN),
    ("p99", 0.4, P99_MARGIN),
)
"""Metric, standard deviation of the logarithm of a block's ratio, and margin."""


def outcomes(metric: Metric, spread: float, margin: float, change: float, count: int) -> list[str]:
    """The decision of each of `count` comparisons; `change` is the true ratio of B to A."""
    source = np.random.default_rng([1, round(spread * 1000), round(change * 1000)])
    logs = source.normal(0, spread / math.sqrt(2), size=(count, 2, BLOCKS))
    found = []
    for base, arm in np.exp(logs):
        row = compare(
            dict(enumerate(base)),
            dict(enumerate(change * arm)),
            names=("A", "B"),
            at=("full-speed", "10 connections"),
            metric=metric,
        )
        found.append(decide(metric, margin, row).decided)
    return found


def looked(count: int) -> dict[int, float]:
    """The share of comparisons at the margin that are told wrongly, by when one stops looking.

    One looks after each block from the 10th on, and stops at the first answer.
    """
    source = np.random.default_rng(2)
    blocks = source.normal(0, 1, size=(count, LOOKS[-1]))
    told, shares = np.zeros(count, dtype=bool), {}
    for n in range(LOOKS[0], LOOKS[-1] + 1):
        some = blocks[:, :n]
        t = np.abs(some.mean(axis=1)) * math.sqrt(n) / some.std(axis=1, ddof=1)
        told |= t > critical(0.95, n - 1)
        if n in LOOKS:
            shares[n] = float(told.mean())
    return shares


def page(count: int) -> Iterator[str]:
    """The tables, in Markdown."""
    yield f"Shares of {count:,} simulated comparisons of {BLOCKS} blocks, in percent. *Spread*: the"
    yield "standard deviation of the logarithms of the blocks' ratios."
    yield ""
    yield "| metric, margin | spread | change of B | " + " | ".join(OUTCOMES) + " |"
    yield "| --- | --: | --- |" + " --: |" * len(OUTCOMES)
    for metric, spread, margin in CASES:
        worse = -1 if metric == "throughput" else 1
        for words, change in (
            ("none", 1.0),
            ("the margin", 1 + worse * margin),
            ("twice the margin", 1 + worse * 2 * margin),
        ):
            told = Counter(outcomes(metric, spread, margin, change, count))
            shares = " | ".join(f"{told[one] / count:.1%}".rstrip("%") for one in OUTCOMES)
            yield f"| {metric}, {margin:.0%} | {spread:.2f} | {words} | {shares} |"
    yield ""
    shares = looked(20 * count)
    listed = ", ".join(f"{share:.0%} by block {n}" for n, share in shares.items())
    yield "Looking after each block from the 10th on, and stopping at the first answer, is wrong"
    yield f"about a change that is exactly the margin: {listed}."


def main() -> None:
    """Print the tables, or write them into a page."""
    flags = argparse.ArgumentParser(description=__doc__)
    flags.add_argument("--comparisons", type=int, default=4000)
    flags.add_argument("--write", type=Path)
    given = flags.parse_args()
    text = "\n".join(page(given.comparisons))
    if given.write is None:
        print(text)
    else:
        write(given.write, COMMAND, text)


if __name__ == "__main__":
    main()
