"""A change is claimed where the runs show one; where they show none, how large one would show."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import geometric_mean

import numpy as np
import pytest
from httpdyno.cli.history.view import show, show_json
from httpdyno.cli.history.words import estimate_words
from httpdyno.history import (
    ChangesShown,
    NoChangeShown,
    Observation,
    Place,
    Series,
    SingleRun,
    TooFew,
    follow,
    summary,
)
from httpdyno.history.words import answer, grounds, title, verdict_words, would_show
from httpdyno.metrics import METRICS
from httpdyno.result import Estimate

OF = {metric.name: metric for metric in METRICS}
SLOWER = {
    "throughput": [3880.0, 3700, 2440, 1100, 1540, 1490],
    "cpu": [199e-6, 155e-6, 201e-6, 500e-6, 347e-6, 394e-6],
    "memory": [30e6, 30.02e6, 29.99e6, 30.29e6, 30.31e6, 30.28e6],
}
"""Three runs, and three of a slower version, on a machine whose runs lie far apart."""
FAST_AGAIN = {
    "throughput": [3700.0, 3300, 3900, 2900],
    "cpu": [180e-6, 165e-6, 205e-6, 190e-6],
    "memory": [30.3e6, 30.29e6, 30.3e6, 30.3e6],
}


def observed(
    numbers: Mapping[str, Sequence[float]], arm: str = "mine", *, within: float = 0.001
) -> Iterator[Observation]:
    """A run per number, with an interval of its own of ± `within`."""
    for metric, values in numbers.items():
        place = Place("app", arm, "full", "10", OF[metric], "m", "d")
        for at, value in enumerate(values, start=1):
            low, high = value * (1 - within), value * (1 + within)
            estimate = Estimate(value=float(value), low=low, high=high, trials=5)
            yield Observation(place, at, at * 86_400.0, estimate, "valid", arm, "", "X", {})


def followed(
    numbers: Mapping[str, Sequence[float]], *, within: float = 0.001, margin: float = 0.05
) -> dict[str, Series]:
    found = follow(observed(numbers, within=within), margin=margin)
    return {one.place.metric.name: one for one in found}


def test_a_large_step_between_three_runs_and_three_is_found_on_a_noisy_machine() -> None:
    found = followed(SLOWER)
    for name in ("throughput", "cpu"):
        (change,) = found[name].changes
        assert (change.after.run, change.outcome) == (4, "worse")
        assert change.point.interval is not None
        assert not change.point.interval[0] < 0 < change.point.interval[1]
    told = answer(list(found.values()))
    assert told.startswith("2 changes of more than 5 % at 1 run, in 3 series over 6 runs")


def test_a_step_that_four_fast_runs_undid_is_still_found() -> None:
    found = followed({name: SLOWER[name] + FAST_AGAIN[name] for name in SLOWER})
    for name in ("throughput", "cpu"):
        assert [change.after.run for change in found[name].changes] == [4, 7]
        assert [change.outcome for change in found[name].changes] == ["worse", "better"]


def test_a_step_of_cpu_time_from_the_fourth_of_six_runs_is_found() -> None:
    cpu = [100e-6, 104e-6, 97e-6, 140e-6, 137e-6, 144e-6]
    found = followed({"throughput": [4000.0, 4100, 3950, 4020, 3980, 4060], "cpu": cpu})
    (change,) = found["cpu"].changes
    assert (change.after.run, change.outcome) == (4, "worse")
    assert verdict_words(found["throughput"]) == "none shown"


UNCLEAR = [100.0, 100.02] * 5 + [100.9, 100.92] * 5 + [51.0, 49.0] * 5
"""A step too small to be clear beside runs that lie so far apart, and a large one."""


def test_the_numbers_of_a_change_are_of_all_runs_up_to_the_next_one_that_is_claimed() -> None:
    (change,) = followed({"throughput": UNCLEAR})["throughput"].changes
    assert (change.after.run, change.runs) == (21, 30)
    point = change.point
    assert point.before == pytest.approx(geometric_mean(UNCLEAR[:20]))
    assert point.after == pytest.approx(geometric_mean(UNCLEAR[20:]))


def test_one_percent_of_memory_is_no_headline() -> None:
    found = followed({"memory": SLOWER["memory"]})
    assert [change.outcome for change in found["memory"].changes] == ["small"]
    assert summary(list(found.values())).changes == []
    assert answer(list(found.values())).startswith("No change of more than 5 % is shown")
    assert verdict_words(found["memory"]) == "1 small"


def test_a_change_in_few_runs_says_what_it_takes_for_granted() -> None:
    short, longer = followed(SLOWER)["cpu"], followed({"cpu": SLOWER["cpu"] * 1 + [390e-6] * 3})
    assert "runs that jump between two levels" in next(grounds(short, short.changes[0]))
    assert list(grounds(longer["cpu"], longer["cpu"].changes[0])) == []


def test_up_to_three_runs_tell_nothing_about_a_change_but_that_two_runs_differ() -> None:
    assert isinstance(followed({"cpu": [1e-4]})["cpu"].verdict, SingleRun)
    halved = followed({"throughput": [4000.0, 4000, 2000]})
    verdict = halved["throughput"].verdict
    assert isinstance(verdict, TooFew)
    assert verdict.newest is not None
    told = answer(list(halved.values()))
    assert "requests per second of run 3 is 50 % lower than that of run 2" in told
    assert "cannot tell a change from the usual spread" in told
    alike = followed({"throughput": [4000.0, 4000, 2000]}, within=0.9)["throughput"].verdict
    assert alike == TooFew(None)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([1000.0, 1000, 3500], "run 3 is 3.50× as high as that of run 2, and their"),
        ([1000.0, 1000, 1100], "run 3 is 10 % higher than that of run 2, and their"),
        ([0.0, 0, 1100], "run 3 is higher than that of run 2, which is 0, and their"),
    ],
)
def test_two_runs_that_differ_are_compared_in_plain_words(values: list[float], said: str) -> None:
    assert said in answer(list(followed({"throughput": values}).values()))


def test_a_number_that_was_0_has_no_infinite_change() -> None:
    found = followed({"throughput": [0.0] * 5 + [40.0, 41, 39, 40, 42]})
    told = answer(list(found.values()))
    assert "requests per second up from 0 (0/s → 40.4/s), better" in told


def test_an_upper_end_that_is_only_a_bound_tells_no_two_runs_apart(
    capsys: pytest.CaptureFixture[str],
) -> None:
    first, before, after = observed({"capacity": [4000.0, 4000, 9000]})
    (ordinary,) = follow([first, before, after])
    assert ordinary.verdict != TooFew(None)
    (series,) = follow([first, replace(before, high_is_bound=True), after])
    assert series.verdict == TooFew(None)
    show_json([series], 0, [])
    (told,) = json.loads(capsys.readouterr().out)["series"]
    assert [one["high_is_bound"] for one in told["points"]] == [False, True, False]
    assert [estimate_words(one).count(" to at least ") for one in series.observations] == [0, 1, 0]


def one_suspect_run(numbers: Sequence[float], at: int) -> list[Observation]:
    """Runs of which one, the number `at`, is suspect, and its interval is very wide."""
    rows = list(observed({"p99": numbers}, within=0.01))
    value = rows[at].estimate.value
    wide = rows[at].estimate.model_copy(update={"low": value / 4, "high": value * 14})
    rows[at] = replace(rows[at], estimate=wide, status="suspect")
    return rows


def test_a_change_that_a_suspect_run_hides_is_told_with_the_flag_that_shows_it() -> None:
    slower = [36.7e-3, 36.3e-3, 36.4e-3, 36.6e-3, 36.4e-3, 106e-3, 65.5e-3, 65.5e-3]
    (hidden,) = follow(one_suspect_run(slower, 5))
    assert isinstance(hidden.verdict, NoChangeShown)
    assert [(change.after.run, change.outcome) for change in hidden.hidden] == [(7, "worse")]
    told = "Without the suspect number, 1 change shows: `httpdyno history --valid-only`."
    assert told in answer([hidden])
    assert "; without the suspect number, 1 change shows" in title([hidden], "")
    assert verdict_words(hidden) == "none shown; without the suspect number, 1 change shows"
    calm = [36.7e-3, 36.3e-3, 36.4e-3, 36.6e-3, 36.4e-3, 106e-3, 36.5e-3, 36.4e-3]
    (quiet,) = follow(one_suspect_run(calm, 5))
    assert quiet.hidden == ()
    assert "uspect" not in answer([quiet])
    assert verdict_words(quiet) == "none shown"


def test_the_table_on_the_terminal_has_the_changes_that_suspect_runs_hide(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    slower = [36.7e-3, 36.3e-3, 36.4e-3, 36.6e-3, 36.4e-3, 106e-3, 65.5e-3, 65.5e-3]
    show(follow(one_suspect_run(slower, 5)), 0, [], points=False)
    _, table = capsys.readouterr().out.split("would show")
    assert "without the suspect number, 1 change shows" in " ".join(table.split())


def test_json_has_the_changes_that_suspect_runs_hide(capsys: pytest.CaptureFixture[str]) -> None:
    slower = [36.7e-3, 36.3e-3, 36.4e-3, 36.6e-3, 36.4e-3, 106e-3, 65.5e-3, 65.5e-3]
    show_json(follow(one_suspect_run(slower, 5)), 0, [])
    (told,) = json.loads(capsys.readouterr().out)["series"]
    assert told["changes"] == []
    assert [one["run"] for one in told["changes_without_suspect"]] == [7]


def test_no_step_is_more_certain_than_the_intervals_of_its_runs() -> None:
    step = {"throughput": [100.0, 100.1, 99.9, 110, 110.1, 109.9]}
    assert isinstance(followed(step)["throughput"].verdict, ChangesShown)
    assert isinstance(followed(step, within=0.3)["throughput"].verdict, NoChangeShown)


def test_two_odd_runs_after_each_other_are_no_step() -> None:
    source = np.random.default_rng(4)
    values = 100 + source.standard_normal(20)
    values[9:11] = 160
    assert followed({"throughput": list(values)})["throughput"].changes == ()


@pytest.mark.parametrize("runs", [4, 6, 8, 12, 24])
def test_a_step_as_large_as_a_series_promises_is_found_in_four_of_five(runs: int) -> None:
    """The step of each is that of another series like it, in the newest two runs."""
    source = np.random.default_rng(runs)
    found, series = 0, 250
    for _ in range(series):
        calm = source.normal(0, 0.1, runs)
        verdict = followed({"throughput": list(np.exp(calm))})["throughput"].verdict
        if not isinstance(verdict, NoChangeShown) or verdict.factor is None:
            found += 1
            continue
        logs = source.normal(0, 0.1, runs)
        logs[-2:] -= np.log(verdict.factor)
        found += bool(followed({"throughput": list(np.exp(logs))})["throughput"].changes)
    assert 0.72 <= found / series <= 0.93


def test_the_smallest_change_that_shows_is_given_for_the_worse() -> None:
    calm = [100.0, 103, 97, 101, 99, 102, 98, 100]
    more = followed({"throughput": calm})["throughput"]
    less = followed({"cpu": [value * 1e-6 for value in calm]})["cpu"]
    assert would_show(more).startswith("a fall of ")
    assert would_show(less).startswith("a rise of ")
    assert "%" in would_show(less)


@pytest.mark.parametrize(
    ("runs", "spread"), [(2, 0.5), (3, 0.5), (4, 0.5), (6, 0.01), (6, 0.5), (9, 0.5), (20, 0.5)]
)
def test_of_twenty_histories_without_a_change_at_most_one_claims_one(
    runs: int, spread: float
) -> None:
    """Three arms with three numbers each, whose intervals do not know how far runs lie apart. The
    tables in docs/concepts/change-points.md have more histories and other noise."""
    source = np.random.default_rng([runs, int(spread * 100)])
    histories, alarms = 150, 0
    for _ in range(histories):
        rows: list[Observation] = []
        for arm in "abc":
            run = source.standard_normal(runs)
            numbers = {
                name: np.exp(spread * (share * run + (1 - share**2) ** 0.5 * own))
                for name, share in (("throughput", 0.9), ("cpu", -0.9), ("memory", 0.0))
                for own in (source.standard_normal(runs),)
            }
            rows += observed({name: list(values) for name, values in numbers.items()}, arm)
        alarms += any(one.changes for one in follow(rows))
    assert alarms <= 0.05 * histories + 2 * (histories * 0.05 * 0.95) ** 0.5


def test_a_new_version_is_where_a_step_is_expected_so_less_shows_it() -> None:
    def two_arms(version: str) -> list[Series]:
        rows = list(observed({name: SLOWER[name] for name in ("throughput", "cpu")}))
        source = np.random.default_rng(1)
        calm = {name: list(source.normal(100, 3, 6)) for name in ("throughput", "cpu")}
        rows = [
            replace(one, circumstances={"server": "1" if one.run < 4 else version}) for one in rows
        ]
        return follow([*rows, *observed(calm, "other")])

    assert [len(one.changes) for one in two_arms("1")] == [0, 0, 0, 0]
    assert [len(one.changes) for one in two_arms("2")] == [1, 1, 0, 0]
