"""The lines of the live views, from numbers made by hand: charts, widths, the time left."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from typing import Any

import pytest
from httpdyno.cli.live.drawing import bar, chart, distribution
from httpdyno.cli.live.load import load_lines, place
from httpdyno.cli.live.steps import Steps, overview, steps_lines
from httpdyno.cli.live.text import beside, cells, crop, plain, with_style
from httpdyno.cli.load.output.progress import Lines, View
from httpdyno.engine import Progress
from httpdyno.engine_plan import Arrivals, EnginePlan, RequestsLoad, Stop, Target
from httpdyno.running.live.events import PlanProgress
from httpdyno.running.live.pace import MOST, Pace, Series
from httpdyno.running.live.recorder import plan_record
from httpdyno.running.live.server_use import ServerNow
from httpdyno.running.live.time_left import TimeLeft

MS = 1_000_000
OPEN = RequestsLoad(arrivals=Arrivals.steady(500.0), connections=8)


def plan(**stop: Any) -> EnginePlan:
    until = Stop(**stop)
    return EnginePlan(target=Target(host="a", port=1), load=OPEN, stop=until, warm_up_s=1.0)


def progress(elapsed_s: float, **changed: object) -> Progress:
    plain_one: dict[str, Any] = {
        "phase": "measuring",
        "elapsed_s": elapsed_s,
        "due": 500,
        "sent": 500,
        "ok": 490,
        "failed": 10,
        "in_flight": 3,
        "open_connections": 8,
        "rate_per_s": 498.0,
        "p50_ns": MS,
        "p99_ns": 5 * MS,
        "lag_p99_ns": 20_000,
        "errors": {"reset": 7},
        "so_far": [(MS, 480), (5 * MS, 10)],
    }
    return Progress(**(plain_one | changed))


def test_a_chart_begins_at_zero_and_shows_the_smallest_value() -> None:
    assert chart([0, 1, 50, 100], 10, 2, max) == ["   █", " ▁██"]
    assert chart([], 10, 2, max) == ["", ""]
    assert chart([0.0, 0.0], 10, 1, max) == ["  "]


def test_what_is_too_much_for_a_chart_is_joined_as_told() -> None:
    assert chart([1, 8, 4, 4], 2, 1, max) == ["█▄"]
    assert chart([1, 7, 4, 4], 2, 1, min) == ["▂█"]


def test_a_distribution_has_a_logarithmic_axis_with_round_times() -> None:
    times = [(100_000, 10), (MS, 1000), (10 * MS, 10)]
    *rows, axis = distribution(times, 60, 3)
    assert [len(row) for row in rows] == [60, 60, 60]
    assert axis.startswith("╵100 µs")
    assert abs(axis.index("╵1 ms") - rows[0].index("█")) <= 1
    assert [row.split() for row in rows[:2]] == [["██"], ["██"]]
    assert len(rows[2].split()) == 3


@pytest.mark.parametrize("times", [[(0, 1)], [(5, 1)], [(3600 * 10**9, 1)], [(1, 1), (2**60, 9)]])
def test_any_times_are_drawn(times: list[tuple[int, int]]) -> None:
    for width in (1, 2, 40, 200):
        assert len(distribution(times, width, 2)) == 3


@pytest.mark.parametrize("share", [-1.0, 0.0, 0.5, 1.0, 7.0])
def test_a_bar_has_its_width(share: float) -> None:
    assert len(bar(share, 10)) == 10


def test_widths_are_those_of_a_terminal() -> None:
    assert cells("データe\u0301") == 7
    assert crop("データ", 5) == "デー…"
    assert plain(crop(with_style("x" * 9, "red"), 5)) == "xxxx…"
    assert crop(with_style("x" * 9, "red"), 5).endswith("\x1b[0m")
    assert beside(["a"], ["1", "2"], 3) == ["a  1", "   2"]
    assert crop("abc", 0) == ""


def test_the_series_of_a_long_run_stays_small_and_keeps_its_peaks() -> None:
    series = Series(max)
    for second in range(100_000):
        series.add(9.0 if second == 77_777 else 1.0)
    assert len(series.values) < MOST
    assert max(series.values) == 9.0


def test_the_time_left_follows_the_clock_then_the_count() -> None:
    pace = Pace(plan_record(plan(duration_s=30.0, count=1000)))
    pace.add(progress(0.2, phase="connecting"))
    assert pace.left_s == pytest.approx(30.8)
    assert place(pace) == "0.2 s of 1.0 s, 31 s left"
    pace.add(progress(11.0, due=100))
    assert place(pace) == "10 s of 30 s, 100 of 1,000, 20 s left"
    assert pace.left_s == pytest.approx(20.0)
    pace.add(progress(21.0, due=800))
    assert pace.left_s == pytest.approx(5.0)
    assert pace.share == pytest.approx(0.8)


def test_a_measurement_that_began_late_has_its_whole_time() -> None:
    pace = Pace(plan_record(plan(duration_s=30.0)))
    pace.add(progress(7.0, phase="connecting"))
    pace.add(progress(7.2))
    assert place(pace) == "0.2 s of 30 s, 30 s left"


def test_the_end_of_a_run_that_only_its_count_ends_is_estimated() -> None:
    pace = Pace(plan_record(plan(count=2500)))
    pace.add(progress(3.5, due=1250))
    assert place(pace) == "1,250 of 2,500, 2.5 s left"


def test_what_was_not_measured_is_left_blank() -> None:
    pace = Pace(plan_record(plan(duration_s=30.0)))
    pace.add(progress(2.5, p50_ns=0, p99_ns=0, rate_per_s=0.0, lag_p99_ns=0, so_far=[]))
    shown = "\n".join(map(plain, load_lines(["a", "b"], pace, 79, 23)))
    assert re.search("^p50 +–$", shown, re.MULTILINE)
    assert "response times so far  –" in shown
    assert "lag" not in shown
    pace.add(progress(2.6, phase="polishing"))
    assert plain(load_lines(["a", "b"], pace, 79, 23)[3]).startswith("polishing")


def test_the_bar_of_several_steps_never_goes_back() -> None:
    steps = Steps("title", "trials", of=4, number=1, pace=Pace(plan_record(plan(duration_s=4.0))))
    assert steps.pace is not None
    lengths = []
    for quarter in range(21):
        phase = "warm_up" if quarter < 4 else "measuring"
        steps.pace.add(progress(quarter / 4, phase=phase))
        lengths.append("".join(overview(steps, 80)).count("━"))
    assert lengths == sorted(lengths)
    assert (lengths[0], lengths[-1]) == (10, 19)


def test_steps_that_take_longer_than_planned_correct_the_time_left() -> None:
    left = TimeLeft()
    assert left.at(0.0) is None
    left.begins(0.0, 40.0, 4)
    assert left.at(4.0) == pytest.approx(36.0)
    left.ends(20.0)
    left.begins(500.0, 30.0, 3)  # after a pause, which does not count
    assert left.at(500.0) == pytest.approx(30.0 * 1.5)
    left.ends(520.0)
    left.begins(520.0, 20.0, 2)
    assert left.at(520.0) == pytest.approx(20.0 * 50 / 30)
    assert left.at(9999.0) is None  # late: nobody knows


def test_a_step_that_is_late_leaves_no_time_rather_than_0_s() -> None:
    assert "left" not in "".join(overview(Steps("title", "trials", of=4, left_s=0.0), 80))
    assert "left" not in "".join(overview(Steps("title", "trials", of=4), 80))


def test_no_less_time_is_left_than_the_measurement_under_way_takes() -> None:
    pace = Pace(plan_record(plan(duration_s=4.0)))
    pace.add(progress(1.5))
    assert pace.left_s == pytest.approx(3.5)
    steps = Steps("title", "trials", of=2, number=1, left_s=0.0, pace=pace)
    assert "about 4 s left" in "".join(overview(steps, 80))


def test_short_steps_that_take_less_than_planned_do_not_shorten_the_long_ones() -> None:
    planned, now_s = [2.0] * 6 + [10.0] * 6, 0.0
    left = TimeLeft()
    for step in range(12):
        left.begins(now_s, sum(planned[step:]), 12 - step)
        truly_s = sum(planned[step:]) - 0.5 * (12 - step)
        assert left.at(now_s) == pytest.approx(truly_s, abs=0.501 * (12 - step) / (step + 1))
        now_s += planned[step] - 0.5
        left.ends(now_s)


@pytest.mark.parametrize("width", [20, 40, 79, 120, 199, 400])
@pytest.mark.parametrize("height", [1, 3, 5, 9, 12, 19, 23, 49, 200])
def test_a_view_fits_any_height(width: int, height: int) -> None:
    pace = Pace(plan_record(plan(duration_s=30.0)))
    pace.add(progress(1.0))
    pace.add(progress(2.5))
    assert len(load_lines(["http://a/", "open load"], pace, width, height)) <= height
    steps = Steps("title", "trials", ["one"], number=7, of=9, left_s=3.0, pace=pace)
    steps.server = ServerNow(0.431, 22_020_096)
    for number in range(20):
        steps.add("valid", f"trial {number}")
    assert len(steps_lines(steps, width, height)) <= max(height, 3)


def test_a_view_says_what_the_lag_of_the_generator_means() -> None:
    pace = Pace(plan_record(plan(duration_s=30.0)))
    pace.add(progress(2.5))
    shown = "\n".join(map(plain, load_lines(["a", "b"], pace, 79, 23)))
    assert "lag p99 20.0 µs: requests leave on time" in shown
    assert "errors      7 reset, 3 wrong reply" in shown
    pace.add(progress(2.0, lag_p99_ns=3 * MS))
    pace.busy = 0.97
    shown = "\n".join(map(plain, load_lines(["a", "b"], pace, 99, 23)))
    assert "97 % busy: it may limit the rate, lag p99 3.00 ms: requests leave late" in shown


def test_a_result_keeps_its_numbers_and_the_time_left_whatever_the_names_are() -> None:
    pace = Pace(plan_record(plan(duration_s=2.0)))
    pace.add(progress(2.8))
    cell = ["a-server-with-a-long-name/12-workers", "as-published-in-2011", "10 connections"]
    steps = Steps("title", "trials", [""], names=(cell, cell[:-1]), of=9, pace=pace)
    numbers = "12,290/s?, p99 21.3 ms?"
    steps.add("suspect", numbers, " (suspect: why)", names=(cell, cell[:-1]))
    for width in (79, 59):
        shown = [crop(plain(one), width) for one in steps_lines(steps, width, 23)]
        assert any(one.endswith("1.8 s of 2.0 s, 0.2 s left") for one in shown), shown
        (row,) = [one for one in shown if one.startswith("verdicts")]
        assert numbers in row
        assert "a-s" in row
        assert "orkers · as-" in row or width == 59
    wide = "\n".join(map(plain, steps_lines(steps, 199, 23)))
    assert " · ".join(cell) + f": {numbers} (suspect: why)" in wide


def test_a_study_shows_the_server_beside_the_lag_of_the_load_generator() -> None:
    pace = Pace(plan_record(plan(duration_s=30.0)))
    pace.add(progress(2.5))
    steps = Steps("title", "trials", ["one"], of=9, pace=pace, server=ServerNow(0.431, 22_020_096))
    shown = "\n".join(map(plain, steps_lines(steps, 79, 23)))
    assert "server      0.43 CPUs, 21.0 MiB\n" in shown
    assert "generator   lag p99 20.0 µs: requests leave on time" in shown


@pytest.mark.parametrize(("whole_s", "lines"), [(4.0, 0), (12.0, 2), (60.0, 9), (3600.0, 10)])
def test_a_long_run_has_a_line_for_each_tenth(
    whole_s: float, lines: int, capfd: pytest.CaptureFixture[str]
) -> None:
    shown = Lines("http://a/", plan(duration_s=whole_s))
    for quarter in range(int(whole_s * 4)):
        shown(PlanProgress(progress(1.0 + quarter / 4)))
    said = capfd.readouterr().err.splitlines()
    assert len(said) == lines
    assert not said or said[0].endswith(
        "498 requests/s, p50 1.00 ms, p99 5.00 ms, 10 failed (7 reset, 3 wrong reply)"
    )


def test_the_view_of_a_load_is_drawn_once_a_second_though_its_progress_comes_more_often(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now_s = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now_s)
    drawn: list[float] = []
    view = View("http://a/", plan(duration_s=30.0))
    monkeypatch.setattr(view.screen, "_write", lambda _: drawn.append(now_s))
    for quarter in range(40):
        now_s = 1000.0 + quarter / 4
        view(PlanProgress(progress(1.0 + quarter / 4)))
    assert len(drawn) in (9, 10)
    view.say("a message is not delayed")
    assert drawn[-1] == now_s


def test_the_seconds_after_a_long_warm_up_are_all_in_the_charts() -> None:
    pace = Pace(plan_record(replace(plan(duration_s=30.0), warm_up_s=5.0)))
    for quarter in range(20):
        pace.add(progress(quarter / 4, phase="warm_up"))
    for quarter in range(14):
        pace.add(progress(5.0 + quarter / 4))
    assert len(pace.rates.values) == 3
