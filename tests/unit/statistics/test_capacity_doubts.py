"""Capacities that starts contradict are suspect, with a remedy in the terms of the command."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from httpdyno.limits.walk import Walk
from httpdyno.outcome import TrialOutcome
from httpdyno.result import CellRow, Reason
from walk_samples import climbed, climbs, confirmed, profiled, result, row, study, with_walk

VERB = "httpdyno capacity a --limit 'p99<20ms'"
STEADY = (990.0, 1000.0, 1010.0, 1020.0, 1030.0)


def codes(found: CellRow) -> list[str]:
    return [reason.code for reason in found.reasons]


@pytest.mark.parametrize(
    ("values", "doubted"),
    [
        ((900.0, 950.0, 1000.0, 1050.0, 1100.0), []),
        ((700.0, 950.0, 1000.0, 1050.0, 1100.0), ["wide_interval"]),
        ((900.0, 950.0, 1000.0, 1050.0, 1500.0), ["wide_interval"]),
    ],
)
def test_a_capacity_whose_interval_is_wide_is_suspect(
    values: Sequence[float], doubted: list[str]
) -> None:
    made = result(study(), climbs(values))
    found = row(made)
    assert codes(found) == doubted
    assert found.status == ("suspect" if doubted else "valid")
    assert ("This result is suspect: the interval" in made.answer) == bool(doubted)


@pytest.mark.parametrize(("held", "doubted"), [(4, []), (3, ["held_less"])])
def test_a_rate_that_fewer_fresh_starts_hold_than_climbs_reached_is_suspect(
    held: int, doubted: list[str]
) -> None:
    fresh = [confirmed(20 + n, 5 + n, held=n < held) for n in range(5)]
    assert codes(row(result(study(confirm=5), [*climbs(STEADY), *fresh]))) == doubted


def test_fresh_starts_need_not_hold_what_some_climbs_did_not_reach() -> None:
    """The lower end of the interval of many starts is above the capacity of several of them."""
    values = [*(970.0 for _ in range(3)), *(1000.0 + n for n in range(9))]
    fresh = [confirmed(20 + n, 12 + n, held=n < 3) for n in range(5)]
    assert codes(row(result(study(blocks=12, confirm=5), [*climbs(values), *fresh]))) == []


@pytest.mark.parametrize(
    ("behind", "kept", "doubted"),
    [
        (True, 1.91, ["refuted"]),
        (True, 1.2, ["kept_more"]),
        (True, 1.05, []),
        (False, 1.3, []),
    ],
)
def test_a_server_that_fell_behind_cannot_answer_more_under_an_overload(
    behind: bool, kept: float, doubted: list[str]
) -> None:
    made = [climbed(n, n, "a/1-worker", one, behind=behind) for n, one in enumerate(STEADY)]
    assert codes(row(result(study(), [*made, profiled(30, 5, 1010.0, kept)]))) == doubted


@pytest.mark.parametrize(("slowest_s", "refuted"), [(0.019, True), (0.021, False)])
def test_an_overload_that_is_answered_within_the_limits_refutes_the_capacity(
    slowest_s: float, refuted: bool
) -> None:
    profile = profiled(30, 5, 1010.0, 1.5)
    assert profile.walk is not None
    seconds = [
        one.model_copy(update={"p99_s": slowest_s, "ok": one.due}) for one in profile.walk.overload
    ]
    answered = profile.walk.model_copy(update={"overload": tuple(seconds)})
    made = result(study(), [*climbs(STEADY), profile.model_copy(update={"walk": answered})])
    found = row(made)
    assert codes(found) == (["refuted"] if refuted else [])
    assert {trial.capacity_per_s for trial in found.trials} == ({None} if refuted else set(STEADY))
    if refuted:
        assert "no result at p99 ≤ 20 ms: the searches ended too early" in made.answer


def disturbed(index: int) -> TrialOutcome:
    """A climb that the machine disturbed, as its repeats."""
    made = with_walk(index, index, "a/1-worker", Walk(task="climb", cores=1, ended="disturbed"))
    reason = Reason(code="too_busy", status="invalid", text="the machine was too busy: x", hint="")
    return made.model_copy(update={"status": "invalid", "reasons": (reason,)})


@pytest.mark.parametrize(("busy", "status"), [(1, "suspect"), (3, "invalid"), (5, "invalid")])
def test_a_machine_that_disturbed_half_of_the_climbs_gives_no_number(
    busy: int, status: str
) -> None:
    made = result(study(), [*climbs(STEADY[busy:]), *map(disturbed, range(5 - busy, 5))])
    found = row(made)
    assert found.status == status
    assert found.capacity is not None
    assert (found.capacity.capacity_per_s is None) == (status == "invalid")
    if status == "invalid":
        assert codes(found) == ["too_busy"]
        assert f"the machine was too busy: x (in {busy} of 5 climbs)" in made.answer


def test_climbs_that_were_repeated_are_noted() -> None:
    first, *others = climbs(STEADY)
    assert first.walk is not None
    again = first.model_copy(update={"walk": first.walk.model_copy(update={"repeated": 1})})
    assert row(result(study(), [again, *others])).notes == [
        "1 climb was disturbed by the machine and repeated: noise can only lower a capacity"
    ]


def doubtful() -> list[TrialOutcome]:
    fresh = [confirmed(20 + n, 5 + n, held=n < 3) for n in range(5)]
    return [*climbs((990.0, 1000.0, 1010.0, 1020.0, 3000.0)), *fresh]


@pytest.mark.parametrize(
    ("command", "proposed", "not_proposed"),
    [
        (VERB, ("`--restarts 10`", "`--step 5s`"), ("blocks", "duration")),
        ("httpdyno run most.toml", ("`blocks = 10`", "`duration = 5`"), ("--restarts", "--step")),
    ],
)
def test_hints_name_the_flags_of_the_verb_or_the_keys_of_a_study(
    command: str, proposed: Sequence[str], not_proposed: Sequence[str]
) -> None:
    hints = " ".join(
        reason.hint for reason in row(result(study(confirm=5), doubtful(), command)).reasons
    )
    assert all(words in hints for words in proposed)
    assert not any(words in hints for words in not_proposed)


def test_the_hint_of_a_capacity_that_is_not_held_knows_the_verb_too() -> None:
    fresh = [confirmed(20 + n, 5 + n, held=False, sustained=900.0) for n in range(5)]
    (reason,) = row(result(study(confirm=5), [*climbs(STEADY), *fresh], VERB)).reasons
    assert reason.code == "not_held"
    assert reason.hint == "search with longer steps (`--step 5s`)"


def test_hints_propose_more_than_there_was() -> None:
    values = [*(1000.0 for _ in range(6)), *(3000.0 for _ in range(5))]
    (reason,) = row(result(study(blocks=11), climbs(values), VERB)).reasons
    assert "`--restarts 22`" in reason.hint
