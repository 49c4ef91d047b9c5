"""The rate at which a limit is crossed, from the shares of late calls of many steps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from httpdyno.capacity.fit import crossing
from httpdyno.capacity.limits import excess_of, parse_limits
from httpdyno.measurement import Quantiles
from one_histogram import hdr_of
from trial_samples import measurement


@dataclass(frozen=True)
class Step:
    rate_per_s: float
    excess: float | None
    seconds: float = 5.0


def test_shares_on_a_line_of_logarithms_are_fitted_exactly() -> None:
    steps = [Step(rate, (rate / 560) ** 9) for rate in (500.0, 525.0, 551.0, 579.0)]
    found = crossing(steps, 540.0)
    assert found is not None
    assert found.rate_per_s == pytest.approx(560.0)
    assert found.slope == pytest.approx(9.0)
    assert found.error == pytest.approx(0.0, abs=1e-6)


def test_bursts_of_late_calls_do_not_move_the_crossing_to_one_side() -> None:
    """Each step has a few bursts of late calls, and often none: its percentile says little."""
    random = np.random.default_rng(3)
    rates = np.repeat([480.0, 510.0, 540.0, 570.0, 600.0], 2)
    found = []
    for _ in range(300):
        bursts = random.poisson(4 * (rates / 560) ** 9)
        steps = [Step(rate, float(n) / 4) for rate, n in zip(rates, bursts, strict=True)]
        one = crossing(steps, 560.0)
        found += [] if one is None else [math.log(one.rate_per_s / 560)]
    assert len(found) > 250
    assert abs(float(np.mean(found))) < 0.01


@pytest.mark.parametrize(
    "steps",
    [
        [],
        [Step(1000.0 * 1.05**n, 0.0 if n < 3 else 99.0) for n in range(5)],
        [Step(1000.0 * 1.05**n, None) for n in range(5)],
        [Step(2000.0 * 1.05**n, 0.5 + n) for n in range(5)],
    ],
    ids=["none", "from nothing to everything", "not measured", "far away"],
)
def test_where_late_calls_do_not_grow_gradually_nothing_is_fitted(steps: Sequence[Step]) -> None:
    assert crossing(steps, 1000.0) is None


def excess(limit: str, times_s: Sequence[float], quantiles: Quantiles) -> float | None:
    ns = np.asarray(np.asarray(times_s) * 1e9, dtype=np.int64)
    made = measurement()
    update = {"count": len(ns), "mean_ns": float(ns.mean()), "hdr": hdr_of(ns)}
    response = made.times.response.model_copy(update=update)
    times = made.times.model_copy(update={"response": response})
    return excess_of(parse_limits([limit]), made.model_copy(update={"times": times}), quantiles)


def test_the_excess_of_a_step_is_its_share_of_late_calls_to_the_allowed_one() -> None:
    from httpdyno.engine import quantiles

    times = [0.005] * 980 + [0.05] * 20
    assert excess("p99<10ms", times, quantiles) == pytest.approx(2.0, rel=0.03)
    assert excess("p90<10ms", times, quantiles) == pytest.approx(0.2, rel=0.03)
    assert excess("p99<90ms", times, quantiles) == 0.0
    assert excess("p99<1ms", times, quantiles) == pytest.approx(100.0, rel=0.03)
    assert excess("mean<10ms", times, quantiles) == pytest.approx(0.59, rel=0.01)
    assert excess("max<10ms", times, quantiles) is None
