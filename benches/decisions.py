"""The rate of right decisions of `httpdyno compare`, in simulated comparisons of known change.

    make decisions
    python benches/decisions.py [--comparisons N] [--write PAGE]

Two minutes; seeded, so that the same program writes the same tables.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from httpdyno.comparison.margins import MARGIN, P99_MARGIN
from httpdyno.metrics import ComparedBy
from httpdyno.statistics.compare import compare
from httpdyno.statistics.decide import Decision, decide
from httpdyno.statistics.intervals import mean_bound
from httpdyno.statistics.noise.power import POWER
from httpdyno.statistics.student import critical
from peers.tables.marks import main_of_page
from simulated.candidates import student_t
from simulated.noise import SCALE, studies

COMMAND = "make decisions"
BLOCKS = 10
LOOKS = (10, 20, 40)
FEW = (5, 7, 10, 20, 40)
ONE_SIDED = {
    "normal": "normal",
    "skewed (exponential)": "exponential",
    "skewed (lognormal, 0.8)": "lognormal, 0.8",
    "25 % of starts 15 % slower": "25 % of starts 15 % slower",
    "skewed (Pareto, index 3), one arm only": "Pareto, index 3",
}
OUTCOMES = ("no regression shown", "cannot tell", "regression")
CASES: tuple[tuple[ComparedBy, float, float], ...] = (
    ("throughput", 0.02, MARGIN),
    ("throughput", 0.04, MARGIN),
    ("throughput", 0.06, MARGIN),
    ("p99", 0.2, P99_MARGIN),
    ("p99", 0.4, P99_MARGIN),
)
"""Metric, standard deviation of the logarithm of a block's ratio, and margin."""


def outcomes(
    metric: ComparedBy, spread: float, margin: float, change: float, count: int
) -> list[str]:
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


@dataclass(frozen=True)
class Passed:
    """Shares of comparisons that pass, by the interval alone and by the bound that a pass needs."""

    interval: float
    bound: float


def passed(noise: str, blocks: int, count: int, away: float = 0.0) -> Passed:
    """Comparisons whose true change is so many standard deviations on the good side of the margin.

    `noise` is that of B, which may fall below; A hardly varies.
    """
    drawn = studies(noise, count, 2, blocks, 21)
    logs = drawn.logs[:, 1] - drawn.means[1]
    # This one has its tail above.
    logs = away * SCALE + (-logs if noise == "skewed (exponential)" else logs)
    low = student_t(logs)[0]
    bound = np.asarray([mean_bound(row, below=True) for row in logs.tolist()])
    return Passed(float(np.mean(low > 0)), float(np.mean(bound > 0)))


def _one_sided(count: int) -> Iterator[str]:
    yield "Shares of comparisons, in percent, in which a change of exactly the margin passes, when"
    yield "only B varies and has rare slow starts: by the bound in use, and (in brackets) by"
    yield "Student's t alone, as earlier. Below, the cost: the share that passes without noise of"
    yield "this kind (normal), where Student's t alone passes 80 of 100."
    yield ""
    yield f"| noise of B |{''.join(f' {n} blocks |' for n in FEW)}"
    yield f"| --- |{' --: |' * len(FEW)}"
    for noise, words in ONE_SIDED.items():
        found = [passed(noise, n, count) for n in FEW]
        cells = " | ".join(f"{100 * one.bound:.1f} ({100 * one.interval:.1f})" for one in found)
        yield f"| {words} | {cells} |"
    powers = [passed("normal", n, count, _eighty(n, count)).bound for n in FEW]
    yield f"| passes where Student's t passes 80 | {' | '.join(f'{100 * x:.0f}' for x in powers)} |"


def _eighty(blocks: int, count: int) -> float:
    """The distance from the margin at which Student's t alone passes 80 of 100 comparisons."""
    low, high = 0.0, 5.0
    for _ in range(16):
        middle = (low + high) / 2
        enough = passed("normal", blocks, count, middle).interval >= POWER
        low, high = (low, middle) if enough else (middle, high)
    return high


def _blocks_told(count: int) -> Iterator[str]:
    yield "Comparisons that cannot tell name the blocks that would. The share of comparisons with"
    yield "so many blocks that tell, if the true change is the estimate (margin 3 %, spread 0.05):"
    yield ""
    yield "| change of B | blocks at first | blocks named (median) | told |"
    yield "| --: | --: | --: | --: |"
    for change, blocks in ((0.93, 5), (0.95, 10), (1.0, 10), (0.955, 20), (0.99, 20)):
        named, told = blocks_told(change, blocks, count)
        yield f"| {change - 1:+.1%} | {blocks} | {named:.0f} | {told:.0%} |"


def blocks_told(change: float, blocks: int, count: int) -> tuple[float, float]:
    """The median of the blocks that are named, and the share of studies of that size that tell."""
    source = np.random.default_rng([3, blocks, round(change * 1000)])
    margin, spread = 0.03, 0.05
    named, told = [], 0
    for _ in range(count):
        first = _of((math.log(change) + spread * source.standard_normal(blocks)).tolist(), margin)
        if first.blocks_needed is None or first.comparison is None or not first.comparison.ratio:
            continue
        truth = math.log(first.comparison.ratio.value)
        second = _of(
            (truth + spread * source.standard_normal(first.blocks_needed)).tolist(), margin
        )
        right = "regression" if truth < math.log(1 - margin) else "no regression shown"
        named.append(first.blocks_needed)
        told += second.decided == right
    return float(np.median(named)), told / len(named)


def _of(logs: Sequence[float], margin: float) -> Decision:
    arm = {block: math.exp(value) for block, value in enumerate(logs)}
    at = ("full-speed", "10 connections")
    row = compare(dict.fromkeys(arm, 1.0), arm, names=("A", "B"), at=at, metric="throughput")
    return decide("throughput", margin, row)


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
    yield from _one_sided(10 * count)
    yield ""
    yield from _blocks_told(count // 4)
    yield ""
    shares = looked(20 * count)
    listed = ", ".join(f"{share:.0%} by block {n}" for n, share in shares.items())
    yield "Looking after each block from the 10th on, and stopping at the first answer, is wrong"
    yield f"about a change that is exactly the margin: {listed}."


if __name__ == "__main__":
    main_of_page(page, COMMAND, __doc__, "comparisons", 4_000)
