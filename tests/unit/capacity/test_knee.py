"""The knee of a curve."""

from __future__ import annotations

import pytest
from httpdyno.capacity.knee import knee


def test_the_knee_of_two_lines_is_where_they_meet() -> None:
    points = [(float(x), 1.0 if x <= 70 else 1.0 + (x - 70) / 3) for x in range(0, 101, 5)]
    assert knee(points) == pytest.approx(70.0)


def test_the_knee_of_a_queue_is_below_its_capacity() -> None:
    points = [(x / 100, 1 / (1 - x / 100)) for x in range(5, 100, 5)]
    found = knee(points)
    assert found is not None
    assert 0.7 <= found < 0.95


def test_a_straight_or_a_flat_line_has_no_knee() -> None:
    assert knee([(float(x), float(x)) for x in range(20)]) is None
    assert knee([(float(x), 1.0) for x in range(20)]) is None


def test_few_points_have_no_knee() -> None:
    assert knee([(1.0, 1.0), (2.0, 1.0), (3.0, 9.0)]) is None
