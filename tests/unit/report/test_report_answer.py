"""The answer: what everyone reads first, and the table of arms below it."""

from __future__ import annotations

import re
from collections.abc import Sequence

import large_sample
import sample
from httpdyno.plan import AA_SUFFIX
from httpdyno.report.charts.catalogue import figures
from httpdyno.report.contents.answer import Answer, answer
from httpdyno.report.contents.overviews import MOST_AT_ONCE, Overview
from httpdyno.report.contents.rows.arms import labels
from httpdyno.report.page import render
from httpdyno.result import CellRow, RankedArm, Ranking, StudyResult
from walk_samples import climbs, result, row, study

REPLAY = sample.replay()


def of(some: StudyResult) -> Answer:
    return answer(some, labels(some))


def named(table: Overview) -> list[str]:
    return [line.arm.name for line in (*table.lines, *table.rest)]


def test_a_corrected_load_is_named_by_what_it_does_before_that_word_is_explained() -> None:
    tables = [*of(REPLAY).first, *of(REPLAY).others]
    assert not [one.title for one in tables if one.title.startswith("corrected")]
    told = {one.load: one.about for one in tables}
    assert "without the faults of its load" in told["corrected"]
    assert told["as-published"] == ""


def test_a_short_answer_is_shown_whole_and_once() -> None:
    found = of(REPLAY)
    assert (found.lead, found.more) == (REPLAY.answer, "")


def test_a_long_answer_begins_with_its_lead_and_folds_the_rest() -> None:
    lead = "Cowboy (1 scheduler) served 14 % fewer requests/s than MochiWeb: 0.86× (95 % CI)."
    long = f"{lead} Under the published load: no difference is shown."
    found = of(REPLAY.model_copy(update={"answer": long, "answer_lead": lead}))
    assert (found.lead, found.more) == (lead, long)


def test_many_capacities_are_one_range_and_a_table() -> None:
    made = result(
        study(),
        [*climbs([1000.0] * 5), *climbs([1900.0] * 5, "a/2-workers", 2)],
    )
    text = " ".join([made.answer] * 4)
    three = made.model_copy(update={"answer": text, "cells": [*made.cells, made.cells[0]]})
    found = of(three)
    assert found.lead.startswith(
        "3,000/s at p99 ≤ 20 ms: 4 cores are needed; it takes 3.16 cores (a/1-worker). Capacity: "
    )
    assert list(found.first[0].columns[:2]) == ["cores for 3,000/s", "capacity"]
    assert found.first[0].ranked_column == 1
    assert found.more == text
    assert len(named(found.first[0])) == 3


def lead(cells: Sequence[CellRow], *, load: str = "most") -> str:
    """The lead of these capacities, if the answer of their study is long. `load`: a further one."""
    made = result(study(), climbs([1000.0] * 5))
    loads = [made.loads[0], made.loads[0].model_copy(update={"name": load, "title": load})]
    long = " ".join([made.answer] * 4)
    return of(made.model_copy(update={"answer": long, "cells": cells, "loads": loads})).lead


def searched(arm: str, values: Sequence[float], **changed: object) -> CellRow:
    """A capacity by these climbs, changed."""
    made = row(result(study(), climbs(values)))
    assert made.capacity is not None
    capacity = made.capacity.model_copy(update=changed)
    return made.model_copy(update={"arm": arm, "capacity": capacity})


AROUND_ONE_CORE = [2800.0, 3000.0, 3125.0, 3300.0, 3400.0]
LITTLE = [value * 100 for value in AROUND_ONE_CORE]


def test_the_cores_of_the_lead_are_those_of_the_intervals() -> None:
    """0.96 cores are one, but their interval reaches to two."""
    small, one = searched("small", LITTLE), searched("one", AROUND_ONE_CORE)
    assert lead([small, one]).startswith(
        "3,000/s at p99 ≤ 20 ms: 1 to 2 cores are needed; it takes 0.00960 cores (small) to 0.960"
        " cores (one). Capacity: "
    )
    assert "1 core is enough; it takes" in lead([small, small])


def test_the_cores_of_a_lower_bound_are_at_most_so_many() -> None:
    bound = {"cores_needed": None, "capacity_per_s": None, "at_least_per_s": 1200.0}
    unknown = searched("unknown", [1200.0] * 5, cores_at_most=2.5, **bound)
    assert "at most 3 cores are needed; it takes 0.960 cores (one) to at most 2.50 cores" in lead(
        [searched("one", AROUND_ONE_CORE), unknown]
    )


def test_each_search_has_its_own_limits_in_the_lead() -> None:
    no_rate = {"for_rate_per_s": None, "cores_needed": None}
    loose = [searched(arm, [value] * 5, **no_rate) for arm, value in (("a", 1e3), ("b", 2e3))]
    other = [cell.model_copy(update={"load": "strict"}) for cell in loose]
    strict = [
        searched(arm, [value] * 5, limits_in_words="p99 ≤ 5 ms", **no_rate).model_copy(
            update={"load": "strict"}
        )
        for arm, value in (("a", 100.0), ("b", 200.0))
    ]
    assert lead([*loose, *strict], load="strict") == (
        "Capacity at p99 ≤ 20 ms: from 1,000/s (a) to 2,000/s (b)."
        " Capacity at p99 ≤ 5 ms: from 100/s (a) to 200/s (b)."
    )
    assert lead([*loose, *other], load="strict") == (
        "Under the load “most”: capacity at p99 ≤ 20 ms: from 1,000/s (a) to 2,000/s (b)."
        " Under the load “strict”: capacity at p99 ≤ 20 ms: from 1,000/s (a) to 2,000/s (b)."
    )


def test_without_a_rate_the_lead_is_the_range_of_the_capacities() -> None:
    made = result(study(), [*climbs([1000.0] * 5), *climbs([1900.0] * 5, "a/2-workers", 2)])
    text = " ".join([made.answer] * 4)
    no_rate = {"for_rate_per_s": None, "cores_needed": None, "cores_at_most": None}
    cells = [
        cell.model_copy(update={"capacity": cell.capacity.model_copy(update=no_rate)})
        for cell in made.cells
        if cell.capacity is not None
    ]
    found = of(made.model_copy(update={"answer": text, "cells": cells}))
    assert found.lead == (
        "Capacity at p99 ≤ 20 ms: from 1,000/s (a/1-worker) to 1,900/s (a/2-workers)."
    )
    assert found.first[0].columns[0] == "capacity"


def test_a_column_of_ratios_without_any_is_left_out_as_is_its_section() -> None:
    nothing: dict[str, object] = {"ratio": None, "outcome": "no result", "dots": []}
    none = [row.model_copy(update=nothing) for row in REPLAY.comparisons]
    bare = REPLAY.model_copy(update={"comparisons": none, "rankings": []})
    assert {table.baseline for table in of(bare).first} == {""}
    assert "relative to" not in render(bare, []).partition("<script")[0]
    assert 'id="ratio"' not in render(bare, [])


def test_a_table_without_intervals_says_so_once() -> None:
    short = sample.replay(blocks=3)
    html = render(short, figures(short))
    answer_of = html.partition('<section class="answer"')[2].partition("</section>")[0]
    tables = answer_of.count("<caption>")
    assert 0 < answer_of.count("trials: too few for an interval") <= tables


def test_the_first_table_is_that_of_the_load_that_the_answer_is_about() -> None:
    named_load = {"answer_load": "as-published", "answer_point": "10 connections"}
    found = of(REPLAY.model_copy(update=named_load))
    assert [table.load for table in found.first] == ["as-published"]
    rate = {"answer_load": "corrected", "answer_point": "1,000/s"}
    (table,) = of(REPLAY.model_copy(update=rate)).first
    assert (table.load, table.point) == ("corrected", "1,000/s")


def kept_up(*arms: str) -> StudyResult:
    """The sample, whose corrected rates these arms kept up with."""
    cells = [
        cell.model_copy(update={"pace": "kept up"})
        if cell.load == "corrected" and cell.arm in arms
        else cell
        for cell in REPLAY.cells
    ]
    return REPLAY.model_copy(update={"cells": cells})


def sorted_by(some: StudyResult) -> list[str]:
    """The metrics of the tables of the corrected load."""
    tables = [one for one in of(some).others if one.load == "corrected"]
    return [one.columns[one.ranked_column] for one in tables]


def test_a_table_is_sorted_by_p99_only_at_a_rate_that_all_arms_kept_up_with() -> None:
    """With comparisons or without: a load may leave out the baseline."""
    assert sorted_by(kept_up(*sample.ARMS)) == ["p99"]
    bare = REPLAY.model_copy(update={"comparisons": []})
    assert sorted_by(REPLAY) == sorted_by(bare) == ["requests/s"]
    assert "kept up" not in of(bare).others_legend
    kept = kept_up(*sample.ARMS).model_copy(update={"comparisons": []})
    assert "by p99 at a rate that all arms with a result kept up with" in of(kept).others_legend


def test_an_overloaded_arm_of_another_workload_does_not_change_a_table() -> None:
    arms = [
        arm.model_copy(update={"workload": "file" if arm.name in sample.ARMS[::2] else "pong"})
        for arm in REPLAY.arms
    ]
    two = REPLAY.model_copy(update={"arms": arms})
    assert sorted_by(two) == ["requests/s", "p99"]


def test_a_control_that_alone_fell_behind_does_not_hide_the_ranks() -> None:
    whole = kept_up(*sample.ARMS)
    twin = f"{sample.ARMS[0]}{AA_SUFFIX}"
    cells = [
        cell.model_copy(update={"arm": twin, "pace": "fell behind"})
        for cell in whole.cells
        if cell.arm == sample.ARMS[0]
    ]
    arms = [whole.arms[0].model_copy(update={"name": twin}), *whole.arms]
    ranking = Ranking(
        load="corrected",
        point="4,000/s",
        metric="p99",
        arms=[RankedArm(arm=arm, best=at, worst=at) for at, arm in enumerate(sample.ARMS, 1)],
        ties=[],
    )
    controlled = whole.model_copy(update={"cells": [*whole.cells, *cells], "arms": arms})
    assert sorted_by(controlled) == ["p99"]
    both = controlled.model_copy(update={"rankings": [ranking]})
    (table,) = [one for one in of(both).others if one.load == "corrected"]
    assert [line.rank for line in table.lines][:4] == ["1", "2", "3", "4"]


def test_a_ratio_stands_behind_the_number_that_it_compares() -> None:
    replay = kept_up(*sample.ARMS)
    html = render(replay, [])
    head = html[html.index("4,000/s <small>the corrected load") :].partition("</thead>")[0]
    assert re.findall(r"data-sort[^>]*>([^<]+)<", head)[3:5] == [
        "p99",
        f"relative to {sample.ARMS[0]}",
    ]


def test_the_words_below_a_table_give_the_level_of_each_interval() -> None:
    assert "The small print is the 95 % confidence interval (CI)." in of(REPLAY).first_legend
    levels = {sample.ARMS[1]: 0.975, sample.ARMS[2]: 0.98, sample.ARMS[3]: 0.99}
    wider = [
        row.model_copy(update={"level": levels[row.arm], "adjusted_with": 6})
        for row in REPLAY.comparisons
    ]
    found = of(REPLAY.model_copy(update={"comparisons": wider}))
    assert "of a ratio it is the 97.5 to 99 % CI, because 6 comparisons" in found.first_legend
    charts = figures(REPLAY.model_copy(update={"comparisons": wider}))
    bars = {one.subtitle.partition("Bar: ")[2] for one in charts if one.section == "ratio"}
    assert all("97.5 to 99 % confidence" in text for text in bars)


def test_a_mark_is_explained_only_where_there_is_one() -> None:
    found = of(REPLAY)
    assert "?" not in found.first_legend
    assert "A number marked ? is suspect" in found.others_legend


def test_the_table_has_each_arm_once_for_each_load_best_first() -> None:
    found = of(REPLAY)
    tables = [*found.first, *found.others]
    assert [table.load for table in tables] == ["keep-alive", "corrected", "as-published"]
    for table in tables:
        assert sorted(named(table)) == sorted(sample.ARMS)
    (first,) = found.first
    values = [line.numbers[0].number for line in first.lines if not line.without]
    assert values == sorted(values, key=lambda value: -(value or 0))
    assert [line.without for line in first.lines].count("no result") == 1
    assert first.lines[-1].without == "no result"


def test_ratios_are_those_that_the_study_computed_and_no_others() -> None:
    (first,) = of(REPLAY).first
    assert first.baseline == sample.ARMS[0]
    for line in first.lines:
        assert line.is_baseline == (line.arm.name == sample.ARMS[0])
        assert (line.ratio is None) == line.is_baseline


def test_of_several_rates_the_highest_with_the_most_results_is_shown() -> None:
    table = next(one for one in of(REPLAY).others if one.load == "corrected")
    assert table.point == "4,000/s"


def test_arms_stand_in_the_order_of_their_ranks() -> None:
    order = [sample.ARMS[3], sample.ARMS[0], sample.ARMS[1]]
    ranking = Ranking(
        load="keep-alive",
        point="64 connections",
        metric="throughput",
        arms=[RankedArm(arm=arm, best=place, worst=3) for place, arm in enumerate(order, 1)],
        ties=[],
    )
    (table,) = of(REPLAY.model_copy(update={"rankings": [ranking]})).first
    assert table.ranked_by == "requests/s"
    assert [line.rank for line in table.lines][:3] == ["1 to 3", "2 to 3", "3"]
    assert named(table)[:3] == order


def test_each_workload_has_its_own_table_and_many_arms_are_folded() -> None:
    found = of(large_sample.snap())
    assert [len(table.lines) for table in found.first] == [MOST_AT_ONCE] * 2
    assert [len(table.rest) for table in found.first] == [1, 1]
    assert {line.arm.workload for line in found.first[0].lines} == {"pong"}
    html = render(large_sample.snap(), [])
    assert "; the first 12" in html
    assert "the best 12" not in html, "the trials may not tell which arms are the best"


def test_a_study_of_one_arm_has_an_answer_and_no_table() -> None:
    alone = sample.tiny()
    one = alone.model_copy(update={"arms": alone.arms[:1], "cells": alone.cells[:1]})
    assert of(one).first == []
    assert 'class="overview' not in render(one, [])


def test_a_table_of_capacities_says_that_its_numbers_are_medians_and_its_ratios_are_not() -> None:
    made = result(study(), [*climbs([1000.0] * 5), *climbs([1900.0] * 5, "a/2-workers", 2)])
    assert made.comparisons
    assert "A capacity is the median over restarts; a ratio of capaciti" in of(made).first_legend
    assert "A capacity is" not in of(REPLAY).first_legend
