"""Simulated noise between restarts: the logarithms of what the trials of a study measured.

The arms of a study are equal unless a noise says otherwise. Its scale is 3 % of the value, as
between restarts of a steady server; coverage does not depend on it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]
SCALE = 0.03
STEP = 0.08
"""Distance between the two modes of a bimodal server."""


@dataclass(frozen=True)
class Studies:
    """Logarithms (studies, arms, blocks), and the truth: mean and median of each arm's."""

    logs: Values
    means: Values
    medians: Values

    @property
    def ratios(self) -> Values:
        """The logarithm of the ratio of the second arm to the first, for each block."""
        return self.logs[:, 1] - self.logs[:, 0]

    @property
    def ratio(self) -> Values:
        """The true logarithm of the ratio."""
        return self.means[..., 1] - self.means[..., 0]


Draw = Callable[[np.random.Generator, tuple[int, int, int]], Studies]


def _same(logs: Values, mean: float, median: float) -> Studies:
    arms = logs.shape[1]
    return Studies(logs, np.full(arms, mean), np.full(arms, median))


def normal(rng: np.random.Generator, shape: tuple[int, int, int]) -> Studies:
    return _same(SCALE * rng.standard_normal(shape), 0.0, 0.0)


def heavy_tailed(rng: np.random.Generator, shape: tuple[int, int, int]) -> Studies:
    return _same(SCALE * rng.standard_t(3, shape) / np.sqrt(3), 0.0, 0.0)


def skewed(rng: np.random.Generator, shape: tuple[int, int, int]) -> Studies:
    return _same(SCALE * rng.standard_exponential(shape), SCALE, SCALE * np.log(2))


def skewed_arm(rng: np.random.Generator, shape: tuple[int, int, int]) -> Studies:
    """Only the second arm and those after it are skewed; the first hardly varies."""
    logs = SCALE * rng.standard_exponential(shape)
    logs[:, 0] = SCALE / 10 * rng.standard_normal((shape[0], shape[2]))
    means, medians = np.full(shape[1], SCALE), np.full(shape[1], SCALE * np.log(2))
    means[0] = medians[0] = 0.0
    return Studies(logs, means, medians)


def bimodal(rng: np.random.Generator, shape: tuple[int, int, int]) -> Studies:
    """3 of 10 starts are 8 % slower than the others."""
    width = SCALE / 3
    logs = width * rng.standard_normal(shape) + STEP * (rng.random(shape) < 0.3)
    # Half of all values: those of the lower mode up to its 5 / 7.
    return _same(logs, 0.3 * STEP, width * NormalDist().inv_cdf(5 / 7))


def halves(rng: np.random.Generator, shape: tuple[int, int, int]) -> Studies:
    """Half of the starts are 8 % slower: the median lies where hardly any value does."""
    logs = SCALE / 3 * rng.standard_normal(shape) + STEP * (rng.random(shape) < 0.5)
    return _same(logs, STEP / 2, STEP / 2)


def drifting(rng: np.random.Generator, shape: tuple[int, int, int]) -> Studies:
    """A random walk from trial to trial, which the shuffled arms of a block share.

    The true level is the mean of the walk over the study: what the machine was in that time.
    """
    studies, arms, blocks = shape
    walk = SCALE / 3 * rng.standard_normal((studies, blocks, arms)).reshape(studies, -1)
    walk = walk.cumsum(axis=1)
    level = walk.mean(axis=1)
    shuffled = rng.permuted(walk.reshape(studies, blocks, arms), axis=2)
    logs = shuffled.transpose(0, 2, 1) + SCALE / 3 * rng.standard_normal(shape)
    truth = np.repeat(level[:, None], arms, axis=1)
    return Studies(logs, truth, truth)


NOISES: dict[str, Draw] = {
    "normal": normal,
    "heavy-tailed (t, 3 degrees of freedom)": heavy_tailed,
    "skewed (exponential)": skewed,
    "skewed in one arm only": skewed_arm,
    "two modes, 7 : 3": bimodal,
    "two modes, 1 : 1": halves,
    "drifting (random walk)": drifting,
}


def studies(noise: str, count: int, arms: int, blocks: int, seed: int = 1) -> Studies:
    """Simulated studies; the same arguments give the same ones."""
    rng = np.random.default_rng([seed, arms, blocks, list(NOISES).index(noise)])
    return NOISES[noise](rng, (count, arms, blocks))
