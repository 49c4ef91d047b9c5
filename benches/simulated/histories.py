"""Histories of simulated runs: how often a change is claimed where there is none, or one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np
from httpdyno.history import NoChangeShown, Observation, Place, Series, follow
from httpdyno.metrics import METRICS
from httpdyno.result import Estimate
from numpy.typing import NDArray

Values = NDArray[np.float64]
Noise = Callable[[np.random.Generator, int], Values]
SPREAD = 0.1
"""Relative standard deviation from run to run, or near it; the tables do not depend on it."""
WITHIN = 0.01
"""Half the width of a run's own interval, relative: runs lie further apart than it."""
METRIC = {metric.name: metric for metric in METRICS}


def _dependent(source: np.random.Generator, runs: int) -> Values:
    """Each run resembles the one before: AR(1)."""
    values = source.standard_normal(runs)
    for at in range(1, runs):
        values[at] = 0.5 * values[at - 1] + 0.75**0.5 * values[at]
    return values


NOISES: Mapping[str, Noise] = {
    "normal": lambda source, runs: source.standard_normal(runs),
    "heavy tails (t, 3 degrees of freedom)": lambda source, runs: source.standard_t(3, runs),
    "skew (exponential)": lambda source, runs: source.exponential(1, runs),
    "two levels (25 % of runs, 10 times their spread apart)": lambda source, runs: (
        3 * (source.random(runs) < 0.25) + 0.3 * source.standard_normal(runs)
    ),
    "half of the run before": _dependent,
}


def alarms(noise: str, arms: int, runs: int, histories: int) -> float:
    """The share of histories without a change that claim one."""
    source = np.random.default_rng([list(NOISES).index(noise), arms, runs])
    return _share(
        any(one.changes for one in follow(_history(source, noise, arms, runs)))
        for _ in range(histories)
    )


def found(step: float, runs: int, histories: int) -> float:
    """The share of histories of one arm in which a step in the middle is found."""
    source = np.random.default_rng([99, runs])
    return _share(
        any(
            abs(change.point.index - runs // 2) <= 1
            for one in follow(_history(source, "normal", 1, runs, step))
            if one.place.metric.name != "memory"
            for change in one.changes
        )
        for _ in range(histories)
    )


def promised(noise: str, runs: int, histories: int) -> float:
    """The share of series that show a step of the size that another one like it promised."""
    source = np.random.default_rng([list(NOISES).index(noise), 77, runs])
    draw, results = NOISES[noise], []
    for _ in range(histories):
        (calm,) = _series(SPREAD * draw(source, runs))
        if not isinstance(calm.verdict, NoChangeShown) or calm.verdict.factor is None:
            continue
        logs = SPREAD * draw(source, runs)
        logs[-2:] -= np.log(calm.verdict.factor)
        results.append(bool(_series(logs)[0].changes))
    return _share(iter(results))


def _series(logs: Values) -> list[Series]:
    return follow(_observed("a", "throughput", logs))


def _history(
    source: np.random.Generator, noise: str, arms: int, runs: int, step: float = 0.0
) -> Iterator[Observation]:
    """`step` of throughput and CPU time in the middle, in standard deviations."""
    draw = NOISES[noise]
    moved = step * (np.arange(runs) >= runs // 2)
    for arm in range(arms):
        run = draw(source, runs)
        for metric, sign in (("throughput", 1), ("cpu", -1)):
            own = 0.9 * run + 0.19**0.5 * draw(source, runs)
            yield from _observed(f"{arm}", metric, sign * SPREAD * (own - moved))
        yield from _observed(f"{arm}", "memory", SPREAD / 5 * draw(source, runs))


def _observed(arm: str, metric: str, logs: Values) -> Iterator[Observation]:
    place = Place("simulated", arm, "full", "10 connections", METRIC[metric], "m", "d")
    for at, value in enumerate(np.exp(logs).tolist()):
        low, high = value * (1 - WITHIN), value * (1 + WITHIN)
        estimate = Estimate(value=value, low=low, high=high, trials=5)
        yield Observation(place, at, at * 86_400.0, estimate, "valid", arm, "", "", {})


def _share(results: Iterator[bool]) -> float:
    every = list(results)
    return sum(every) / max(1, len(every))
