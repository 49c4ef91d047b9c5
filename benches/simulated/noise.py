"""Simulated noise between restarts: the logarithms of what the trials of a study measured.

The arms of a study are equal unless a noise says otherwise. Its scale is 3 % of the value, as
between restarts of a steady server; coverage does not depend on it. The intervals were chosen with
`FRIENDLY` and `UNFRIENDLY` in view, and fitted to neither. Those of `LATER` were written down after
the choice; since then, only the allowance for the drift of a level came in.
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
_LONG = 0.8


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


def lognormal(rng: np.random.Generator, shape: tuple[int, int, int]) -> Studies:
    """A long tail of slow starts: e to a normal power of standard deviation 0.8."""
    tail = np.exp(_LONG * rng.standard_normal(shape))
    mean = np.exp(_LONG**2 / 2)
    return _same(SCALE * (mean - tail), 0.0, SCALE * (mean - 1))


def modes(share: float, slower: float) -> Draw:
    """Some starts are slower by a share; within a mode, starts differ by 1 %."""

    def draw(rng: np.random.Generator, shape: tuple[int, int, int]) -> Studies:
        step, width = np.log(1 - slower), SCALE / 3
        logs = width * rng.standard_normal(shape) + step * (rng.random(shape) < share)
        # Half of all values: those of the faster mode above this part of it.
        middle = NormalDist().inv_cdf((0.5 - share) / (1 - share))
        return _same(logs, share * step, width * middle)

    return draw


def one_arm(noise: Draw) -> Draw:
    """Only the second arm and those after it have this noise; the first varies by 1 %, normally."""

    def draw(rng: np.random.Generator, shape: tuple[int, int, int]) -> Studies:
        found = noise(rng, shape)
        found.logs[:, 0] = SCALE / 3 * rng.standard_normal((shape[0], shape[2]))
        found.means[0] = found.medians[0] = 0.0
        return found

    return draw


def dependent(rho: float) -> Draw:
    """Each arm drifts by itself: a trial has this correlation with the arm's trial before it.

    The true level is that of all time, which a study sees a part of.
    """

    def draw(rng: np.random.Generator, shape: tuple[int, int, int]) -> Studies:
        logs = rng.standard_normal(shape)
        for block in range(1, shape[2]):
            logs[..., block] = rho * logs[..., block - 1] + np.sqrt(1 - rho**2) * logs[..., block]
        return _same(SCALE * logs, 0.0, 0.0)

    return draw


def pareto(rng: np.random.Generator, shape: tuple[int, int, int]) -> Studies:
    """Slow starts with a tail that falls with the third power."""
    return _same(-SCALE * (rng.pareto(3, shape) - 0.5), 0.0, -SCALE * (2 ** (1 / 3) - 1.5))


def contaminated(rng: np.random.Generator, shape: tuple[int, int, int]) -> Studies:
    """Normal, but some starts vary more, to both sides."""
    wide = np.where(rng.random(shape) < 0.1, 5.0, 1.0)
    return _same(SCALE * wide * rng.standard_normal(shape), 0.0, 0.0)


def three_modes(rng: np.random.Generator, shape: tuple[int, int, int]) -> Studies:
    """3 of 10 starts are 5 % slower, and 1 is 12 % slower."""
    steps, shares = np.array([0.0, -0.05, -0.12]), [0.6, 0.3, 0.1]
    width = SCALE / 3
    logs = width * rng.standard_normal(shape) + rng.choice(steps, shape, p=shares)
    # Half of all values: about those of the fastest mode above its lowest sixth.
    return _same(logs, float(steps @ shares), width * NormalDist().inv_cdf(1 / 6))


def wave(rng: np.random.Generator, shape: tuple[int, int, int]) -> Studies:
    """Each arm's level rises and falls by 3 % in 30 blocks, from anywhere in between."""
    phase = 2 * np.pi * rng.random((shape[0], shape[1], 1))
    level = SCALE * np.sin(phase + 2 * np.pi * np.arange(shape[2]) / 30)
    return _same(level + SCALE / 3 * rng.standard_normal(shape), 0.0, 0.0)


FRIENDLY: dict[str, Draw] = {
    "normal": normal,
    "heavy-tailed (t, 3 degrees of freedom)": heavy_tailed,
    "skewed (exponential)": skewed,
    "skewed in one arm only": skewed_arm,
    "two modes, 7 : 3": bimodal,
    "two modes, 1 : 1": halves,
    "drifting (random walk)": drifting,
}
_QUARTER, _TENTH = modes(0.25, 0.15), modes(0.10, 0.20)
UNFRIENDLY: dict[str, Draw] = {
    "skewed (lognormal, 0.8)": lognormal,
    "the same, one arm only": one_arm(lognormal),
    "25 % of starts 15 % slower": _QUARTER,
    "25 %, -15 %, one arm only": one_arm(_QUARTER),
    "10 % of starts 20 % slower": _TENTH,
    "10 %, -20 %, one arm only": one_arm(_TENTH),
    "each arm drifts, AR(1) 0.3": dependent(0.3),
    "each arm drifts, AR(1) 0.8": dependent(0.8),
}
LATER: dict[str, Draw] = {
    "skewed (Pareto, index 3), one arm only": one_arm(pareto),
    "1 of 10 starts with 5 times the spread": contaminated,
    "three modes, 6 : 3 : 1, one arm only": one_arm(three_modes),
    "each arm drifts, a slow wave": wave,
}
NOISES = FRIENDLY | UNFRIENDLY | LATER


def studies(noise: str, count: int, arms: int, blocks: int, seed: int = 1) -> Studies:
    """Simulated studies; the same arguments give the same ones."""
    rng = np.random.default_rng([seed, arms, blocks, list(NOISES).index(noise)])
    return NOISES[noise](rng, (count, arms, blocks))
