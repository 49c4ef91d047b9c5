"""Simulated studies that look for a difference, and trials that one level does not describe."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from httpdyno.statistics.intervals import mean_interval
from httpdyno.statistics.noise.power import standard_errors, usual_reach
from httpdyno.statistics.noise.shape import shape_of
from httpdyno.statistics.student import LEVEL, critical

from simulated.candidates import Candidate, of_rows, student_t
from simulated.noise import studies


@dataclass(frozen=True)
class Detected:
    """Shares of studies that show a difference of the size that an earlier study called
    detectable, and that size in standard errors."""

    earlier: float
    """With Student's t, and a size that takes the estimated spread for the true one."""
    now: float
    earlier_errors: float
    now_errors: float


def detected(noise: str, blocks: int, count: int) -> Detected:
    """Pairs of studies: the first one names the size, and the true difference is that size."""
    first, second = (studies(noise, count, 2, blocks, seed) for seed in (11, 12))
    error = first.ratios.std(axis=-1, ddof=1) / math.sqrt(blocks)
    t = critical(LEVEL, blocks - 1)
    errors = (
        t + critical(0.6, blocks - 1),
        standard_errors(t, blocks, blocks, usual_reach(blocks)),
    )
    ways: tuple[Candidate, ...] = (student_t, of_rows(mean_interval))
    centred = second.ratios - np.expand_dims(second.ratio, -1)
    shares = [
        float(np.mean(interval(centred + (many * error)[:, None])[0] > 0))
        for many, interval in zip(errors, ways, strict=True)
    ]
    return Detected(*shares, *errors)


@dataclass(frozen=True)
class Recognized:
    """Shares of cells that are said to have two modes or an outlier, or to drift."""

    modes: float
    drift: float


def recognized(noise: str, trials: int, count: int) -> Recognized:
    """The shapes of single cells."""
    values = np.exp(studies(noise, count, 1, trials, 13).logs[:, 0])
    found = [shape_of(dict(enumerate(row)), "throughput") for row in values.tolist()]
    kinds = [one.kind for one in found if one is not None]
    drifts = kinds.count("drift")
    return Recognized((len(kinds) - drifts) / count, drifts / count)


def missed(share: float, trials: int) -> float:
    """The share of studies in which no trial is in a mode that this share of starts takes."""
    return (1 - share) ** trials


__all__ = ["Detected", "Recognized", "detected", "missed", "recognized"]
