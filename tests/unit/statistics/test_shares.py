"""The bound of a share is that of Clopper and Pearson."""

from __future__ import annotations

import math

import pytest
from httpdyno.statistics.shares import most_share


@pytest.mark.parametrize(
    ("found", "of", "bound"),
    [
        (0, 1, 0.95),
        (0, 10, 0.2589),  # 1 - 0.05 ** (1 / 10)
        (1, 10, 0.3942),
        (3, 10, 0.6066),
        (9, 10, 0.99488),  # 0.95 ** (1 / 10)
        (10, 10, 1.0),
        (0, 1000, 0.0029912),  # the rule of three: 3 / n
    ],
)
def test_the_bound_is_that_of_published_tables(found: int, of: int, bound: float) -> None:
    assert most_share(found, of) == pytest.approx(bound, rel=3e-4)


@pytest.mark.parametrize("of", [1, 7, 100, 5000])
def test_the_sample_is_as_unlikely_as_the_level_says_at_the_bound(of: int) -> None:
    for found in {0, of // 10, of // 2, of - 1}:
        share = most_share(found, of)
        logs = (
            math.lgamma(of + 1)
            - math.lgamma(k + 1)
            - math.lgamma(of - k + 1)
            + k * math.log(share)
            + (of - k) * math.log1p(-share)
            for k in range(found + 1)
        )
        assert math.fsum(map(math.exp, logs)) == pytest.approx(0.05, rel=1e-6)


def test_samples_of_any_size_have_a_bound() -> None:
    for of in (10**6, 10**9):
        for found in (0, 1, of // 1000, of // 2, of - 1):
            assert found / of < most_share(found, of) <= 1
    assert most_share(0, 0) == 1.0
