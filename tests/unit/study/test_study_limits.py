"""Errors of studies: numbers without sense, loads that contradict themselves, excessive size."""

from __future__ import annotations

from pathlib import Path

import pytest
from httpdyno.errors import UsageError
from httpdyno.plan import Plan
from httpdyno.study import CapacityLoad, Study, load_study, narrow
from httpdyno.study.read import parse_study
from httpdyno.study.size import MOST_CHARACTERS, MOST_TRIALS, trials

HEAD = """\
title = "t"
[[arms]]
server = "a"
deployments = ["1-process"]
"""


def load(*lines: str) -> str:
    return HEAD + "\n".join(["[loads.x]", *lines]) + "\n"


def published(line: str) -> str:
    rest = "[[published]]\n" + line + '\nload = "x"\narm = "a/1-process"\n'
    return load('kind = "closed"', "requests = 1") + rest


def log(**counts: object) -> str:
    whole = {"asked": 9, "replies": 9, "seconds": 1, "samples": 1} | counts
    listed = ", ".join(f"{key} = {value}" for key, value in whole.items())
    return published(f"requests_per_s = 1\nlog = {{ {listed} }}")


def parse(text: str) -> Study:
    return parse_study(text, Path("mine.toml"))


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (
            load('kind = "closed"', "duration = true"),
            "7: `duration` is `true`: expected a time from 1 ms to 3,600 s",
        ),
        (
            load('kind = "closed"', "duration = 1e-300"),
            "7: `duration` is `1e-300`: expected a time",
        ),
        (load('kind = "closed"', 'duration = "0.5ms"'), "7: `duration` is "),
        (load('kind = "closed"', "duration = inf"), "7: `duration` is `inf`: expected a time"),
        (load('kind = "closed"', "duration = nan"), "7: `duration` is `nan`: expected a time"),
        (
            load('kind = "requests"', "duration = 1", "rate = 1e-300"),
            "8: `rate[0]` is `1e-300`: expected a rate per second from 0.001 to 100,000,000",
        ),
        (load('kind = "requests"', "duration = 1", "rate = true"), "8: `rate[0]` is `true`"),
        (
            load('kind = "requests"', "duration = 1", 'rate = "fast"'),
            '8: `rate[0]` is `"fast"`: expected a rate per second from 0.001 to 100,000,000',
        ),
        (
            load('kind = "closed"', "duration = 1", "connections = [2, 4, 2]"),
            "8: `connections` is `[2, 4, 2]`: expected a whole number from 1 to 100,000, or a list"
            " of different ones",
        ),
        (
            load('kind = "requests"', "duration = 1", "rate = [500, 500.0]"),
            "8: `rate` is `[500, 500.0]`: expected a rate per second",
        ),
        (
            load('kind = "closed"', "duration = 1", "burst = 2", "keep_alive = false"),
            "8: `burst` pipelines calls: expected HTTP/1.1 with keep-alive",
        ),
        (
            load('kind = "sessions"', "duration = 1", "rate = 1", "burst = 2", 'http = "1.0"'),
            "9: `burst` pipelines calls: expected HTTP/1.1 with keep-alive",
        ),
        (
            load('kind = "requests"', "duration = 1", "rate = 1", "think = 1"),
            "9: `think` contradicts `rate`",
        ),
        (
            published("requests_per_s = 1e308"),
            "9: `requests_per_s` is `1e+308`: expected a rate per second up to 1,000,000,000",
        ),
        (published("requests_per_s = inf"), "9: `requests_per_s` is `inf`"),
        (published("requests_per_s = nan"), "9: `requests_per_s` is `nan`"),
        (published("requests_per_s = true"), "9: `requests_per_s` is `true`"),
        (log(stdev_per_s="inf"), "10: `stdev_per_s` is `inf`"),
        (log(seconds="inf"), "10: `seconds` is `inf`: expected a number of seconds from 0.001"),
        (log(seconds="1e-300"), "10: `seconds` is `1e-300`"),
        (log(replies="9" * 30), "10: `replies` is "),
        (log(wrong=10), "10: `log` has 10 wrong replies of 9: expected no more than all"),
        (
            load('kind = "closed"', "duration = 1") + "[quick.loads.x]\nconnections = [1, 1]\n",
            "9: `connections` is `[1, 1]`: expected a whole number",
        ),
    ],
)
def test_numbers_and_keys_without_sense_are_faults_with_their_line(text: str, fault: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse(text)
    (told,) = caught.value.message.splitlines()
    assert told.startswith(f"mine.toml:{fault}"), told


def test_a_burst_of_one_call_needs_no_keep_alive() -> None:
    assert parse(load('kind = "closed"', "duration = 1", "burst = 1", "keep_alive = false"))


def test_points_whose_rates_round_to_the_same_have_cells_of_their_own() -> None:
    rates = [12_345, 12_346, 1000.4, 1000, 0.001234]
    for kind in ("requests", "sessions"):
        every = Plan(parse(load(f'kind = "{kind}"', "duration = 1", f"rate = {rates}"))).cells
        assert len({cell.key for cell in every}) == len(rates)
        assert [cell.point.label.split("/")[0] for cell in every] == [
            *("12,345", "12,346", "1,000.4", "1,000", "0.001234"),
        ]


def test_a_byte_order_mark_is_no_fault_and_counts_as_no_line(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("\ufeff" + load('kind = "closed"', "duration = 1"), encoding="utf-8")
    assert load_study(file).title == "t"
    file.write_text('\ufefftitel = "t"\n', encoding="utf-8")
    with pytest.raises(UsageError, match=r"mine\.toml:1: `titel` is not a key"):
        load_study(file)


def test_a_file_that_is_too_large_is_refused_before_it_is_read_whole(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    with file.open("wb") as large:
        large.truncate(1 << 40)
    with pytest.raises(
        UsageError, match=f"is too large: expected a study of at most {MOST_CHARACTERS:,}"
    ):
        load_study(file)


def many(blocks: int, points: int, arms: int) -> str:
    listed = [f'"{number}"' for number in range(arms)]
    text = HEAD.replace('["1-process"]', f"[{', '.join(listed)}]").replace(
        '"t"\n', f'"t"\nblocks = {blocks}\n'
    )
    rates = list(range(1, points + 1))
    return text + f'[loads.x]\nkind = "requests"\nduration = 1\nrate = {rates}\n'


def test_too_many_trials_are_refused_before_they_are_planned() -> None:
    with pytest.raises(UsageError) as caught:
        parse(many(1000, 50, 41))
    assert caught.value.message == (
        "mine.toml:1: the study has 2,050,000 trials: expected at most 50,000; use fewer `blocks`,"
        " arms or load points"
    )
    assert trials(parse(many(1000, 50, 1))) == MOST_TRIALS
    few = parse(many(5, 50, 41))
    with pytest.raises(UsageError, match="the study has 2,050,000 trials"):
        narrow(few, blocks=1000)


@pytest.mark.parametrize(
    "more", ["", "aa_control = true\n", "blocks = 7\n", "blocks = 7\naa_control = true\n"]
)
def test_the_number_of_trials_is_that_of_the_plan(more: str) -> None:
    text = f"{more}{HEAD}" + (
        '[[arms]]\nserver = "b"\ndeployments = ["1", "2"]\n'
        '[loads.x]\nkind = "closed"\nduration = 1\nconnections = [1, 2, 3]\nblocks = 9\n'
        '[loads.y]\nkind = "sessions"\nrate = [1, 2]\nduration = 1\n'
        '[loads.z]\nkind = "requests"\nrate = 1\nduration = 1\narms = ["a/1-process"]\nblocks = 2\n'
    )
    study = parse(text)
    assert trials(study) == len(Plan(study).trials)


def test_a_file_of_nothing_but_faults_is_told_with_the_first_of_them() -> None:
    with pytest.raises(UsageError) as caught:
        parse("".join(f"key{number} = 1\n" for number in range(1000)))
    assert len(caught.value.message.splitlines()) == 100


def test_a_load_may_declare_the_errors_that_it_allows() -> None:
    text = load('kind = "closed"', "requests = 9", 'error_budget = ["errors<1%", "timeouts<0.1%"]')
    (declared,) = parse(text).loads.values()
    assert not isinstance(declared, CapacityLoad)
    assert declared.error_budget == ("errors<1%", "timeouts<0.1%")


@pytest.mark.parametrize("budget", ['"p99<20ms"', '"errors>1%"', '"errors"', "0.01"])
def test_an_error_budget_that_is_no_share_of_errors_is_refused(budget: str) -> None:
    with pytest.raises(UsageError, match="expected a share of errors that is allowed"):
        parse(load('kind = "closed"', "requests = 9", f"error_budget = {budget}"))
