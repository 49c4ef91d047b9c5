"""Dates for people: one form everywhere, and words for a time that no calendar has."""

from __future__ import annotations

import math

import pytest
from httpdyno.dates import date, format_time, iso, moment


def test_dates_are_utc_and_a_moment_says_so_unless_a_heading_does() -> None:
    assert date(1_790_000_000.0) == "2026-09-21"
    assert moment(1_790_000_000.0) == "2026-09-21 14:13 UTC"
    assert moment(1_790_000_000.0, zone="") == "2026-09-21 14:13"
    assert iso(1_790_000_000.9) == "2026-09-21T14:13:20+00:00"


@pytest.mark.parametrize("unix_s", [1e30, -1e30, math.inf, math.nan])
def test_a_time_that_no_calendar_has_is_unknown(unix_s: float) -> None:
    assert date(unix_s) == "unknown date"
    assert moment(unix_s) == moment(unix_s, zone="") == "unknown time"
    assert iso(unix_s) == ""
    assert format_time(unix_s, "%H:%M", "–") == "–"
