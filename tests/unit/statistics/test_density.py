"""The density of response times in a result: shares of requests in bins of equal ratio."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from statistics import NormalDist

import pytest
from httpdyno.measurement import Time
from httpdyno.statistics.median_trial import density

MEDIAN_NS = 2e6


def time(count: int) -> Time:
    nine = ("min_ns", "p50_ns", "p75_ns", "p90_ns", "p99_ns", "p999_ns", "p9999_ns", "max_ns")
    values: dict[str, object] = dict.fromkeys(nine, 1) | {"mean_ns": 1.0, "stdev_ns": 1.0}
    return Time.model_validate(values | {"count": count, "hdr": "any"})


def log_normal(_: str, shares: Sequence[float]) -> list[int]:
    return [round(MEDIAN_NS * math.exp(0.5 * NormalDist().inv_cdf(share))) for share in shares]


def two_peaks(_: str, shares: Sequence[float]) -> list[int]:
    return [round((1e6 if share <= 0.5 else 64e6) * (1 + share / 50)) for share in shares]


def test_the_shares_of_a_density_are_those_of_the_distribution() -> None:
    bins = density(time(100_000), log_normal)
    assert sum(share for _, share in bins) == pytest.approx(0.99, abs=0.001)
    below = sum(share for end, share in bins if end * 1e9 <= MEDIAN_NS)
    assert below == pytest.approx(0.495, abs=0.03)
    ratios = [after / before for (before, _), (after, _) in pairwise(bins)]
    assert max(ratios) == pytest.approx(min(ratios), rel=0.01)
    assert bins[0][1] == 0.0


def test_two_peaks_stay_apart_with_nothing_between_them() -> None:
    bins = density(time(100_000), two_peaks)
    middle = [share for end, share in bins if 2e-3 < end < 50e-3]
    assert len(middle) > 20
    assert sum(middle) < 0.01
    assert sum(share for end, share in bins if end <= 2e-3) == pytest.approx(0.49, abs=0.02)


def test_equal_times_are_one_bin_and_few_requests_have_no_density() -> None:
    bins = density(time(1000), lambda _, shares: [5_000_000 for _ in shares])
    assert len(bins) == 2
    assert bins[0][0] < 5e-3 < bins[1][0]
    assert density(time(100), log_normal) == []
