"""The compiled loops over the divisions of a series give what NumPy gives for the same formulas."""

from __future__ import annotations

import math

import numpy as np
import pytest
from httpdyno.compiled import compiled
from httpdyno.history.steps.divisive import best_split
from numpy.typing import NDArray

Values = NDArray[np.float64]
Places = NDArray[np.intp]
COUNTS = (4, 5, 8, 13, 30, 61)
LEAST = 2


def series(count: int) -> list[Values]:
    """Noise, a step, one that is undone, a trend, and values that are often equal."""
    source = np.random.default_rng(count)
    noise, places = source.standard_normal((5, count)), np.arange(count)
    noise[1] += 4 * (places >= count // 2)
    noise[2] += 4 * ((places >= count // 3) & (places < 2 * count // 3))
    noise[3] += places / count
    noise[4] = np.round(noise[4])
    return list(noise)


def sums(rows: Values) -> Values:
    centred = rows - rows.mean(axis=1, keepdims=True)
    return np.concatenate([np.zeros((len(rows), 1)), centred.cumsum(axis=1)], axis=1)


def clearest(rows: Values, *, undone: bool) -> Values:
    """Of each row, the largest variance between a part and the rest."""
    count, best = rows.shape[1], np.zeros(len(rows))
    begins = range(LEAST, count - 2 * LEAST + 1) if undone else [0]
    for begin in begins:
        ends = np.arange(begin + LEAST, count - LEAST + 1)
        inside = ends - begin
        within = sums(rows)[:, ends] - sums(rows)[:, begin, None]
        best = np.maximum(best, (within**2 * count / (inside * (count - inside))).max(axis=1))
    return best


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("undone", [False, True])
def test_the_shuffles_are_those_of_numpy_with_the_same_seed(count: int, undone: bool) -> None:
    if undone and count < 3 * LEAST:
        assert compiled().share_as_clear([1.0] * count, undone, LEAST) == 1.0
        return
    source = np.random.default_rng(20_260_101)
    orders = source.permuted(np.tile(np.arange(count), (999, 1)), axis=1)
    for values in series(count):
        limit = clearest(values[None, :], undone=undone)[0] * (1 - 1e-9)
        share = float((clearest(values[orders], undone=undone) >= limit).mean())
        assert compiled().share_as_clear(values.tolist(), undone, LEAST) == share


def divergences(values: Values, least: int) -> Values:
    """The divergence of `values[:t]` from `values[t:k]`, as a matrix over t and k."""
    count = len(values)
    distances = np.zeros((count + 1, count + 1))
    distances[1:, 1:] = np.abs(values[:, None] - values[None, :]).cumsum(axis=0).cumsum(axis=1)
    places = np.arange(count + 1)
    n, m = places[:, None], places[None, :] - places[:, None]
    inner = np.diag(distances)
    left = np.broadcast_to(inner[:, None] / 2, distances.shape)
    right = (inner[None, :] - 2 * distances + inner[:, None]) / 2
    allowed = (n >= least) & (m >= least)
    size = np.where(allowed, n + m, 1)
    found = 2 / size * (distances - inner[:, None])
    found -= np.where(n > 1, 2 * m / (size * np.maximum(n - 1, 1)), 0.0) * left
    found -= np.where(m > 1, 2 * n / (size * np.maximum(m - 1, 1)), 0.0) * right
    return np.where(allowed, found, -np.inf)


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("least", [1, 2])
def test_the_best_split_is_that_of_numpy(count: int, least: int) -> None:
    for values in series(count):
        found, known = best_split(values.tolist(), least), divergences(values, least)
        assert found is not None
        assert found.divergence == pytest.approx(known.max())
        assert known[found.cut, found.until] == pytest.approx(known.max())


def t_of(values: Values, own: Values, finest: float, edges: tuple[Places, Places]) -> Values:
    """|t| of the parts between these edges."""
    begins, ends = edges
    count, inside = len(values), ends - begins
    outside, total = count - inside, ((values - values.mean()) ** 2).sum()
    of_values, of_own = (np.concatenate([[0.0], one.cumsum()]) for one in (values, own))
    part, squares = of_values[ends] - of_values[begins], of_own[ends] - of_own[begins]
    step = (part - inside * values.mean()) * (1 / inside + 1 / outside)
    left = np.maximum(total - step**2 * inside * outside / count, 0.0)
    spread = np.sqrt(left / (count - 2) * (1 / inside + 1 / outside))
    unsure = np.sqrt(squares / inside**2 + (own.sum() - squares) / outside**2)
    return np.asarray(np.abs(step) / np.maximum(np.maximum(spread, unsure), finest))


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("own", [0.0, 0.2])
def test_the_clearest_division_is_that_of_numpy(count: int, own: float) -> None:
    within = own * np.random.default_rng(count).random(count)
    cuts = np.arange(LEAST, count - LEAST + 1)
    for values in series(count):
        known = t_of(values, within, 1e-6, (np.zeros_like(cuts), cuts))
        cut, t = compiled().clearest_cut(values.tolist(), within.tolist(), 1e-6, cuts.tolist())
        assert (t, t) == pytest.approx((known.max(), known[cut - LEAST]))
        longest = min(count - 2 * LEAST, 20)
        if longest < LEAST:
            continue
        begins, ends = np.triu_indices(longest + 1, LEAST)
        edges = (begins + count - LEAST - longest, ends + count - LEAST - longest)
        known = t_of(values, within, 1e-6, edges)
        begin, end, t = compiled().clearest_stretch(
            values.tolist(), within.tolist(), 1e-6, LEAST, longest
        )
        here = (edges[0] == begin) & (edges[1] == end)
        assert (t, t) == pytest.approx((known.max(), float(known[here].item())))


@pytest.mark.parametrize("count", COUNTS[1:])
@pytest.mark.parametrize("r_squared", [0.2, 0.7, 0.95])
def test_the_chance_of_two_neighbours_is_that_of_numpy(count: int, r_squared: float) -> None:
    sizes = np.arange(LEAST, count - LEAST)
    pairs = [(int(size), 1 + number) for number, size in enumerate(sizes)]
    angles = (np.arange(360) + 0.5) / 360 * math.pi
    alike = np.sqrt(sizes * (count - sizes - 1) / ((sizes + 1) * (count - sizes)))
    other = np.abs(np.cos(angles - np.arccos(alike)[:, None]))
    nearest = np.minimum(np.abs(np.cos(angles)), other)
    rest = np.maximum(0.0, 1 - r_squared / np.maximum(nearest**2, 1e-12))
    both = (rest ** ((count - 3) / 2)).mean(axis=1)
    known = float(np.arange(1, len(sizes) + 1) @ both)
    assert compiled().chance_of_neighbours(r_squared, count, pairs) == pytest.approx(known)


def spreads(freedom: int) -> Values:
    grid = np.linspace(1e-4, 5.0, 20_000)
    logs = (freedom - 1) * np.log(grid) - freedom * grid**2 / 2
    cumulated = np.exp(logs - logs.max()).cumsum()
    return np.interp((np.arange(160) + 0.5) / 160, cumulated / cumulated[-1], grid)


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("limit", [2.5, 6.0, 40.0])
def test_the_step_that_would_show_is_that_of_numpy(count: int, limit: float) -> None:
    found = compiled().step_errors(count, limit, 0.8)
    seen, tested = spreads(count - 1), spreads(count - 2)
    table = np.linspace(-9, 9, 3601)
    normal = np.array([0.5 * math.erfc(-x / math.sqrt(2)) for x in table])
    shares = [
        float(np.interp(step * seen[:, None] - limit * tested[None, :], table, normal).mean())
        for step in (found * (1 - 1e-6), found * (1 + 1e-6))
    ]
    assert shares[0] < 0.8 < shares[1]
