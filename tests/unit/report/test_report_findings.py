"""The titles of charts: findings, never more than the statistics showed."""

from __future__ import annotations

import large_sample
import pytest
import sample
from httpdyno.output.slugs import slug
from httpdyno.plan import AA_SUFFIX
from httpdyno.report.charts.catalogue import figures, replay_figures
from httpdyno.report.text.findings import (
    Known,
    Sentences,
    listed,
    of_ratio,
    of_ratios,
    range_of,
    with_doubts,
)
from httpdyno.report.text.words import ratio as ratio_words
from httpdyno.result import Comparison, Estimate, RankedArm, Ranking, StudyResult
from httpdyno.units import rate

SAID = Sentences("Replies", "{arm} answers {value}", "{arm} answers most", "{arm} least", rate)


def compared(
    value: float, outcome: str, metric: str = "throughput", *, low: float = 0.0, arm: str = "b"
) -> Comparison:
    estimate = Estimate(value=value, low=low or value * 0.9, high=value * 1.1, trials=9)
    return Comparison.model_validate(
        {
            "load": "l",
            "point": "10 connections",
            "metric": metric,
            "baseline": "a",
            "arm": arm,
            "ratio": estimate,
            "outcome": outcome,
            "smallest_detectable": 0.021,
            "dots": [],
        }
    )


def test_a_difference_that_would_have_shown_is_a_multiple_from_twice_on() -> None:
    row = compared(1.0, "no difference shown", "p99")
    for share, said in (
        (0.99, "99.0 % or more"),
        (1.0, "a difference of 2.0× or more"),
        (11.1, "a difference of 12× or more"),
    ):
        one = row.model_copy(update={"smallest_detectable": share})
        assert of_ratio(one, "b", "a").endswith(f"; {said} would probably have shown")
        several = of_ratios([one, row], ["b", "c"], "a")
        assert several.endswith(f"; {said} would probably have shown")


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (
            compared(3.5, "better"),
            "b answers 3.50× as many requests as a (3.15 to 3.85×)",
        ),
        (
            compared(1.81, "better"),
            "b answers 81 % more requests than a (1.81×, 1.63 to 1.99×)",
        ),
        (compared(0.86, "worse"), "b answers 14 % fewer requests than a (0.86×, 0.77 to 0.95×)"),
        (compared(0.6, "better", "p99"), "b is 40 % faster at p99 than a (0.60×, 0.54 to 0.66×)"),
        (
            compared(1.0, "no difference shown"),
            "No difference shown between b and a; 2.10 % or more would probably have shown",
        ),
    ],
)
def test_one_comparison_is_a_sentence_with_its_interval(row: Comparison, said: str) -> None:
    assert of_ratio(row, "b", "a") == said


def test_several_comparisons_are_counted_by_what_was_shown() -> None:
    rows = [
        compared(1.5, "better", arm="b"),
        compared(2.5, "better", arm="c"),
        compared(0.5, "worse", arm="d"),
        compared(1.0, "no difference shown", arm="e"),
    ]
    assert of_ratios(rows, [row.arm for row in rows], "a") == (
        "2 of 4 arms answer more requests than a, up to 2.50× (c); 1 fewer, down to 0.50× (d); "
        "no difference shown for 1"
    )


def test_comparisons_at_several_points_are_counted_as_points() -> None:
    rows = [
        compared(0.5, "better", "p99", arm="b"),
        compared(2.5, "worse", "p99", arm="c"),
        compared(1.0, "no difference shown", "p99", arm="d"),
    ]
    assert of_ratios(rows, ["b · 1/s", "c · 1/s", "d · 1/s"], "a", points=True) == (
        "Shorter p99 than a at 1 of 3 points, down to 0.50× (b · 1/s); longer at 1, up to 2.50× "
        "(c · 1/s); no difference shown at 1"
    )


def test_one_of_several_arms_has_a_verb_in_the_singular() -> None:
    rows = [compared(1.5, "better", arm="b"), compared(1.0, "no difference shown", arm="c")]
    assert of_ratios(rows, ["b", "c"], "a") == (
        "1 of 2 arms answers more requests than a, up to 1.50× (b); no difference shown for 1"
    )


def test_the_control_is_no_arm_of_a_finding() -> None:
    whole = sample.replay()
    twin = f"{sample.ARMS[1]}{AA_SUFFIX}"
    text = whole.model_dump_json().replace(f'"{sample.ARMS[1]}"', f'"{twin}"')
    titles = {one.name: one.title for one in figures(StudyResult.model_validate_json(text))}
    title = titles[f"ratio-throughput-as-published-{slug(sample.ARMS[0])}"]
    assert title.startswith("Both arms answer more requests than tornado/1-process")


def test_without_any_difference_the_smallest_detectable_one_is_told() -> None:
    rows = [compared(1.0, "no difference shown", arm=name) for name in "bc"]
    assert of_ratios(rows, ["b", "c"], "a") == (
        "No difference shown between a and 2 other arms; 2.10 % or more would probably have shown"
    )


def known(**values: float) -> list[Known]:
    return [
        Known(arm, Estimate(value=v, low=v * 0.98, high=v * 1.02, trials=9))
        for arm, v in values.items()
    ]


def ranking(**ranks: tuple[int, int]) -> Ranking:
    arms = [RankedArm(arm=arm, best=best, worst=worst) for arm, (best, worst) in ranks.items()]
    return Ranking(load="l", point="p", metric="throughput", arms=arms, ties=[])


def test_an_arm_is_called_the_first_only_where_the_trials_rank_it_so() -> None:
    values = known(a=100.0, b=200.0, c=190.0)
    first = range_of(
        values, SAID, more_is_better=True, ranking=ranking(b=(1, 1), c=(2, 2), a=(3, 3))
    )
    assert first == "b answers most, 200/s; a least, 100/s"
    tied = range_of(
        values, SAID, more_is_better=True, ranking=ranking(b=(1, 2), c=(1, 2), a=(3, 3))
    )
    assert tied == "2 of 3 arms can be first, with about 200/s: the trials do not tell which"
    assert range_of(values, SAID, more_is_better=True, ranking=None) == (
        "Replies: from 100/s (a) to 200/s (b)"
    )


def test_intervals_that_overlap_are_not_put_in_an_order() -> None:
    said = range_of(known(a=100.0, b=101.0), SAID, more_is_better=True, ranking=None)
    assert said == "Replies: the intervals of both overlap, about 100 to 101/s"


def test_a_single_arm_is_told_with_its_interval() -> None:
    said = range_of(known(a=100.0), SAID, more_is_better=True, ranking=None)
    assert said == "a answers 100/s (98.0 to 102/s)"
    assert range_of([], SAID, more_is_better=True, ranking=None) == "No result"


def test_a_title_says_how_many_of_its_results_are_suspect() -> None:
    cells = [
        cell.model_copy(update={"status": status, "doubts": None})
        for cell, status in zip(
            sample.replay().cells, ("suspect", "valid", "invalid"), strict=False
        )
    ]
    assert with_doubts("a is", cells, "p99") == "a is; 1 of 2 results is suspect"
    assert with_doubts("a is", cells[:1], "p99") == "a is; this result is suspect"
    assert with_doubts("a is", cells[:1] * 2, "p99") == "a is; both results are suspect"
    assert with_doubts("a answers 9/s", cells[1:], "p99") == "a answers 9/s"


def test_names_are_listed_as_people_do() -> None:
    assert [listed(list(names)) for names in ("a", "ab", "abc")] == ["a", "a and b", "a, b and c"]
    assert ratio_words(2.0) == "2.00×"


def test_the_title_of_a_chart_by_rate_says_who_kept_up_how_far() -> None:
    titles = {one.name: one.title for one in figures(large_sample.curves())}
    assert titles["rates-as-published"] == (
        "cowboy/1-core and misultin/1-core keep up with 900 connections/s; tornado/1-core only "
        "with 100; 27 of 57 points are suspect"
    )


def test_the_title_of_a_replay_compares_the_first_of_the_post_with_the_first_here() -> None:
    (picture,) = [one for one in figures(sample.replay()) if one.section == "replay"]
    assert picture.title == "starlette/4-workers answers the most requests here, as in the post"


def test_the_only_arm_with_a_result_does_not_answer_most() -> None:
    whole = sample.replay()
    cells = [cell for cell in whole.cells if cell.arm == sample.ARMS[0]]
    (picture,) = replay_figures(whole.model_copy(update={"cells": cells}))
    assert picture.title == f"Only {sample.ARMS[0]} has a result here"


def test_an_arm_keeps_up_with_a_rate_unless_its_verdict_says_otherwise() -> None:
    whole = large_sample.curves()
    few = [
        cell.model_copy(update={"throughput_per_s": estimate, "reasons": [], "status": "valid"})
        for cell in whole.cells
        if (estimate := cell.throughput_per_s) is not None and cell.arm == "cowboy/1-core"
    ]
    title = {one.name: one.title for one in figures(whole.model_copy(update={"cells": few}))}
    assert title["rates-as-published"].startswith("cowboy/1-core keeps up with every rate")
