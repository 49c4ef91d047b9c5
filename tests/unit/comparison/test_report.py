"""The answer says what was decided, from which numbers, and what to do if it cannot tell."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from compared import MACHINE, result, study, trials
from httpdyno.comparison.answer import answer
from httpdyno.comparison.arms.baseline import SavedArm, saved_baseline
from httpdyno.comparison.arms.machine import differences, require_same
from httpdyno.comparison.arms.sides import Commands
from httpdyno.comparison.canary import Canary
from httpdyno.comparison.compare import CompareOutcome, decisions, with_canary
from httpdyno.comparison.loads import FULL_SPEED, SAME_RATE, full_speed
from httpdyno.comparison.margins import DEFAULT
from httpdyno.comparison.next_step import command_with
from httpdyno.comparison.report import checks, with_answer
from httpdyno.comparison.rows import decision_rows
from httpdyno.comparison.specification import ArmSpecification, Specification
from httpdyno.comparison.study import get_path
from httpdyno.errors import UsageError
from httpdyno.plan import Plan
from httpdyno.result import Fact, Reason, StudyResult
from httpdyno.run import RunOutcome
from httpdyno.running.documents import identity, study_document
from httpdyno.running.options import RunOptions
from httpdyno.running.stored_result import find_run, stored_result
from httpdyno.servers.subjects import Subject
from httpdyno.statistics.decide import decide
from httpdyno.store import open_store
from stored_runs import without_histogram
from stored_samples import RUN

OPTIONS = RunOptions(
    ["compare", "main", "my-branch", "--start", "./server {port}", "--blocks", "10"]
)


def specification(baseline: ArmSpecification | SavedArm | None = None) -> Specification:
    a, b = (Subject(name, "revision", name) for name in ("main", "my-branch"))
    return Specification(
        baseline=baseline or ArmSpecification(a, "main", Commands()),
        changed=ArmSpecification(b, "my-branch", Commands()),
        canary=None,
        work=get_path("/", any_body=False),
        loads=full_speed(10, 2.0),
        paced_s=2.0,
        margins=DEFAULT,
        blocks=10,
        seed=1,
        warm_up=1.0,
    )


def compared(
    speed: float, noise: float = 0.01, saved: SavedArm | None = None, names: tuple[str, ...] = ()
) -> CompareOutcome:
    made = study(*(names or ("main", "my-branch")))
    speeds = dict.fromkeys(("main", "my-branch"), 1.0) | {"my-branch": speed}
    measured = result(made, trials(made, speeds, noise))
    asked = specification(saved)
    pair = (saved.arm if saved else "main", "my-branch")
    return CompareOutcome(
        asked, RunOutcome(40, 40, measured), made, pair, decisions(asked, measured, pair)
    )


def said(one: CompareOutcome) -> str:
    return " ".join(answer(one, OPTIONS))


def by_metric(one: CompareOutcome) -> Mapping[str, str]:
    return {decision.metric: decision.decided for decision in one.decisions}


def test_a_slower_branch_is_a_regression_with_its_interval_and_margin() -> None:
    found = compared(0.9)
    assert found.decided == "regression"
    assert by_metric(found)["throughput"] == "regression"
    assert said(found).startswith("my-branch serves ")
    assert "fewer requests/s than main (95 % CI" in said(found)
    assert "a regression beyond your margin of 5 %" in said(found)


@pytest.mark.parametrize("speed", [1.0, 1.2])
def test_the_same_branch_and_a_faster_one_are_no_regression(speed: float) -> None:
    found = compared(speed)
    assert found.decided == "no regression shown", said(found)
    assert said(found).startswith("No regression shown: my-branch serves")
    assert said(found).endswith("within your margin of 5 %.")


def test_throughput_is_judged_at_full_speed_and_p99_at_the_same_rate() -> None:
    found = {d.metric: d.comparison.load for d in compared(1.0).decisions if d.comparison}
    assert found == {
        "throughput": FULL_SPEED,
        "p99": SAME_RATE,
        "server CPU per request": SAME_RATE,
    }


def test_a_canary_beside_them_does_not_widen_the_intervals() -> None:
    made = study("main", "my-branch", "canary 1")
    measured = trials(made, {"main": 1, "my-branch": 0.97, "canary 1": 1})
    alone = study("main", "my-branch")
    same = [one for one in measured if one.arm != "canary 1"]
    pair = ("main", "my-branch")
    both = decisions(specification(), result(made, measured), pair)
    without = decisions(specification(), result(alone, same), pair)
    assert [d.comparison and d.comparison.ratio for d in both] == [
        d.comparison and d.comparison.ratio for d in without
    ]


def test_cannot_tell_names_the_blocks_that_would_and_a_command_for_them() -> None:
    found = compared(0.93, noise=0.04)
    assert found.decided == "cannot tell", said(found)
    text = said(found)
    assert text.startswith(
        "Cannot tell if my-branch is worse by more than your margin of 5 %: my-branch serves"
    )
    command = text.partition("`")[2].partition("`")[0]
    words = shlex.split(command)
    assert words[:5] == ["httpdyno", "compare", "main", "my-branch", "--start"]
    assert words.count("--blocks") == 1
    assert int(words[-1]) > 10


def test_an_interval_within_the_margin_that_does_not_pass_says_why() -> None:
    usual = compared(1.0)
    first, *others = usual.decisions
    assert first.comparison is not None
    ratios = [0.99, 1.0, 1.0, 0.995, 1.0, 0.99, 1.0, 1.0, 0.92, 1.0]
    row = first.comparison.model_copy(update={"dots": list(enumerate(ratios))})
    found = replace(usual, decisions=[decide("throughput", 0.05, row), *others])
    assert found.decided == "cannot tell"
    assert (
        "requests/s: the interval is within the margin, but 10 restarts each may have missed rare"
        " bad ones" in said(found)
    )
    assert "rare bad ones" in checks(found)[0].text


def test_the_command_for_more_blocks_is_a_new_comparison() -> None:
    given = ["compare", "a", "b", "--blocks=5", "--resume", "--start", "x {port}"]
    again = command_with(RunOptions(given), {"--blocks": "40"})
    assert shlex.split(again)[1:] == ["compare", "a", "b", "--start", "x {port}", "--blocks", "40"]


def test_without_a_valid_trial_there_is_no_result() -> None:
    made = study("main", "my-branch")
    nothing = result(made, [])
    pair = ("main", "my-branch")
    found = CompareOutcome(
        specification(),
        RunOutcome(0, 40, nothing),
        made,
        pair,
        decisions(specification(), nothing, pair),
    )
    assert found.decided == "no result"
    assert said(found).startswith("No valid result for requests/s")
    assert {check.outcome for check in checks(found)} == {"no result"}


def test_reports_of_ci_pass_only_what_was_shown() -> None:
    assert {check.outcome for check in checks(compared(1.0))} == {"passed"}
    failed = {check.name: check.outcome for check in checks(compared(0.8))}
    assert failed["requests/s of my-branch, margin 5 %"] == "failed"
    unknown = [check.outcome for check in checks(compared(0.97, noise=0.04))]
    assert "cannot tell" in unknown


def saved(speed: float = 1.0, noise: float = 0.01) -> SavedArm:
    made = study("main", "my-branch")
    measured = trials(made, {"main": speed, "my-branch": 1.0}, noise)
    return SavedArm(result(made, measured, started_at=1_780_000_000.0), "main", Path("before.json"))


def test_a_saved_baseline_is_compared_without_pairs_and_the_answer_says_so() -> None:
    found = compared(0.9, saved=saved(), names=("my-branch",))
    assert found.decided == "regression"
    assert "The baseline was measured earlier" in said(found)
    assert compared(1.0, saved=saved(), names=("my-branch",)).decided == "no regression shown"


def test_a_saved_baseline_is_measured_again_under_its_own_loads() -> None:
    loads = saved().loads()
    assert list(loads) == [FULL_SPEED, SAME_RATE]
    again = study("main", "my-branch").model_copy(update={"loads": loads, "warm_up": 9.0})
    assert [(c.point, c.load.count, c.warm_up_s) for c in Plan(again).cells] == [
        (c.point, c.load.count, c.warm_up_s) for c in Plan(study("main", "my-branch")).cells
    ]


@pytest.mark.parametrize("speed", [0.9, 1.0])
def test_a_canary_that_changed_takes_a_saved_baseline_its_say_everywhere(speed: float) -> None:
    found = compared(speed, saved=saved(), names=("my-branch",))
    assert set(by_metric(found).values()) <= {"regression", "no regression shown"}
    moved = with_canary(found, Canary("changed", "The machine has changed."))
    assert moved.decided == "cannot tell"
    assert "The machine has changed." in said(moved)
    assert "measure both builds together" in said(moved)
    assert {check.outcome for check in checks(moved)} == {"cannot tell"}
    assert all(check.text.endswith("; The machine has changed.") for check in checks(moved))
    assert {one.decided for one in decision_rows(moved)} == {"cannot tell"}


def test_arms_that_were_measured_together_keep_their_decision_when_the_machine_changed() -> None:
    found = compared(0.9)
    moved = with_canary(found, Canary("changed", "The machine has changed."))
    assert moved.decisions == found.decisions
    assert "The machine has changed." in said(moved)


def test_a_metric_without_a_result_has_none_on_a_machine_that_changed_either() -> None:
    found = compared(1.0, saved=saved(), names=("my-branch",))
    first, *others = found.decisions
    lost = replace(found, decisions=[replace(first, decided="no result"), *others])
    moved = with_canary(lost, Canary("changed", "The machine has changed."))
    assert [one.decided for one in moved.decisions] == ["no result", "cannot tell", "cannot tell"]


def written(folder: Path, what: StudyResult) -> Subject:
    file = folder / "before.json"
    file.write_text(what.model_dump_json())
    return Subject("before.json", "result", "before", file=file)


def test_a_result_with_several_arms_needs_the_name_of_one(tmp_path: Path) -> None:
    made = study("main", "my-branch")
    subject = written(tmp_path, result(made, trials(made, {"main": 1, "my-branch": 1})))
    wrong = replace(subject, given="before.json:mainn", part="mainn")
    for given in (subject, wrong):
        with pytest.raises(UsageError, match=r"expected `before\.json:main`, `before\.json:my-b"):
            saved_baseline(given)
    alone = study("main")
    subject = written(tmp_path, result(alone, trials(alone, {"main": 1})))
    found = saved_baseline(subject)
    assert found is not None
    assert (found.arm, found.workload) == ("main", "GET /")


def test_a_result_without_the_keys_of_its_loads_is_refused() -> None:
    whole = saved()
    bare = [load.model_copy(update={"declared": {}}) for load in whole.result.loads]
    found = SavedArm(whole.result.model_copy(update={"loads": bare}), "main", Path("before.json"))
    with pytest.raises(UsageError, match=r"`before\.json` does not say what its load"):
        found.loads()


def test_another_machine_is_refused_with_what_differs() -> None:
    other = (MACHINE[0], Fact(label="cores", value="8 of 8 available"))
    assert differences(MACHINE, MACHINE) == []
    assert differences(MACHINE[:2], MACHINE) == []
    with pytest.raises(UsageError) as refused:
        require_same(MACHINE, other, "before.json")
    assert "cores: 2 of 2 available then, 8 of 8 available now" in str(refused.value)
    assert "--other-machine" in str(refused.value)


def test_replies_of_different_length_are_pointed_out() -> None:
    found = compared(1.0)
    measured = found.ended.result
    assert measured is not None
    rows = []
    for row in measured.cells:
        assert row.body_bytes_per_s is not None
        more = 10 if row.arm == "main" else 1
        bytes_per_s = row.body_bytes_per_s.model_copy(
            update={"value": row.body_bytes_per_s.value * more}
        )
        rows.append(row.model_copy(update={"body_bytes_per_s": bytes_per_s}))
    different = RunOutcome(40, 40, measured.model_copy(update={"cells": rows}))
    pointed = CompareOutcome(found.spec, different, found.study, found.names, found.decisions)
    assert "may not do the same work" in said(pointed)
    assert "may not do the same work" not in said(found)


def test_an_estimate_at_the_margin_offers_an_interval_of_half_the_width() -> None:
    found = compared(0.95, noise=0.04)
    at = [replace(one, decided="cannot tell", blocks_needed=None) for one in found.decisions]
    text = said(replace(found, decisions=at))
    assert "no number of blocks is sure to tell" in text
    assert "--blocks 40`." in text


OVERLOAD = Reason(code="overload", status="suspect", text="490/s achieved", hint="lower it")
STARVED = Reason(code="server_starved", status="suspect", text="others took 31 %", hint="stop them")


@pytest.mark.parametrize(
    ("reasons", "why"),
    [
        ((OVERLOAD,), "490/s achieved (in each of 10 trials)"),
        (
            (OVERLOAD, STARVED),
            "490/s achieved (in each of 10 trials), while others took 31 % (in each of 10 trials)",
        ),
    ],
)
def test_a_metric_that_lost_its_result_is_named_with_its_reason_and_a_lower_rate(
    reasons: tuple[Reason, ...], why: str
) -> None:
    made = study("main", "my-branch")
    measured = [
        one.model_copy(update={"status": "suspect", "reasons": reasons})
        if (one.arm, one.load) == ("my-branch", SAME_RATE)
        else one
        for one in trials(made, {"main": 1.0, "my-branch": 1.0})
    ]
    whole = result(made, measured)
    pair = ("main", "my-branch")
    found = CompareOutcome(
        specification(),
        RunOutcome(40, 40, whole),
        made,
        pair,
        decisions(specification(), whole, pair),
    )
    assert by_metric(found)["p99"] == "no result"
    assert found.decided == "cannot tell"
    text = said(found)
    assert f"No valid result for p99: my-branch: {why}" in text
    assert "--rate 250`." in text


def test_more_blocks_are_not_said_to_tell_about_a_metric_without_a_result() -> None:
    made = study("main", "my-branch")
    measured = [
        one.model_copy(update={"status": "suspect", "reasons": (OVERLOAD,)})
        if (one.arm, one.load) == ("my-branch", SAME_RATE)
        else one
        for one in trials(made, {"main": 1.0, "my-branch": 0.93}, 0.04)
    ]
    whole = result(made, measured)
    pair = ("main", "my-branch")
    found = CompareOutcome(
        specification(),
        RunOutcome(40, 40, whole),
        made,
        pair,
        decisions(specification(), whole, pair),
    )
    assert by_metric(found)["throughput"] == "cannot tell"
    assert by_metric(found)["p99"] == "no result"
    text = said(found)
    assert "blocks would probably tell about requests/s" in text
    assert ", and a lower rate may give a result for p99 (" in text
    assert " --rate 250`." in text


def test_the_report_from_the_store_has_the_answer_and_the_decisions_once(tmp_path: Path) -> None:
    options = replace(OPTIONS, store_url=f"sqlite:///{tmp_path / 'results.sqlite'}")
    store = open_store(options.store_url)
    made = study("main", "my-branch")
    run = store.begin_run(
        replace(
            RUN,
            study=made.name,
            identity=identity(made),
            study_document=study_document(made),
        )
    )
    for trial in trials(made, {"main": 1.0, "my-branch": 0.9}):
        store.record(run, without_histogram(trial))
    found = compared(0.9)
    found = replace(found, ended=replace(found.ended, run=run))
    for _ in range(2):  # a resumed comparison concludes again
        shown = with_answer(found, options)
        assert shown is not None
        again = stored_result(store, find_run(store, str(run)))
        assert again.answer == shown.answer
        assert again.answer.startswith("my-branch serves ")
        assert again.decisions == shown.decisions
        assert [one.metric for one in again.decisions] == [one.metric for one in found.decisions]


@pytest.mark.parametrize("overloaded", ["main", "my-branch"])
def test_the_latency_of_an_overloaded_arm_is_not_compared_with_a_saved_baseline(
    overloaded: str,
) -> None:
    made = study("main", "my-branch")
    reason = Reason(code="overload", status="suspect", text="it did not keep up", hint="less")
    measured = [
        trial.model_copy(update={"status": "suspect", "reasons": (reason,)})
        if trial.arm == overloaded and trial.load == SAME_RATE
        else trial
        for trial in trials(made, {"main": 1.0, "my-branch": 0.5})
    ]
    both = result(made, measured)
    before = SavedArm(both, "main", Path("before.json"))
    found = decisions(specification(before), both, ("main", "my-branch"))
    decided = {one.metric: one.decided for one in found}
    assert decided["p99"] == "no result"
    assert decided["throughput"] == "regression"
