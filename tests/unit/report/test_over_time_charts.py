"""Charts of a single load over time."""

from __future__ import annotations

import re

import pytest
from httpdyno.measurement import TimeBin
from httpdyno.report.charts.drawing.heat import LEVELS, level_of
from httpdyno.report.charts.drawing.sheet import make_figure
from httpdyno.report.charts.figure import Figure
from httpdyno.report.charts.figures.over_time import OverTime
from time_bins import long_day, time_bin

MOST_BYTES = 2_000_000
"""Of all charts of a day."""


def drawn(bins: list[TimeBin], window_s: float = 5.0, **more: object) -> dict[str, Figure]:
    over = OverTime(bins, window_s, is_open=True, **more)  # type: ignore[arg-type]
    return {sheet.slug: make_figure(sheet, sheet.slug) for sheet in over.sheets()}


def test_the_charts_say_when_it_was_slow_and_when_calls_failed() -> None:
    found = drawn([time_bin(0), time_bin(1, ms=9), time_bin(2, ok=90, reset=7, wrong_status=3)])
    assert list(found) == ["percentiles", "heat", "failures"]
    assert found["percentiles"].title == (
        "p99 of each second: 10.0 ms to 45.0 ms, the highest in second 1"
    )
    assert found["failures"].title == "10 calls failed, most in second 2: 10"
    assert found["percentiles"].table.rows[2] == (
        *("2", "100", "90", "10", "2.00 ms", "4.00 ms", "10.0 ms", "20.0 ms"),
    )
    assert found["failures"].table == found["failures"].table.__class__(
        ("seconds", "reset", "wrong status"), (("2", "7", "3"),)
    )


def test_a_load_without_failures_or_replies_has_no_empty_chart() -> None:
    assert list(drawn([time_bin(0), time_bin(1)])) == ["percentiles", "heat"]
    none = drawn([time_bin(0, ok=0, refused=5)])
    assert list(none) == ["percentiles", "failures"]
    assert none["percentiles"].title == "No right reply in any second"


def test_each_chart_says_what_it_shows_to_those_who_do_not_see_it() -> None:
    for figure in drawn([time_bin(0), time_bin(1, tls=1)]).values():
        for svg in (figure.svg, figure.narrow or ""):
            assert 'role="img"' in svg
            assert re.search(r"<title id=[^>]+>[^<]+</title><desc id=[^>]+>[^<]+</desc>", svg)


def test_a_suspect_percentile_is_dashed() -> None:
    bins = [time_bin(0), time_bin(1)]
    assert "dashed: suspect" not in drawn(bins)["percentiles"].svg
    assert "dashed: suspect" in drawn(bins, suspect=frozenset({"p99"}))["percentiles"].svg


def test_the_end_of_the_window_is_no_drop_of_the_rate() -> None:
    """In the last bin, and while late replies come, there is no whole second to count in."""
    bins = [time_bin(0), time_bin(1), time_bin(2, ok=3)]
    over = OverTime(bins, 2.1, is_open=False)
    assert [over._rate(one, one.ok) for one in bins] == [100.0, 100.0, None]


def test_replies_after_the_window_are_no_rise_of_the_percentiles() -> None:
    bins = [time_bin(0), time_bin(1), time_bin(2, ok=3, ms=9)]
    title = "p99 of each second: 10.0 ms"
    assert drawn(bins, 2.1)["percentiles"].title.startswith(f"{title}, ")
    assert drawn(bins, 2.8)["percentiles"].title.startswith(f"{title} to 45.0 ms, ")


def test_no_second_is_named_the_worst_where_several_are() -> None:
    tie = drawn([time_bin(0, reset=2), time_bin(1, reset=2)])["failures"]
    assert tie.title == "4 calls failed, at most 2 in each second"


def test_each_shade_of_the_heat_map_is_for_more_calls() -> None:
    levels = [level_of(count, 1000) for count in (1, 5, 20, 100, 500, 1000)]
    assert levels == sorted(levels)
    assert (levels[0], levels[-1]) == (1, LEVELS)
    assert level_of(1, 1) == LEVELS


@pytest.mark.parametrize(
    ("window_s", "name"), [(5.0, "second"), (3600.0, "minute"), (90_000.0, "hour")]
)
def test_the_axis_counts_in_the_unit_of_the_run(window_s: float, name: str) -> None:
    bins = [time_bin(at * 60, seconds=60) for at in range(int(window_s) // 60 or 1)][:240]
    assert f"{name} of the measurement" in drawn(bins, window_s)["heat"].svg


def test_a_day_does_not_make_a_large_page() -> None:
    figures = drawn(long_day(), 90_000.0)
    assert len(figures) == 3
    whole = sum(len(one.svg) + len(one.narrow or "") for one in figures.values())
    assert whole < MOST_BYTES
