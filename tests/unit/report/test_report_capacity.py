"""Capacities in the report: a section of its own, with the curves that were walked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from xml.etree.ElementTree import Element

import drawn
import pytest
from httpdyno.limits.walk import Walk
from httpdyno.outcome import TrialOutcome
from httpdyno.report.charts.catalogue import figures
from httpdyno.report.charts.drawing.key import starts
from httpdyno.report.charts.drawing.style import STARTS
from httpdyno.report.charts.figure import Figure
from httpdyno.report.page import render
from httpdyno.result import Reason, StudyResult
from httpdyno.study.read import parse_study
from walk_samples import STUDY, climbs, confirmed, profiled, result, study, with_walk


def sample() -> StudyResult:
    slow = climbs([1000.0, 1010.0, 1020.0, 1030.0, 1040.0])
    fast = climbs([1900.0, 1905.0, 1950.0, 2001.0, 2100.0], "a/2-workers", 2)
    after = [confirmed(200, 5, held=True), profiled(201, 6, 1000.0)]
    return result(study(confirm=1), [*slow, *fast, *after])


def section(html: str, name: str) -> str:
    found = re.search(rf'<section id="{name}".*?</section>', html, re.DOTALL)
    assert found is not None, name
    return found[0]


def test_the_capacities_have_a_section_with_their_curves() -> None:
    made = sample()
    charts = figures(made)
    html = section(render(made, charts), "capacity")
    for told in ("1,020/s", "1,950/s", "1 of 1", "cores for 3,000/s", "not confirmed"):
        assert told in html
    names = [chart.name for chart in charts if chart.section == "capacity"]
    assert [name.rpartition("-")[2] for name in names] == ["most", "curves", "overload"][
        : len(names)
    ]
    assert len(names) >= 2


def test_numbers_that_were_not_measured_are_blank_and_said_to_screen_readers() -> None:
    made = sample()
    html = section(render(made, figures(made)), "capacity")
    blank = '<span class="spoken">not measured</span></td>'
    for column in ("goodput at 2×", "recovery"):
        cells = re.findall(rf'<td data-label="{column}"[^>]*>(<span.*?</td>)', html)
        assert cells.count(blank) == 1, "only one of the two arms was overloaded"
        assert len(cells) == 2
    assert html.count("not measured") == 2


def test_a_capacity_without_a_result_leaves_nothing_behind_that_looks_like_one() -> None:
    busy = Reason(code="too_busy", status="invalid", text="the machine was too busy", hint="wait")
    trials = [
        one.model_copy(update={"status": "invalid", "reasons": (busy,)})
        for one in climbs([1000.0, 1010.0])
    ]
    made = result(study(blocks=2), trials)
    first, *_ = made.cells
    assert (first.status, first.error_share, first.throughput_per_s) == ("invalid", None, None)
    charts = figures(made)
    assert not [one for one in charts if one.name.endswith("most")], "an axis without a point"
    html = section(render(made, charts), "capacity")
    assert '<td data-label="knee">–</td>' in html
    assert "none" not in html
    some = result(study(blocks=2), [*trials, *climbs([1000.0, 1010.0], "a/2-workers", 2)])
    assert some.cells[0].capacity is not None
    (chart,) = [one for one in figures(some) if one.name.endswith("most")]
    assert {row[3] for row in chart.table.rows} == {"–"}


def test_a_capacity_without_a_profile_has_no_cost_and_with_few_steps_no_knee() -> None:
    made = result(study(), climbs([1000.0, 1010.0, 1020.0, 1030.0]))
    html = section(render(made, figures(made)), "capacity")
    assert html.count('<td data-label="CPU per request at 50 %"><span>–</span></td>') == 2
    assert html.count('<td data-label="knee">–</td>') == 2
    enough = result(study(), climbs([1000.0, 1010.0, 1020.0, 1030.0, 1040.0]))
    assert '<td data-label="knee">none' in section(render(enough, figures(enough)), "capacity")


def test_a_study_of_capacities_alone_has_no_empty_sections() -> None:
    made = sample()
    html = render(made, figures(made))
    assert '<section id="numbers"' not in html
    assert '<section id="throughput"' not in html
    assert '<section id="ratio"' in html


def test_rates_that_did_not_hold_are_hollow() -> None:
    made = sample()
    chart = curves(made)
    assert drawn.hollow(chart.svg) > 0
    assert "hollow: the limits did not hold" in drawn.texts(chart.svg)


def test_the_curve_of_p99_has_a_line_at_its_limit() -> None:
    made = sample()
    assert "limit: p99 ≤ 20 ms" in drawn.texts(curves(made).svg)


def test_no_line_joins_the_points_of_two_starts() -> None:
    made = result(study(), climbs([500.0, 1000.0, 3000.0]))
    root = drawn.tree(curves(made).svg)
    lines = [one.get("d", "") for one in root.iter() if {"thin", "s0"} <= drawn.classes(one)]
    plots = sum(text.startswith("response time, p99") for text in drawn.texts(curves(made).svg))
    assert plots == 1
    assert len(lines) % 3 == 0
    assert all(line.count("L") == 1 for line in lines), "two rates of one start"


@pytest.mark.parametrize("kind", ["svg", "narrow"])
def test_each_start_of_an_arm_has_a_line_of_its_own_that_the_key_explains(kind: str) -> None:
    made = result(study(), climbs([500.0, 1000.0, 2000.0, 3000.0, 4000.0, 5000.0, 6000.0]))
    svg = getattr(curves(made), kind)
    root = drawn.tree(svg)
    styles = [drawn.classes(one) - {"thin", "s0"} for one in root.iter() if is_line(one, "s0")]
    key = [drawn.classes(one) - {"thin", "ax"} for one in root.iter() if is_line(one, "ax")]
    assert len({frozenset(one) for one in styles}) == len(key) == 7
    assert all(one in key for one in styles)
    assert [text for text in drawn.texts(svg) if text.startswith("start ")] == [
        f"start {number}" for number in range(1, 8)
    ]
    tips = [one.get("data-tip", "") for one in root.iter()]
    assert any(tip.startswith("a/1-worker at 4,500/s\nstart 6\np99 5.00 ms") for tip in tips)


def test_a_single_start_needs_no_key() -> None:
    once = result(study(), climbs([500.0]))
    assert not any(text.startswith("start") for text in drawn.texts(curves(once).svg))


def test_more_starts_than_dashes_are_named_together() -> None:
    marks = list(starts([*range(STARTS + 2), None]))
    assert [one.words for one in marks[:3]] == ["starts 1, 11", "starts 2, 12", "start 3"]
    assert len(marks) == STARTS


def test_many_arms_have_a_key_of_their_starts_too() -> None:
    (cell, *_) = result(study(), climbs([500.0, 1000.0])).cells
    cells = [cell.model_copy(update={"arm": f"arm{number}"}) for number in range(10)]
    svg = curves(sample().model_copy(update={"cells": cells, "rankings": []})).svg
    assert "start 2" in drawn.texts(svg)
    assert drawn.collisions(svg) == []
    assert drawn.outside(svg) == []


def is_line(one: Element, colour: str) -> bool:
    return {"thin", colour} <= drawn.classes(one)


def test_a_single_cell_is_not_called_all_cells() -> None:
    one = sample()
    (first, *_) = one.cells
    alone = one.model_copy(update={"cells": [first]})
    html = render(alone, figures(alone))
    assert "The only cell is valid." in html
    assert "All 1 cells" not in html


def title(trials: Sequence[TrialOutcome], confirm: int = 0) -> str:
    """The title of the capacities of three arms."""
    text = STUDY.format(blocks=10, confirm=confirm).replace(', "2-w', ', "3-workers", "2-w')
    made = result(parse_study(text, Path("most.toml")), trials)
    (chart,) = [one for one in figures(made) if one.name == "capacity-most"]
    return chart.title


def bounded(arm: str, count: int, found: Sequence[float] = ()) -> list[TrialOutcome]:
    """Climbs of an arm: some found its capacity, and the generator ended so many others."""
    ends = Walk(task="climb", cores=1, ended="ceiling", at_least_per_s=2500.0)
    blocks = range(len(found), len(found) + count)
    return [*climbs(found, arm, 2), *(with_walk(200 + n, n, arm, ends) for n in blocks)]


FAST = climbs([1900.0 + at for at in range(10)], "a/2-workers", 2)
SLOW = climbs([1000.0 + at for at in range(10)], "a/3-workers", 2)


def test_an_arm_with_enough_starts_but_bounds_among_them_has_no_rank_for_that_reason() -> None:
    found = [2400.0, 2401.0, 2402.0, 2403.0]
    assert title([*FAST, *SLOW, *bounded("a/1-worker", 3, found)]) == (
        "Of 2 ranked arms, a/2-workers has the highest capacity, 1,900/s; a/3-workers has the "
        "lowest, 1,000/s; no rank for a/1-worker: some starts gave only a lower bound"
    )
    few = title([*FAST, *SLOW, *climbs(found)])
    assert few.endswith("1,000/s; too few trials to rank a/1-worker")


def test_an_arm_that_holds_less_than_it_climbed_to_has_no_rank_for_that_reason() -> None:
    kept = (700.0, 720.0, 740.0, 760.0, 780.0)
    fresh = [confirmed(300 + n, 10 + n, held=False, sustained=one) for n, one in enumerate(kept)]
    told = title([*FAST, *SLOW, *climbs([1000.0] * 10), *fresh], confirm=5)
    assert "; no rank for a/1-worker: fresh starts held less than the climbs reached" in told
    assert "too few" not in told


def test_a_title_says_among_which_capacities_one_is_the_highest() -> None:
    bound = bounded("a/1-worker", 10)
    assert title([*FAST, *SLOW, *bound]).startswith(
        "Of the 2 capacities found, a/2-workers has the highest capacity, 1,900/s; "
    )
    equal = [climbs([1000.0 + (at * shift) % 7 for at in range(10)], arm, 2) for arm, shift in TWO]
    assert title([*equal[0], *equal[1], *bound]) == (
        "No difference shown between a/3-workers and a/2-workers, about 1,000/s; a/1-worker at "
        "least 2,500/s"
    )
    alone = title([*SLOW, *bound, *bounded("a/2-workers", 10)])
    assert alone.startswith("a/3-workers holds the limits up to 1,000/s (")


TWO = (("a/2-workers", 3), ("a/3-workers", 5))


def test_the_share_of_an_unknown_capacity_that_is_kept_is_unknown() -> None:
    """Twice what one arm held at least may be less than its capacity."""
    ended = Walk(task="climb", cores=1, ended="ceiling", at_least_per_s=500.0)
    unknown = [with_walk(block, block, "a/1-worker", ended) for block in range(5)]
    known = climbs([1950.0] * 5, "a/2-workers", 2)
    overload = profiled(200, 5, 1950.0, kept=0.9).walk
    assert overload is not None
    loaded = [
        with_walk(200 + at, 5, arm, overload)
        for at, arm in enumerate(("a/1-worker", "a/2-workers"))
    ]
    charts = figures(result(study(), [*unknown, *known, *loaded]))
    (chart,) = [one for one in charts if one.name.endswith("overload")]
    assert chart.title == "At twice its capacity a/2-workers still answers 90.0 % of it"


def curves(made: StudyResult) -> Figure:
    (chart,) = [one for one in figures(made) if one.name.endswith("curves")]
    return chart
