"""A decision reads as people say it, and its margin as they type it."""

from __future__ import annotations

import pytest
from httpdyno.comparison.margins import DEFAULT, margins, parse_margin
from httpdyno.comparison.words import begin_sentence, sentence
from httpdyno.metrics import ComparedBy
from httpdyno.result import Comparison, Estimate
from httpdyno.statistics.claims.changes import change, interval
from httpdyno.statistics.decide import Decision


def ratio(value: float, low: float | None, high: float | None) -> Estimate:
    return Estimate(value=value, low=low, high=high, trials=10)


@pytest.mark.parametrize(
    ("metric", "value", "said"),
    [
        ("throughput", 0.918, "8.2 % fewer"),
        ("throughput", 1.021, "2.1 % more"),
        ("p99", 1.12, "12 % longer"),
        ("p99", 0.9, "10 % shorter"),
        ("server CPU per request", 1.004, "0.40 % more"),
        ("throughput", 3.5, "3.50×"),
        ("throughput", 0.1, "90 % fewer"),
        ("throughput", 0.099, "0.099×"),
        ("capacity", 0.9, "10 % less"),
    ],
)
def test_a_ratio_is_a_change(metric: ComparedBy, value: float, said: str) -> None:
    assert change(metric, value) == said


@pytest.mark.parametrize(
    ("value", "said"), [(1.86, "an 86 % longer"), (0.92, "an 8.0 % shorter"), (1.12, "a 12 %")]
)
def test_a_change_of_a_time_has_the_article_of_its_number(value: float, said: str) -> None:
    one = decision("p99", ratio(value, value / 1.01, value * 1.01))
    assert f"B has {said}" in sentence(one, "A", "B")


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (0.906, 0.931, "6.9 to 9.4 % fewer"),
        (1.02, 1.05, "2.0 to 5.0 % more"),
        (0.988, 1.021, "1.2 % fewer to 2.1 % more"),
        (2.5, 3.5, "2.50× to 3.50×"),
        (1.9, 2.1, "1.90× to 2.10×"),
    ],
)
def test_an_interval_names_its_direction_once(low: float, high: float, said: str) -> None:
    assert interval("throughput", ratio(1.0, low, high)) == said


@pytest.mark.parametrize(
    ("trials", "said"), [(1, "none: 1 trial, 5 needed"), (4, "none: 4 trials, 5 needed")]
)
def test_without_an_interval_it_says_how_many_trials_there_are_and_how_many_it_takes(
    trials: int, said: str
) -> None:
    few = Estimate(value=1.043, low=None, high=None, trials=trials)
    assert interval("throughput", few) == said
    told = sentence(decision("throughput", few), "main", "my-branch")
    assert told.startswith("No result for the requests/s of my-branch compared with main: ")
    assert told.endswith(" each, 5 needed for an interval")
    assert "4.3" not in told


def decision(metric: ComparedBy, estimate: Estimate | None) -> Decision:
    row = Comparison(
        load="full-speed",
        point="10 connections",
        metric=metric,
        baseline="main",
        arm="my-branch",
        ratio=estimate,
        outcome="worse",
        smallest_detectable=None,
        dots=[],
    )
    return Decision(metric, 0.03, "regression", row)


def test_a_decision_is_a_sentence() -> None:
    worse = ratio(0.918, 0.906, 0.931)
    assert sentence(decision("throughput", worse), "main", "my-branch") == (
        "my-branch serves 8.2 % fewer requests/s than main"
        " (95 % CI 6.9 to 9.4 % fewer, 10 trials each)"
    )
    longer = ratio(1.12, 1.05, 1.2)
    assert sentence(decision("p99", longer), "main", "my-branch") == (
        "my-branch has a 12 % longer p99 than main (95 % CI 5.0 to 20 % longer, 10 trials each)"
    )
    multiple = sentence(decision("p99", ratio(2.5, 2.3, 2.7)), "main", "my-branch")
    assert multiple.startswith("my-branch has 2.50× the p99 of main (95 % CI 2.30× to 2.70×")
    assert sentence(decision("p99", None), "main", "my-branch").startswith("No result for the p99")


def test_margins_are_shares_of_all_or_of_one_metric() -> None:
    given = [parse_margin("5%"), parse_margin("p99=12.5%"), parse_margin("cpu= 1 %")]
    assert margins(given) == {
        "throughput": 0.05,
        "p99": 0.125,
        "errors": 0.01,
        "server CPU per request": 0.01,
    }
    assert margins([]) == DEFAULT


@pytest.mark.parametrize("text", ["3", "0%", "100%", "-3%", "p98=3%", "=3%", "p99=", "3%%", ""])
def test_what_is_no_margin_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        parse_margin(text)


def test_a_sentence_begins_with_a_capital_letter_unless_a_name_does_not() -> None:
    assert begin_sentence("the pull request has no result") == "The pull request has no result"
    assert begin_sentence("main has no result") == "main has no result"
