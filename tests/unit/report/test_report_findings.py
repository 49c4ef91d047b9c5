"""The titles of charts: findings, never more than the statistics showed."""

from __future__ import annotations

import large_sample
import pytest
import sample
from httpdyno.listing import both, either
from httpdyno.output.slugs import slug
from httpdyno.plan import AA_SUFFIX
from httpdyno.report.charts.catalogue import figures, replay_figures
from httpdyno.report.text.findings import (
    ArmEstimate,
    Sentences,
    of_ratio,
    of_ratios,
    range_of,
    with_doubts,
)
from httpdyno.result import Comparison, Estimate, KeptUp, RankedArm, Ranking, StudyResult
from httpdyno.statistics.claims.kept_up import kept_up
from httpdyno.statistics.claims.rates_kept import rates_kept
from httpdyno.units import rate

SAID = Sentences(
    "Replies", "{arm} answers {value}", "{arm} answers most", "{arm} answers least", rate
)


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
        (1.0, "a difference of 2.0× or more (0.50× or less)"),
        (11.1, "a difference of 12× or more (0.083× or less)"),
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
        (
            compared(0.6, "better", "p99"),
            "b has a p99 40 % shorter than that of a (0.60×, 0.54 to 0.66×)",
        ),
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


def test_arms_compared_by_another_metric_are_not_counted_as_without_a_result() -> None:
    rows = [compared(0.5, "better", "p99", arm="b"), compared(0.7, "better", "p99", arm="c")]
    elsewhere = [compared(0.5, "worse", arm="d"), compared(1.0, "no result", arm="e")]
    assert of_ratios(rows, ["b", "c"], "a", elsewhere=elsewhere) == (
        "2 of 4 arms have a shorter p99 than a, down to 0.50× (b); no result for 1; 1 compared by "
        "throughput"
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


def known(**values: float) -> list[ArmEstimate]:
    return [
        ArmEstimate(arm, Estimate(value=v, low=v * 0.98, high=v * 1.02, trials=9))
        for arm, v in values.items()
    ]


def ranking(*unranked: str, **ranks: tuple[int, int]) -> Ranking:
    arms = [RankedArm(arm=arm, best=best, worst=worst) for arm, (best, worst) in ranks.items()]
    return Ranking(
        load="l",
        point="p",
        metric="throughput",
        arms=arms,
        ties=[],
        unranked=dict.fromkeys(unranked, "too few trials"),
    )


@pytest.mark.parametrize(
    ("ranks", "said"),
    [
        (
            ranking(b=(1, 1), c=(2, 2), a=(3, 3)),
            "b answers most, 200/s; a answers least, 100/s",
        ),
        (
            ranking(b=(1, 2), c=(1, 2), a=(3, 3)),
            "b or c answers most, 190 to 200/s, with no difference shown between them; "
            "a answers least, 100/s",
        ),
        (ranking(b=(1, 1), c=(2, 3), a=(2, 3)), "b answers most, 200/s"),
        (ranking(b=(1, 2), a=(2, 2), c=(2, 3)), "b answers most, 200/s"),
        (
            ranking(b=(1, 3), c=(1, 3), a=(1, 3)),
            "No difference shown between b, c and a, 100 to 200/s",
        ),
        (ranking(a=(1, 1), b=(2, 2), c=(3, 3)), "a answers most, 100/s; c answers least, 190/s"),
        (
            ranking("c", b=(1, 1), a=(2, 2)),
            "Of 2 ranked arms, b answers most, 200/s; a answers least, 100/s; "
            "too few trials to rank c",
        ),
        (None, "Replies: 100/s (a) to 200/s (b)"),
    ],
)
def test_a_title_claims_an_order_only_as_far_as_the_ranks_go(
    ranks: Ranking | None, said: str
) -> None:
    values = known(a=100.0, b=200.0, c=190.0)
    assert range_of(values, SAID, ranking=ranks) == said


def test_the_last_arm_is_not_named_with_the_number_of_the_first() -> None:
    values = known(a=199.9, b=200.1)
    assert range_of(values, SAID, ranking=ranking(b=(1, 1), a=(2, 2))) == "b answers most, 200/s"


def test_arms_without_a_result_are_part_of_the_title() -> None:
    ranks = ranking("d", "e", b=(1, 1), a=(2, 2))
    values = known(a=100.0, b=200.0)
    assert range_of(values, SAID, ranking=ranks, without=["d", "e"]) == (
        "b answers most, 200/s; a answers least, 100/s; no result for d and e"
    )
    assert range_of(values, SAID, without=["d", "e", "f", "g"]).endswith("no result for 4 arms")


def test_equal_estimates_are_one_number() -> None:
    assert range_of(known(a=100.0, b=100.0), SAID) == "Replies: 100/s in both"


def test_a_single_arm_is_told_with_its_interval() -> None:
    said = range_of(known(a=100.0), SAID)
    assert said == "a answers 100/s (98.0 to 102/s)"
    assert range_of([], SAID) == "No result"


def test_a_title_says_how_many_of_its_results_are_suspect() -> None:
    cells = [
        cell.model_copy(
            update={"status": status, "doubts": {"p99": ["late"]} if status == "suspect" else {}}
        )
        for cell, status in zip(
            sample.replay().cells, ("suspect", "valid", "invalid"), strict=False
        )
    ]
    assert with_doubts("a is", cells, "p99") == "a is; 1 of 2 results is suspect"
    assert with_doubts("a is", cells[:1], "p99") == "a is; this result is suspect"
    assert with_doubts("a is", cells[:1] * 2, "p99") == "a is; both results are suspect"
    assert with_doubts("a answers 9/s", cells[1:], "p99") == "a answers 9/s"


def test_names_are_listed_as_people_do() -> None:
    assert [both(list(names)) for names in ("a", "ab", "abc")] == ["a", "a and b", "a, b and c"]
    assert [either(list(names)) for names in ("a", "ab", "abc")] == ["a", "a or b", "a, b or c"]


def test_the_title_of_a_chart_by_rate_says_who_kept_up_how_far() -> None:
    titles = {one.name: one.title for one in figures(large_sample.curves())}
    assert titles["rates-as-published"] == (
        "cowboy/1-core and misultin/1-core kept up with 900 connections/s and fell behind at 1,000 "
        "connections/s; tornado/1-core, node/1-core and mochiweb/1-core fell behind at 200 to 700 "
        "connections/s; 27 of 57 points are suspect"
    )


def kept(arm: str, up_to: float | None, fell: float | None, *unknown: float) -> KeptUp:
    return KeptUp(
        arm=arm,
        load="l",
        up_to_per_s=up_to,
        fell_behind_at_per_s=fell,
        unknown_at_per_s=list(unknown),
        highest_per_s=4000.0,
    )


@pytest.mark.parametrize(
    ("claims", "said"),
    [
        (
            [kept("a", 4000, None), kept("b", 4000, None)],
            "Both arms kept up with every rate, up to 4,000/s",
        ),
        ([kept("a", 4000, None)], "a kept up with every rate, up to 4,000/s"),
        (
            [kept("a", 4000, None), kept("b", 2000, None, 4000)],
            "a kept up with 4,000/s; b kept up with 2,000/s (not known at 4,000/s)",
        ),
        (
            [kept("a", 4000, None), kept("b", 4000, None, 1000, 2000)],
            "a kept up with 4,000/s; b kept up with 4,000/s (not known at 1,000 and 2,000/s)",
        ),
        (
            [kept("a", 2000, 4000), kept("b", None, 1000)],
            "a kept up with 2,000/s and fell behind at 4,000/s; b fell behind at 1,000/s",
        ),
        (
            [kept("a", 4000, None), kept("b", None, None, 1000, 2000, 4000)],
            "a kept up with 4,000/s; b: not known at 1,000, 2,000 and 4,000/s",
        ),
    ],
)
def test_an_unknown_rate_is_neither_kept_nor_failed(claims: list[KeptUp], said: str) -> None:
    names = {one.arm: one.arm for one in claims}
    assert rates_kept(claims, names).startswith(said)


def test_of_many_limits_no_arm_that_kept_up_is_called_unknown() -> None:
    best, partly = kept("b", 4000, None), kept("a", 4000, None, 1000)
    fell = [kept("c", 2000, 4000), kept("d", 1000, 2000), kept("e", None, 1000)]
    names = {one: one for one in "abcdefg"}
    assert rates_kept([partly, best, *fell], names) == (
        "b kept up with 4,000/s; a kept up with 4,000/s (not known at 1,000/s);"
        " e, d and c fell behind at 1,000 to 4,000/s"
    )
    lower, unknown = kept("f", 2000, None, 4000), kept("g", None, None, 1000, 2000, 4000)
    assert rates_kept([partly, lower, best, fell[2], unknown], names) == (
        "b kept up with 4,000/s; a and f kept up with 2,000 to 4,000/s (not known at some rates);"
        " e fell behind at 1,000/s; not known how far g kept up"
    )


def test_a_rate_that_a_trial_did_not_keep_up_with_says_in_how_many_all_did() -> None:
    names = {"a": "a", "b": "b"}
    partly = kept("b", 4000, None).model_copy(update={"kept_trials": 4, "of_trials": 5})
    assert rates_kept([kept("a", 4000, None), partly], names) == (
        "Both arms kept up with every rate, up to 4,000/s (in at least 4 of 5 trials)"
    )
    alone = rates_kept([partly], names, one_rate=True)
    assert alone == "b kept up with 4,000/s (in 4 of 5 trials)"
    fell = partly.model_copy(update={"up_to_per_s": 2000.0, "fell_behind_at_per_s": 4000.0})
    assert rates_kept([fell], names) == (
        "b kept up with 2,000/s (in at least 4 of 5 trials) and fell behind at 4,000/s"
    )
    many = [kept(arm, 4000 / at, None, 4000) for at, arm in enumerate("acdb", start=1)]
    many[-1] = many[-1].model_copy(update={"kept_trials": 4, "of_trials": 5})
    assert rates_kept(many, {one: one for one in "abcd"}) == (
        "a kept up with 4,000/s (not known at 4,000/s); c, d and b kept up with 1,000 to 2,000/s"
        " (in at least 4 of 5 trials) (not known at some rates)"
    )


def test_the_fewest_trials_of_the_rates_that_an_arm_kept_up_with_are_counted() -> None:
    paces = {1000.0: 5 * ["kept up"], 2000.0: [*4 * ["kept up"], "fell behind"]}
    paces[4000.0] = 5 * ["fell behind"]
    (first, *_) = sample.tiny().cells
    cells = [
        first.model_copy(
            update={
                "rate_per_s": rate,
                "pace": "fell behind" if rate == 4000 else "kept up",
                "trials": [
                    first.trials[0].model_copy(update={"pace": pace, "status": "valid"})
                    for pace in of_trials
                ],
            }
        )
        for rate, of_trials in paces.items()
    ]
    (found,) = kept_up(cells)
    assert (found.up_to_per_s, found.kept_trials, found.of_trials) == (2000, 4, 5)
    assert next(kept_up(cells[:1])).kept_trials is None


def test_one_rate_is_not_every_rate() -> None:
    claims = [kept("a", 4000, None), kept("b", 4000, None)]
    assert (
        rates_kept(claims, {"a": "a", "b": "b"}, one_rate=True) == "Both arms kept up with 4,000/s"
    )


def of_throughput(load: str, point: str, **ranks: tuple[int, int]) -> Ranking:
    places = dict(zip(("w", "x", "y", "z"), sample.ARMS, strict=True))
    arms = [RankedArm(arm=places[a], best=b, worst=w) for a, (b, w) in ranks.items()]
    return Ranking(load=load, point=point, metric="throughput", arms=arms, ties=[])


def test_the_title_of_a_replay_names_a_first_only_where_the_ranks_do() -> None:
    bare = sample.replay()
    rerun = of_throughput("as-published", "10 connections", w=(1, 1), x=(2, 2), y=(3, 4), z=(3, 4))
    corrected = of_throughput("keep-alive", "64 connections", w=(1, 2), x=(1, 2), z=(3, 3))
    whole = bare.model_copy(update={"rankings": [rerun, corrected]})
    begin = "In the post, starlette/4-workers has the highest number; under its load here, "
    (picture,) = [one for one in figures(whole) if one.section == "replay"]
    assert picture.title == (
        f"{begin}{sample.ARMS[0]} answers most; corrected (keep-alive: 64 connections, HTTP/1.1), "
        f"of 3 ranked arms, {sample.ARMS[0]} or {sample.ARMS[1]} answers most"
    )
    (picture,) = [one for one in figures(bare) if one.section == "replay"]
    assert picture.title.startswith(f"{begin}no arm is shown to answer most")


def test_the_only_arm_with_a_result_does_not_answer_most() -> None:
    whole = sample.replay()
    cells = [cell for cell in whole.cells if cell.arm == sample.ARMS[0]]
    (picture,) = replay_figures(whole.model_copy(update={"cells": cells}))
    assert f"under its load here, only {sample.ARMS[0]} has a result" in picture.title
    assert "answers most" not in picture.title


def test_a_post_with_equal_numbers_or_none_has_no_first() -> None:
    whole = sample.replay()
    equal = [row.model_copy(update={"requests_per_s": 5.0}) for row in whole.published]
    (picture,) = replay_figures(whole.model_copy(update={"published": equal}))
    assert "share the highest number" in picture.title
    none = [row.model_copy(update={"requests_per_s": 0.0}) for row in whole.published]
    (picture,) = replay_figures(whole.model_copy(update={"published": none}))
    assert picture.title.startswith("Under its load here")
