"""Titles of the charts of distributions and of CPU time."""

from __future__ import annotations

from typing import TypeVar

import large_sample
import pytest
import sample
from httpdyno.report.charts.catalogue import figures
from httpdyno.report.text.words import within
from httpdyno.result import CellRow, Comparison


def test_the_title_of_a_distribution_names_the_arms_without_a_result() -> None:
    whole = sample.replay()
    first, *others = [cell for cell in whole.cells if cell.load == "as-published"]
    cells = [first, *(sample.invalid(cell) for cell in others)]
    titles = {one.name: one.title for one in figures(whole.model_copy(update={"cells": cells}))}
    title = titles["spectrum-as-published"]
    assert title.startswith(f"In the trial drawn, the p99 of {sample.ARMS[0]} is 3.4× its median")
    assert (
        "; no result for tornado/4-processes, starlette/1-worker and starlette/4-workers" in title
    )


@pytest.mark.parametrize(
    ("outcomes", "said"),
    [
        ("b", "; no difference shown between {a} and {b}"),
        ("bc", "; no difference from {a} shown for any other arm"),
        ("b-", "; no difference from {a} shown for {b}"),
        ("-", ""),
    ],
)
def test_the_title_of_cpu_time_says_where_no_difference_is_shown(outcomes: str, said: str) -> None:
    """The range alone would be read as an order."""
    whole = sample.replay()
    a, b, c, *_ = sample.ARMS
    cells = [one for one in whole.cells if one.load == "as-published"][: len(outcomes) + 1]
    rows = [
        row.model_copy(update={"outcome": "worse" if one == "-" else "no difference shown"})
        for one, arm in zip(outcomes, (b, c), strict=False)
        for row in whole.comparisons
        if (row.load, row.metric, row.arm) == (cells[0].load, "server CPU per request", arm)
    ]
    titles = {
        one.name: one.title
        for one in figures(whole.model_copy(update={"cells": cells, "comparisons": rows}))
    }
    title = titles["cpu-as-published"]
    assert title.startswith("CPU time per request: ")
    assert title.partition(";")[2] == said.format(a=a, b=b).removeprefix(";")


def test_the_title_of_a_chart_along_the_rates_keeps_the_capital_of_an_arm() -> None:
    whole, name = sample.replay(), "Tornado/1-process"
    arms = [one for one in whole.arms if one.name == sample.ARMS[0]]
    cells = [one for one in whole.cells if (one.arm, one.load) == (sample.ARMS[0], "corrected")]
    alone = whole.model_copy(
        update={
            "arms": [one.model_copy(update={"name": name}) for one in arms],
            "cells": [one.model_copy(update={"arm": name}) for one in cells],
            "comparisons": [],
            "rankings": [],
        }
    )
    titles = [one.title for one in figures(alone) if one.title.startswith("At ")]
    assert titles
    assert all(f"/s, {name} " in title for title in titles)


@pytest.mark.parametrize(
    ("text", "middle"),
    [
        ("Requests per second: 5/s", "requests per second: 5/s"),
        ("CPU time: 5 µs", "CPU time: 5 µs"),
        ("Ay uses 5 MiB", "Ay uses 5 MiB"),
        ("Ayes: 5", "ayes: 5"),
    ],
)
def test_the_middle_of_a_sentence_keeps_capitals_of_names(text: str, middle: str) -> None:
    assert within(text, ["Ay"]) == middle


def of_trials(*p99: float) -> dict[str, str]:
    """The titles of distributions whose trials drawn have these p99s; of all trials, others."""
    whole = sample.replay()
    mine = [cell for cell in whole.cells if cell.load == "as-published"][: len(p99)]
    cells = [
        cell.model_copy(
            update={
                "latency_spectrum": [(50.0, 0.001), (99.0, value)],
                "latency_density": [(0.001, 0.0), (0.002, 0.5), (0.004, 0.5)],
            }
        )
        for cell, value in zip(mine, p99, strict=True)
    ]
    found = figures(whole.model_copy(update={"cells": cells}))
    return {one.name: one.title for one in found}


def test_the_titles_of_distributions_are_about_the_trials_drawn() -> None:
    a, b, *_ = sample.ARMS
    two = of_trials(0.0126, 0.0128)
    assert two["density-as-published"] == f"p99 in the trials drawn: 12.6 ms ({a}) to 12.8 ms ({b})"
    assert two["spectrum-as-published"] == (
        "In the trials drawn, p99 is 13× the median in both arms"
    )
    one = of_trials(0.0126)
    assert one["density-as-published"] == f"p99 of {a} in the trial drawn: 12.6 ms"


def test_the_title_of_a_distribution_says_which_arm_had_too_few_requests() -> None:
    whole = sample.replay()
    first, second, *_ = [cell for cell in whole.cells if cell.load == "as-published"]
    bare = second.model_copy(update={"latency_spectrum": []})
    found = figures(whole.model_copy(update={"cells": [first, bare]}))
    titles = {one.name: one.title for one in found}
    assert titles["spectrum-as-published"].endswith(f"; {sample.ARMS[1]} had too few requests")


RowT = TypeVar("RowT", CellRow, Comparison)


def doubled(rows: list[RowT]) -> list[RowT]:
    """The rows of one workload, for both."""
    texts = [row.model_dump_json() for row in rows if row.arm.endswith(" pong")]
    every = [text.replace(" pong", f" {work}") for work in ("pong", "file") for text in texts]
    return [type(rows[0]).model_validate_json(text) for text in every]


def test_titles_name_the_workload_where_a_report_has_several() -> None:
    """Two workloads with the same numbers: the names of the arms in a chart leave it out."""
    whole = large_sample.snap()
    update = {"cells": doubled(whole.cells), "comparisons": doubled(whole.comparisons)}
    found = figures(whole.model_copy(update=update))
    titles = [(one.section, one.load and one.load.name, one.title) for one in found]
    assert len(set(titles)) == len(titles)
    for one in found:
        work = "file" if "file" in one.name else "pong"
        assert one.title.startswith(f"Workload {work}: "), one.name
        assert f"; {work}" in one.subtitle, one.name
    assert {one.section for one in found} >= {"replay", "ratio", "throughput", "latency", "cpu"}
    assert not [one for one in figures(sample.replay()) if one.title.startswith("Workload")]
