"""The answer of a study of several arms: who leads, the others relative to it, what is in doubt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from httpdyno.outcome import TrialOutcome
from httpdyno.plan import Plan
from httpdyno.report.charts.catalogue import figures
from httpdyno.result import Reason, StudyResult
from httpdyno.statistics.summarise import RunFacts, summarise
from httpdyno.study import Study
from httpdyno.study.read import parse_study
from trial_samples import outcome, reason

Value = Callable[[str, str, int], float | None]
Doubts = Callable[[str, str, int], Sequence[Reason]]
WOBBLE = (1.0, 1.02, 0.98, 1.01, 0.99, 1.03, 0.97, 1.0, 1.02, 0.99)
CLOSED = '[loads.full]\nkind = "closed"\nduration = "3s"\n'
OPEN = '[loads.rates]\nkind = "requests"\nrate = [1000, 2000, 4000]\nduration = "3s"\n'
WORST = reason("overload", "suspect")


def study(arms: str, loads: str = CLOSED, blocks: int = 10) -> Study:
    text = f'title = "Several"\nblocks = {blocks}\n'
    text += "".join(f'[[arms]]\nserver = "{arm}"\ndeployments = ["x"]\n' for arm in arms)
    return parse_study(text + loads, Path("several.toml"))


def no_doubt(arm: str, point: str, block: int) -> Sequence[Reason]:
    return ()


def made(
    of: Study, rate: Value, doubts: Doubts = no_doubt, p99: Value | None = None
) -> StudyResult:
    """The result; a trial whose rate is None is missing."""
    trials: list[TrialOutcome] = []
    for block in range(of.blocks):
        for cell in Plan(of).cells:
            arm, point = cell.arm.server, cell.point.label
            value = rate(arm, point, block)
            if value is None:
                continue
            noise = WOBBLE[(block + 3 * ord(arm)) % len(WOBBLE)]
            tail = 2.0 / value if p99 is None else p99(arm, point, block) or 0.0
            trials.append(
                outcome(
                    len(trials),
                    block,
                    cell.key,
                    rate=value * noise,
                    p99_s=tail * noise,
                    reasons=doubts(arm, point, block),
                    open_load=cell.load_name == "rates",
                )
            )
    facts = RunFacts("httpdyno run several", "0", 1, 0.0, 60.0, [], [], {}, {})
    return summarise(
        Plan(of), trials, facts, lambda hdr, shares: [int(float(hdr) * s) for s in shares]
    )


def at(levels: dict[str, float]) -> Value:
    return lambda arm, point, block: levels[arm]


def titles(result: StudyResult) -> dict[str, str]:
    return {figure.name: figure.title for figure in figures(result)}


def test_one_leader_is_named_with_the_others_relative_to_it() -> None:
    found = made(study("abc"), at({"a": 1000, "b": 3000, "c": 2000}))
    assert found.answer_lead.startswith(
        "b (x) served the most requests/s: 3,000/s (95 % CI 2,960 to 3,040/s)"
    )
    assert "Relative to b (x) (" in found.answer_lead
    assert ": c (x) 0.6" in found.answer_lead
    assert "; a (x) 0.33× (" in found.answer_lead
    assert titles(found)["throughput-full"].startswith("b/x answers most, 3,0")


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ("burst = 20", "keep-alive, 20 calls pipelined, 10 connections"),
        ('think = "1s"', "keep-alive, 10 connections, 1.00 s think time"),
        ("calls_per_connection = 5", "keep-alive, 5 requests per connection, 10 connections"),
    ],
)
def test_the_load_of_the_answer_says_how_it_uses_connections(keys: str, words: str) -> None:
    special = CLOSED.replace("full", "special") + f"{keys}\n"
    found = made(study("ab", special), at({"a": 1000, "b": 3000}))
    assert f"Load: {words}, 3.00 s per trial." in found.answer_lead


def test_a_plain_load_is_answered_before_one_with_pipelined_calls() -> None:
    bursts = CLOSED.replace("full", "bursts") + "burst = 20\n"
    found = made(study("ab", bursts + CLOSED), at({"a": 1000, "b": 3000}))
    assert "Load: keep-alive, 10 connections, 3.00 s per trial." in found.answer_lead


def test_arms_that_may_all_be_first_are_the_leading_group() -> None:
    found = made(study("abcd"), at({"a": 1000, "b": 3000, "c": 3001, "d": 2999}))
    assert "served the most requests/s, 3,0" in found.answer_lead
    assert "no difference between them is shown" in found.answer_lead
    assert found.answer_lead.count(" or ") == 1
    assert "a (x) 0.33× (" in found.answer_lead
    (title,) = [one for name, one in titles(found).items() if name == "throughput-full"]
    assert "with no difference shown between them; a/x answers least, 1,0" in title


def test_equal_arms_have_no_order_anywhere() -> None:
    found = made(study("abc"), at({"a": 1000, "b": 1000, "c": 1000}))
    assert found.answer_lead.startswith("No difference in requests/s is shown between the 3 arms")
    assert titles(found)["throughput-full"].startswith("No difference shown between")
    assert not [row for row in found.comparisons if row.shown]


def test_an_arm_without_a_result_is_neither_last_nor_left_out() -> None:
    def rate(arm: str, point: str, block: int) -> float | None:
        return None if arm == "d" else {"a": 1000.0, "b": 3000.0, "c": 2000.0}[arm]

    found = made(study("abcd"), rate)
    assert found.answer_lead.startswith("Of the 3 ranked arms, b (x) served the most requests/s")
    assert "No result for d (x)." in found.answer_lead
    assert titles(found)["throughput-full"].endswith("no result for d/x")
    assert titles(found)["ratio-throughput-full-a-x"].startswith("2 of 3 arms answer more")
    assert titles(found)["ratio-throughput-full-a-x"].endswith("no result for 1")


def test_a_missing_block_does_not_turn_the_order_round() -> None:
    """T4: one arm lacks its best block, so that its estimate is lower than it would be."""

    def rate(arm: str, point: str, block: int) -> float | None:
        drift = 3.0 if block == 0 else 1.0
        return None if (arm, block) == ("b", 0) else drift * {"a": 1000.0, "b": 1100.0}[arm]

    found = made(study("ab"), rate)
    assert found.rankings[0].first == ["b/x"]
    assert titles(found)["throughput-full"].startswith("b/x answers most")
    assert found.answer_lead.startswith("b (x) served 1")


def test_ranks_and_ratios_never_contradict_each_other() -> None:
    """T6, T7: one decision about a pair of arms, whatever shows it."""
    found = made(study("abcde", CLOSED + OPEN), at(dict.fromkeys("abcde", 1000.0)))
    together = {row.adjusted_with for row in found.comparisons if row.p_value is not None}
    assert len(together) == 1
    for ranking in found.rankings:
        ranks = {one.arm: one for one in ranking.arms}
        for row in found.comparisons:
            if (row.load, row.point, row.metric) == (ranking.load, ranking.point, ranking.metric):
                one, base = ranks[row.arm], ranks[row.baseline]
                assert row.shown or (one.best == 1 or base.best == 1)


def overload(arm: str, point: str, block: int) -> Sequence[Reason]:
    return [WORST] if arm == "b" and point == "4,000/s" else ()


def test_kept_rates_are_those_of_most_trials() -> None:
    """One bad trial of many, or two of ten, are not a rate that was too much."""
    bad = {("b", 3), ("b", 7)}

    def one_bad(arm: str, point: str, block: int) -> Sequence[Reason]:
        return [WORST] if (arm, block) in bad else ()

    def offered(arm: str, point: str, block: int) -> float:
        return float(point.removesuffix("/s").replace(",", ""))

    found = made(study("ab", OPEN), offered, one_bad)
    assert titles(found)["rates-rates"].startswith("Both arms kept up with every rate")
    bad |= {("b", 1)}
    open_ = titles(made(study("ab", OPEN), offered, one_bad))["rates-rates"]
    assert "b/x: not known at 1,000, 2,000 and 4,000 requests/s" in open_
    worse = made(study("ab", OPEN), offered, overload)
    assert titles(worse)["rates-rates"].startswith(
        "a/x kept up with 4,000 requests/s; b/x kept up with 2,000 requests/s and fell behind at "
        "4,000 requests/s"
    )


def test_a_server_that_other_programs_starved_is_not_known_to_have_fallen_behind() -> None:
    starved = reason("server_starved", "suspect")

    def doubts(arm: str, point: str, block: int) -> Sequence[Reason]:
        return [WORST, starved] if (arm, point) == ("b", "4,000/s") else ()

    def offered(arm: str, point: str, block: int) -> float:
        return float(point.removesuffix("/s").replace(",", "")) if "/s" in point else 9000.0

    found = made(study("ab", CLOSED + OPEN), offered, doubts)
    (claim,) = [one for one in found.kept_up if one.arm == "b/x"]
    assert (claim.up_to_per_s, claim.fell_behind_at_per_s) == (2000.0, None)
    assert claim.unknown_at_per_s == [4000.0]
    said = "b/x kept up with 2,000 requests/s (not known at 4,000 requests/s)"
    assert titles(found)["rates-rates"].startswith(f"a/x kept up with 4,000 requests/s; {said}")
    assert "b (x) kept up with 2,000/s (not known at 4,000/s)" in found.answer
    (cell,) = [one for one in found.cells if (one.arm, one.point) == ("b/x", "4,000/s")]
    assert {one.code for one in cell.reasons} == {"overload", "server_starved"}
    p99 = [one for one in found.comparisons if one.metric == "p99"]
    assert {one.point for one in p99} == {"1,000/s", "2,000/s"}


@pytest.mark.parametrize(
    ("invalid", "said"),
    [
        (("4,000/s",), "b/x kept up with 2,000 requests/s (not known at 4,000 requests/s)"),
        (
            ("1,000/s", "2,000/s"),
            "b/x kept up with 4,000 requests/s (not known at 1,000 and 2,000 requests/s)",
        ),
        (
            ("1,000/s", "2,000/s", "4,000/s"),
            "b/x: not known at 1,000, 2,000 and 4,000 requests/s",
        ),
    ],
)
def test_a_rate_without_a_result_is_unknown(invalid: Sequence[str], said: str) -> None:
    """T3."""

    def lost(arm: str, point: str, block: int) -> Sequence[Reason]:
        return [reason("wrong_replies", "invalid")] if arm == "b" and point in invalid else ()

    found = made(study("ab", OPEN), at({"a": 1000.0, "b": 1000.0}), lost)
    title = titles(found)["rates-rates"]
    assert title.startswith("a/x kept up with 4,000 requests/s; ")
    assert said in title


def test_a_study_of_rates_alone_is_answered_by_the_response_time() -> None:
    """T19: the offered rate of one arm is no answer."""
    slow = {"a": 0.020, "b": 0.011}

    def tail(arm: str, point: str, block: int) -> float:
        return slow[arm]

    found = made(study("ab", OPEN), at({"a": 1000.0, "b": 1000.0}), p99=tail)
    assert found.answer_lead.startswith("b (x) had a p99 45 % shorter than that of a (x): 0.55×")
    assert (found.answer_load, found.answer_point) == ("rates", "4,000/s")


def test_one_arm_at_rates_is_answered_by_its_p99_and_how_far_it_kept_up() -> None:
    found = made(study("a", OPEN), at({"a": 1000.0}))
    assert found.answer.startswith("a (x) kept up with 1,000/s, with a p99 of 2.00 ms (95 % CI")
    assert found.answer.endswith(
        " Under the load “rates”: a (x) kept up with every rate, up to 4,000/s."
    )


def test_one_arm_says_in_how_many_trials_it_kept_up() -> None:
    def once(arm: str, point: str, block: int) -> Sequence[Reason]:
        return [WORST] if block == 3 else ()

    found = made(study("a", OPEN), at({"a": 1000.0}), once)
    assert found.answer.startswith("a (x) kept up with 1,000/s (in 9 of 10 trials), with a p99 of ")
    assert found.answer.endswith("every rate, up to 4,000/s (in at least 9 of 10 trials).")


def test_three_arms_with_few_trials_have_no_order() -> None:
    found = made(study("abc", blocks=3), at({"a": 1000, "b": 3000, "c": 2000}))
    assert found.answer_lead.startswith(
        "Too few trials to rank the arms by requests/s (3 each): they range from 1,000/s,"
        " a (x), to 2,990/s, b (x). Load: "
    )


def test_the_arm_with_the_fewest_trials_says_why_there_is_no_order() -> None:
    counts = {"a": 4, "b": 4, "c": 2}
    found = made(
        study("abc", blocks=4), lambda arm, _, block: 1000.0 if block < counts[arm] else None
    )
    assert "to rank the arms by requests/s (one has only 2): they range" in found.answer_lead


def test_few_trials_at_a_rate_are_told_by_throughput_if_an_arm_fell_behind() -> None:
    rates = OPEN.replace("[1000, 2000, 4000]", "[4000]")
    kept = made(
        study("abc", rates, 3), at(dict.fromkeys("abc", 4000.0)), p99=at({"a": 1, "b": 2, "c": 3})
    )
    assert kept.answer_lead.startswith(
        "Too few trials to rank the arms by p99 (3 each): they range from 1.0"
    )
    levels = {"a": 4000.0, "b": 2000.0, "c": 4000.0}
    fell = made(study("abc", rates, 3), at(levels), overload, p99=at({"a": 1, "b": 99, "c": 3}))
    assert fell.answer_lead.startswith("Too few trials to rank the arms by requests/s")
    assert "/s, b (x), to " in fell.answer_lead


def test_equal_arms_with_few_trials_have_one_number() -> None:
    found = made(study("abc", blocks=1), lambda arm, *_: 1000.0 / WOBBLE[3 * ord(arm) % 10])
    assert found.answer_lead.startswith(
        "Too few trials to rank the arms by requests/s (1 each): all 3 have about 1,000/s."
    )


def test_two_arms_with_few_trials_are_not_said_to_differ() -> None:
    found = made(study("ab", blocks=3), at({"a": 1000, "b": 1030}))
    assert found.answer_lead.startswith(
        "Too few trials to compare b (x) with a (x) by requests/s (3 each): 1,0"
    )
    assert "more" not in found.answer_lead
    assert "fewer" not in found.answer_lead


def test_without_the_baseline_the_answer_is_the_order_of_the_others() -> None:
    levels = {"b": 1000.0, "c": 3000.0, "d": 2000.0}
    found = made(study("abcd"), lambda arm, *_: levels.get(arm))
    assert found.answer_lead.startswith("Of the 3 ranked arms, c (x) served the most requests/s: 3")
    assert "d (x) 0.6" in found.answer_lead
    assert "b (x) 0.3" in found.answer_lead
    assert "No result for a (x)." in found.answer_lead
    assert (found.answer_load, found.answer_point) == ("full", "10 connections")


@pytest.mark.parametrize(("blocks", "said"), [(10, "b (x) served "), (3, "Too few trials to ")])
def test_two_of_three_arms_with_a_result_do_not_leave_out_the_third(blocks: int, said: str) -> None:
    levels = {"a": 1000.0, "b": 1500.0}
    found = made(study("abc", blocks=blocks), lambda arm, *_: levels.get(arm))
    assert found.answer_lead.startswith(said)
    assert ". No result for c (x). Load: " in found.answer_lead


def test_one_arm_with_a_result_does_not_leave_out_the_others() -> None:
    found = made(study("abc"), lambda arm, *_: 1000.0 if arm == "b" else None)
    assert found.answer_lead.startswith("b (x) served 1,000/s (95 % CI ")
    assert ". No result for a (x) and c (x). Load: full, 10 connections." in found.answer_lead


def test_an_arm_without_a_block_in_common_with_the_leader_is_not_left_out() -> None:
    """c is shown to be behind b, with which it has blocks in common; a has others."""
    first = {"a": range(5), "b": range(10), "c": range(5, 10)}

    def rate(arm: str, point: str, block: int) -> float | None:
        return {"a": 9000.0, "b": 3000.0, "c": 1000.0}[arm] if block in first[arm] else None

    found = made(study("abc"), rate)
    assert "c (x) not known (too few blocks in common)" in found.answer_lead


def test_a_control_alone_is_no_finding_about_arms() -> None:
    """The control fell behind; all other comparisons are by p99."""
    found = made(study("ab", OPEN), at({"a": 1000.0, "b": 1000.0}))
    update = {"arm": "a/x (A/A)", "metric": "throughput", "outcome": "worse"}
    control = found.comparisons[0].model_copy(update=update)
    shown = titles(found.model_copy(update={"comparisons": [*found.comparisons, control]}))
    assert "ratio-p99-rates-a-x" in shown
    assert "ratio-throughput-rates-a-x" not in shown


def test_doubts_are_about_the_number_that_the_answer_compares() -> None:
    """An overload doubts the response time, not the throughput of an arm that fell behind."""
    rates = OPEN.replace("[1000, 2000, 4000]", "[4000]")
    levels = {"a": 4000.0, "b": 2000.0, "c": 3900.0}

    def doubts(arm: str, point: str, block: int) -> Sequence[Reason]:
        late = reason("overload", "suspect").model_copy(update={"doubts": ("p99",)})
        return [late] if arm == "b" else ()

    found = made(study("abc", rates), at(levels), doubts)
    assert found.rankings[0].metric == "throughput"
    assert "suspect" not in found.answer_lead
