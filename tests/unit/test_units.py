"""Numbers as texts."""

from __future__ import annotations

import pytest
from httpdyno.units import confidence, roughly, significant
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("level", "said"),
    [
        (0.95, "95 %"),
        (0.975, "97.5 %"),
        (0.99, "99 %"),
        (1 - 0.05 / 6, "99.2 %"),
        (1 - 0.05 / 60, "99.92 %"),
        (1 - 0.05 / 590, "99.992 %"),
    ],
)
def test_a_confidence_level_is_exact_enough_and_never_certain(level: float, said: str) -> None:
    assert confidence(level) == said


@given(st.floats(0.5, 1 - 1e-9, exclude_max=True))
def test_no_level_is_called_certain(level: float) -> None:
    assert float(confidence(level).removesuffix(" %")) < 100


@given(st.floats(1e-9, 1e12))
def test_a_number_with_three_digits_is_within_half_a_percent(value: float) -> None:
    shown = float(significant(value).replace(",", ""))
    assert abs(shown - value) <= 0.00501 * value


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.4, "0 s"),
        (89.4, "89 s"),
        (92, "1 min 30 s"),
        (118, "2 min"),
        (594, "9 min 50 s"),
        (596, "10 min"),
        (4800, "1 h 20 min"),
    ],
)
def test_a_guess_at_a_time_is_at_most_a_tenth_off(seconds: float, said: str) -> None:
    assert roughly(seconds) == said
