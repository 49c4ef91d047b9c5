"""`/compare` as a reader gets it: what to choose, numbers and their change, why there is none."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from page_server import Served, served
from stored_runs import store_run, study
from study_place import Place

RATES = {"alpha": 1000.0, "beta": 2000.0}


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A run of five blocks, and one of three."""
    home = tmp_path_factory.mktemp("compared")
    place = Place(home)
    made = study(home)
    store_run(place.store, made, 0, rates=RATES)
    store_run(place.store, made, 1, rates=RATES, blocks=3)
    with served(place) as running:
        yield running


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("?a=&b=2:alpha/1-process", "Choose a baseline A."),
        ("?a=1:alpha/1-process&b=", "Choose an arm B to compare with it."),
        ("?a=&b=", "Choose a baseline A and an arm B to compare with it."),
        ("?a=1", "Choose an arm B to compare with it."),
    ],
)
def test_a_choice_that_is_missing_is_asked_for(stored: Served, query: str, told: str) -> None:
    assert told in stored.ask(f"/compare{query}").text


def test_a_page_on_which_nothing_was_pressed_asks_for_nothing(stored: Served) -> None:
    assert "Choose" not in stored.ask("/compare").text
    assert "Choose" not in stored.ask("/compare?a=1:alpha/1-process&b=1:beta/1-process").text


def test_three_restarts_have_a_change_without_an_interval_and_each_line_says_what_it_takes(
    stored: Served,
) -> None:
    page = stored.ask("/compare?a=1:alpha/1-process&b=2:alpha/1-process").text
    lines = re.findall(r'<td data-label="change">(.*?)</td><td [^>]*>(.*?)</td>', page)
    assert lines
    assert all("<small>without an interval</small>" in change for change, _ in lines)
    assert {interval for _, interval in lines} == {"none: 3 trials, 5 needed"}
    assert "95 % one of its own" not in page


def test_two_arms_of_one_run_are_shown_as_their_geometric_means(stored: Served) -> None:
    page = stored.ask("/compare?a=1:alpha/1-process&b=1:beta/1-process").text
    assert re.search(r'data-label="change">(\d+ %|2\.0\d×|1\.99×)', page)
    assert "% CI</small>" in page
    assert "decided together with all decisions of the run's report" in page
    assert "geometric means over the blocks in which both have a result" in page
    assert "median" not in page


@pytest.mark.parametrize("query", ["?a=1&b=1", "?a=1:alpha/1-process&b=1"])
def test_a_run_beside_itself_compares_two_of_its_arms(stored: Served, query: str) -> None:
    page = stored.ask(f"/compare{query}").text
    assert '<option value="1:alpha/1-process" selected>' in page
    assert '<option value="1:beta/1-process" selected>' in page


def test_two_runs_without_arms_compare_the_first_arm_of_each(stored: Served) -> None:
    page = stored.ask("/compare?a=1&b=2").text
    assert '<option value="1:alpha/1-process" selected>' in page
    assert '<option value="2:alpha/1-process" selected>' in page
