"""The files of `-e` and `-g`, ours beside the real ab's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .compare import numbers
from .replies import Reply, always
from .test_ab import URL
from .tools import Both, run_both

pytestmark = pytest.mark.slow

ROW = re.compile(r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} \d\d \d\d:\d\d:\d\d \d{4}(\t\d+){5}")


@pytest.fixture
def both(tmp_path: Path) -> Both:
    """A test of 60 requests that write both files."""
    words = ["-n", "60", "-c", "3", "-e", "{folder}/e.csv", "-g", "{folder}/g.tsv", URL]
    return run_both("ab", words, tmp_path, always(Reply(after_s=0.005)))


def test_the_percentages_have_the_same_shape_and_agree_with_the_report(both: Both) -> None:
    for ran in (both.real, both.ours):
        head, *rows = ran.written("e.csv").splitlines()
        assert head == "Percentage served,Time in ms"
        assert [row.split(",")[0] for row in rows] == [str(n) for n in range(101)]
        times = [float(row.split(",")[1]) for row in rows]
        assert all(re.fullmatch(r"\d+,\d+\.\d{3}", row) for row in rows)
        assert times == sorted(times)
        assert round(times[100]) == numbers(ran.out, "100%")[0]
        assert round(times[50]) == numbers(ran.out, "50%")[0]


def test_the_requests_have_the_same_shape_and_agree_with_the_report(both: Both) -> None:
    for ran in (both.real, both.ours):
        head, *rows = ran.written("g.tsv").splitlines()
        assert head == "starttime\tseconds\tctime\tdtime\tttime\twait"
        assert len(rows) == 60
        assert all(ROW.fullmatch(row) for row in rows), rows[0]
        totals = [int(row.split("\t")[4]) for row in rows]
        assert totals == sorted(totals)
        assert totals[-1] == numbers(ran.out, "100%")[0]


def test_the_second_of_a_request_is_the_one_on_the_clock(both: Both) -> None:
    real, ours = (
        int(ran.written("g.tsv").splitlines()[1].split("\t")[1]) for ran in (both.real, both.ours)
    )
    assert 0 <= ours - real < 60
