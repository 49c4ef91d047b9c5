"""The coverage of intervals over simulated studies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from httpdyno.statistics.claims.family import judge
from httpdyno.statistics.claims.holm import ALPHA
from httpdyno.statistics.claims.rankings import Contest, shown_pairs
from httpdyno.statistics.compare import compare, paired_p_value
from httpdyno.statistics.intervals import for_drift, mean_interval, mean_sequence
from httpdyno.study.precision import FEWEST_LOOKED_AT
from numpy.typing import NDArray

from simulated.candidates import ABOUT_THE_MEAN, OF_LEVELS, OF_RATIOS, Candidate, of_rows
from simulated.noise import Studies, studies

Values = NDArray[np.float64]
RESTARTS = (5, 6, 7, 10, 15, 20)
AT_ONCE = 4000
"""Studies in one array: a few thousand resamples of each fit into memory."""


@dataclass(frozen=True)
class Covered:
    """The share of intervals that hold the truth, and their mean width."""

    share: float
    width: float


def of_ratios(noise: str, blocks: int, candidate: str, count: int) -> Covered:
    """Of the ratio of two arms."""
    return _over(noise, blocks, count, OF_RATIOS[candidate], lambda s: (s.ratios, s.ratio))


def of_levels(noise: str, blocks: int, candidate: str, count: int) -> Covered:
    """Of one cell, the last arm; each candidate about the truth that it estimates."""

    def cell(found: Studies) -> tuple[Values, Values]:
        truth = found.means if candidate in ABOUT_THE_MEAN else found.medians
        return found.logs[:, -1], truth[..., -1]

    return _over(noise, blocks, count, OF_LEVELS[candidate], cell)


def _over(
    noise: str,
    blocks: int,
    count: int,
    candidate: Candidate,
    look: Callable[[Studies], tuple[Values, Values]],
) -> Covered:
    parts = []
    for seed in range(-(-count // AT_ONCE)):
        values, truth = look(studies(noise, min(count, AT_ONCE), 2, blocks, seed))
        low, high = candidate(values)
        parts.append((np.mean((low <= truth) & (truth <= high)), np.mean(high - low)))
    share, width = np.mean(parts, axis=0)
    return Covered(float(share), float(width))


@dataclass(frozen=True)
class Stopped:
    """Studies that look after every block until their interval is narrow enough."""

    sequence: float
    """Coverage of the interval at the end, by the confidence sequence."""
    fixed: float
    """By the interval for a fixed number of blocks, had it decided instead."""
    always: float
    """Share of studies in which the sequence holds the truth after every block."""
    level: float
    """Share of studies in which the sequence of the level of one arm does so."""
    level_at_end: float
    """Coverage of the level of one arm, in a study of this arm that stops by it."""
    blocks: float
    """Mean number of blocks of the sequence."""
    fixed_blocks: float


def stopped(noise: str, precision: float, most: int, count: int) -> Stopped:
    """Studies with at most so many blocks, whose noise is half as large as elsewhere."""
    found = studies(noise, count, 2, most)
    ratios, ratio = found.ratios / 2, found.ratio / 2
    looks = range(FEWEST_LOOKED_AT, most + 1)
    sequence, blocks = _at_the_end(ratios, ratio, precision, _SEQUENCE)
    fixed, fixed_blocks = _at_the_end(ratios, ratio, precision, of_rows(mean_interval))
    cell, its_level = found.logs[:, -1] / 2, found.means[..., -1] / 2
    alone, _ = _at_the_end(cell, its_level, precision, _LEVEL_SEQUENCE)
    always = np.ones(count, dtype=bool)
    level = np.ones(count, dtype=bool)
    for n in looks:
        low, high = _SEQUENCE(ratios[:, :n])
        always &= (low <= ratio) & (ratio <= high)
        low, high = _LEVEL_SEQUENCE(found.logs[:, -1, :n])
        level &= (low <= found.means[..., -1]) & (found.means[..., -1] <= high)
    parts = (sequence, fixed, always, level, alone, blocks, fixed_blocks)
    return Stopped(*(float(one.mean()) for one in parts))


def _level_sequence(row: Sequence[float]) -> tuple[float, float]:
    return for_drift(row, mean_sequence(row))


_SEQUENCE, _LEVEL_SEQUENCE = of_rows(mean_sequence), of_rows(_level_sequence)


def _at_the_end(
    values: Values, truth: Values, precision: float, interval: Candidate
) -> tuple[Values, Values]:
    """For each study: 1 if it holds the truth when it stops, and after how many blocks it stops."""
    most = values.shape[-1]
    held, blocks = np.zeros(len(values)), np.zeros(len(values))
    truth = np.broadcast_to(truth, len(values))
    for n in range(FEWEST_LOOKED_AT, most + 1):
        on = np.flatnonzero(blocks == 0)
        low, high = interval(values[on, :n])
        ends = (np.expm1((high - low) / 2) <= precision) | (n == most)
        held[on[ends]] = ((low <= truth[on]) & (truth[on] <= high))[ends]
        blocks[on[ends]] = n
    return held, blocks


@dataclass(frozen=True)
class Alarms:
    """The share of studies of equal arms that show any difference from the baseline."""

    together: float
    """As the program judges: all comparisons together."""
    alone: float
    """Each comparison by itself."""


def alarms(noise: str, arms: int, blocks: int, count: int) -> Alarms:
    """Studies with so many equal arms, the first of which is the baseline."""
    values = np.exp(studies(noise, count, arms, blocks).logs)
    together = alone = 0
    for study in values:
        base, *others = ({b: float(v) for b, v in enumerate(arm)} for arm in study)
        found = [
            compare(base, other, names=("a", str(n)), at=("l", "p"), metric="throughput")
            for n, other in enumerate(others)
        ]
        alone += any(one.outcome in ("better", "worse") for one in found)
        decisions = judge(found, [])
        together += any(one.adjusted <= ALPHA for one in decisions.values())
    return Alarms(together / count, alone / count)


@dataclass(frozen=True)
class Ranked:
    """Rank intervals of arms with known ranks."""

    share: float
    """Share of studies in which all true ranks are within their limits."""
    ranks: float
    """Mean number of ranks that an arm can have; 1: every rank is known."""


def ranks(noise: str, arms: int, blocks: int, step: float, count: int) -> Ranked:
    """Arms that are each better than the next by `step`."""
    drawn = studies(noise, count, arms, blocks)
    levels = -step * np.arange(arms) - drawn.means + drawn.means[..., :1]
    values = np.exp(drawn.logs + np.atleast_2d(levels)[:, :, None])
    names = [f"{number:02}" for number in range(arms)]
    pairs = [(a, b) for place, a in enumerate(names) for b in names[place + 1 :]]
    held, width = 0, 0.0
    for study in values:
        trials: Mapping[str, Mapping[int, float]] = {
            name: {b: float(v) for b, v in enumerate(arm)}
            for name, arm in zip(names, study, strict=True)
        }
        p_values = {
            (a, b): p_value
            for a, b in pairs
            if (p_value := paired_p_value(trials[a], trials[b], range(blocks))) is not None
        }
        one = Contest("l", "p", "throughput", trials, {}, p_values, ())
        decisions = judge([], [one])
        own = {pair: decisions["throughput", "l", "p", frozenset(pair), ""] for pair in p_values}
        shown = shown_pairs(one, own)
        # A true rank is outside its limits exactly if a pair is shown the wrong way round.
        held += all(better < worse for better, worse in shown)
        width += arms - 2 * len(shown) / arms
    return Ranked(held / count, width / count)


__all__ = ["RESTARTS", "alarms", "of_levels", "of_ratios", "ranks", "stopped"]
