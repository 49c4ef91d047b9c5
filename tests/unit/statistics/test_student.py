"""Student's t against published tables."""

from __future__ import annotations

import math

import pytest
from httpdyno.statistics.student import critical, p_value

TABLE = {
    0.80: {1: 3.078, 2: 1.886, 4: 1.533, 9: 1.383, 19: 1.328, 30: 1.310, 120: 1.289},
    0.95: {1: 12.706, 2: 4.303, 4: 2.776, 9: 2.262, 19: 2.093, 30: 2.042, 120: 1.980},
    0.99: {1: 63.657, 2: 9.925, 4: 4.604, 9: 3.250, 19: 2.861, 30: 2.750, 120: 2.617},
    0.999: {1: 636.619, 2: 31.599, 4: 8.610, 9: 4.781, 19: 3.883, 30: 3.646, 120: 3.373},
}
"""Two-sided levels and degrees of freedom, from the table of the NIST/SEMATECH e-Handbook of
Statistical Methods, section 1.3.6.7.2, whose columns are one-sided."""
VALUES = [(level, n, t) for level, row in TABLE.items() for n, t in row.items()]


@pytest.mark.parametrize(("level", "freedom", "t"), VALUES)
def test_quantiles_are_those_of_published_tables(level: float, freedom: int, t: float) -> None:
    assert critical(level, freedom) == pytest.approx(t, abs=0.00051)
    assert p_value(t, freedom) == pytest.approx(1 - level, rel=0.01)


def test_with_one_degree_of_freedom_it_is_cauchys_and_with_many_the_normal_distribution() -> None:
    assert p_value(1.0, 1) == pytest.approx(0.5)
    assert p_value(math.sqrt(3), 1) == pytest.approx(1 / 3)
    assert critical(0.95, 5000) == pytest.approx(1.95996, abs=0.001)


def test_a_p_value_has_no_sign_and_ends_at_0_and_1() -> None:
    assert p_value(-2.5, 7) == p_value(2.5, 7)
    assert p_value(0.0, 7) == 1
    assert p_value(math.inf, 7) == pytest.approx(0, abs=1e-15)
