"""Values as bars of one line."""

from __future__ import annotations

from httpdyno.cli.live.sparkline import bars, shape


def test_bars_go_from_zero_to_the_greatest_and_narrow_by_averaging() -> None:
    assert bars([0, 1, 4, 8], 10) == " ▂▅█"
    assert bars([2, 2, 8, 8], 2) == "▃█"
    assert bars([], 5) == bars([0, 0], 5) == ""


def test_a_shape_has_a_log_axis_and_keeps_a_thin_tail_visible() -> None:
    assert shape([1] * 98 + [11] + [99], 1, 100, 4) == "█ ▂▂"
    assert shape([], 1, 100, 4) == ""
