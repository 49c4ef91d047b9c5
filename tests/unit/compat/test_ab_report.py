"""The numbers of ab's report, from times and records that are known."""

from __future__ import annotations

from dataclasses import replace

import pytest
from httpdyno.compat.ab.options import Options
from httpdyno.compat.ab.output.files import csv, gnuplot
from httpdyno.compat.ab.output.text import report
from httpdyno.compat.ab.results import Failures, Results
from httpdyno.compat.ab.times import Micros, Row, Times, milliseconds
from httpdyno.compat.ab.url import Url


def times_of(*totals_ms: float, connect_ms: float = 0.0) -> Times:
    total = sorted(round(ms * 1000) for ms in totals_ms)
    connect = round(connect_ms * 1000)
    return Times(
        connect=Micros([connect] * len(total)),
        processing=Micros(micros - connect for micros in total),
        waiting=Micros(micros // 2 for micros in total),
        total=Micros(total),
        each=[
            (place + 1_700_000_000.25, connect, micros - connect, micros, micros // 2)
            for place, micros in enumerate(total)
        ],
    )


def results(times: Times, taken_s: float = 0.5) -> Results:
    return Results(
        options=Options(Url("http://h/", "h", 80, "/"), requests=len(times)),
        software="server/1.0",
        tls=None,
        length=4,
        taken_s=taken_s,
        done=len(times),
        failures=Failures(0, 0, 0, 0),
        other_than_2xx=0,
        kept=0,
        received=2048,
        sent=100,
        content=40,
        times=times,
    )


def test_milliseconds_are_rounded_half_up() -> None:
    assert [milliseconds(micros) for micros in (0, 499, 500, 1499, 1500)] == [0, 0, 1, 1, 2]


@pytest.mark.parametrize(
    ("totals_ms", "median"),
    [((7,), 7), ((1, 9), 9), ((1, 2, 9), 6), ((1, 2, 3, 4), 3), ((1, 2, 3, 5, 9), 4)],
)
def test_the_median_is_the_one_that_ab_prints(totals_ms: tuple[int, ...], median: int) -> None:
    assert Row.of(times_of(*totals_ms).total).median == median


def test_the_deviation_is_that_of_a_sample() -> None:
    row = Row.of(times_of(2, 4, 4, 4, 5, 5, 7, 9).total)
    assert (row.least, row.mean, row.most) == (2, 5, 9)
    assert row.deviation == pytest.approx(2.138, abs=0.001)
    assert Row.of(times_of(3).total).deviation == 0


def test_percentiles_are_requests_of_the_sorted_list() -> None:
    times = times_of(*range(1, 11))
    assert [times.served_within_us(p) // 1000 for p in (50, 66, 90, 99, 100)] == [6, 7, 10, 10, 10]
    assert [times.nearest(p) // 1000 for p in (1, 50, 95, 100)] == [1, 6, 10, 10]
    many = times_of(*range(1, 201))
    assert [many.nearest(p) // 1000 for p in (50, 99, 100)] == [101, 199, 200]


def test_the_rates_are_abs_formulas() -> None:
    text = report(replace(results(times_of(1, 2, 3, 4)), done=4))
    assert "Requests per second:    8.00 [#/sec] (mean)\n" in text
    assert "Time per request:       125.000 [ms] (mean)\n" in text
    assert "Transfer rate:          4.00 [Kbytes/sec] received\n" in text


def test_a_mean_apart_from_the_median_by_more_than_the_deviation_is_doubted() -> None:
    assert "The median and mean" not in report(results(times_of(5, 5, 5, 6, 6, 6)))
    once = report(results(times_of(0, 0, 0.9, 1)))
    assert "WARNING: The median and mean for the total time are not within" in once
    twice = report(results(times_of(0.498, 0.498, 0.5, 0.5)))
    assert "ERROR: The median and mean for the total time are more than twice" in twice


def test_one_request_has_no_percentages_and_none_has_no_table() -> None:
    one = report(results(times_of(3)))
    assert "Connection Times (ms)" in one
    assert "Percentage of the requests" not in one
    none = report(results(times_of(), taken_s=1.0))
    assert "Requests per second" not in none
    assert "Connection Times" not in none


def test_the_files_have_abs_columns() -> None:
    times = times_of(1.25, 2.5, connect_ms=0.6)
    assert csv(times).splitlines()[:3] == ["Percentage served,Time in ms", "0,1.250", "1,1.250"]
    assert csv(times).splitlines()[-1] == "100,2.500"
    head, first, _ = gnuplot(times).splitlines()
    assert head == "starttime\tseconds\tctime\tdtime\tttime\twait"
    assert first.split("\t")[1:] == ["1700000000", "1", "1", "1", "1"]
