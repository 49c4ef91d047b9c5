"""A study's result: what each trial becomes, which arms are compared, and the answer in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from httpdyno.outcome import TrialOutcome
from httpdyno.plan import Plan
from httpdyno.result import FailureRow, Reason, StudyResult
from httpdyno.statistics.doubts import combine_statuses
from httpdyno.statistics.rows import trial_row
from httpdyno.statistics.summarise import RunFacts, summarise
from httpdyno.study import Study
from httpdyno.study.abilities import Abilities
from httpdyno.study.read import parse_study
from trial_samples import outcome, reason

STUDY = """\
title = "Two servers"
blocks = {blocks}
aa_control = {control}
[[arms]]
server = "tornado"
deployments = ["1-process"]
[[arms]]
server = "starlette"
deployments = ["1-worker"]
[loads.as-published]
kind = "closed"
requests = 1000
keep_alive = false
[loads.keep-alive]
kind = "closed"
duration = "3s"
[loads.rates]
kind = "requests"
rate = 500
duration = "3s"
[[published]]
arm = "tornado/1-process"
load = "as-published"
requests_per_s = 1900
[[published]]
arm = "starlette/1-worker"
load = "as-published"
requests_per_s = 4200
"""
FACTS = RunFacts(
    command="httpdyno run two",
    httpdyno_version="0.1.0",
    seed=1,
    started_at=0.0,
    ended_at=60.0,
    machine=[],
    failures=[],
    titles={"tornado": "Tornado", "starlette": "Starlette"},
    versions={"tornado": "6.5"},
)
WOBBLE = (1.0, 1.02, 0.98, 1.01, 0.99, 1.03, 0.97, 1.0, 1.02, 0.99)
Rate = Callable[[str, str, int], float]
Doubts = Callable[[str, str, int], Sequence[Reason]]


def study(blocks: int = 10, *, control: bool = False) -> Study:
    text = STUDY.format(blocks=blocks, control=str(control).lower())
    return parse_study(text, Path("two.toml"))


def twice_as_fast(arm: str, load: str, block: int) -> float:
    shift = 3 if arm.startswith("starlette") else 0
    factor = 2.0 if arm.startswith("starlette") and load != "rates" else 1.0
    return 1000 * factor * WOBBLE[(block + shift) % len(WOBBLE)]


def no_doubt(arm: str, load: str, block: int) -> Sequence[Reason]:
    return ()


def trials(of: Study, rate: Rate = twice_as_fast, doubts: Doubts = no_doubt) -> list[TrialOutcome]:
    every = [(block, cell) for block in range(of.blocks) for cell in Plan(of).cells]
    return [
        outcome(
            index,
            block,
            cell.key,
            rate=rate(cell.arm.name, cell.load_name, block),
            p99_s=2.0 / rate(cell.arm.name, cell.load_name, block),
            reasons=doubts(cell.arm.name, cell.load_name, block),
            open_load=cell.load_name == "rates",
        )
        for index, (block, cell) in enumerate(every)
    ]


def quantiles(hdr: str, shares: Sequence[float]) -> list[int]:
    return [int(float(hdr) * share) for share in shares]


def result(of: Study, found: Sequence[TrialOutcome]) -> StudyResult:
    return summarise(Plan(of), found, FACTS, quantiles)


def test_the_answer_leads_with_the_steady_keep_alive_load_and_its_interval() -> None:
    found = result(study(), trials(study()))
    assert found.answer.startswith(
        "Starlette (1 worker) served 2.00× the requests/s of Tornado (1 process): 98.8 % CI 1.9"
    )
    assert "from 10 trials each. Load: keep-alive, 10 connections, 3.00 s per" in found.answer
    assert (
        "The published numbers of Starlette (1 worker) and Tornado (1 process) gave 2.21×."
        in found.answer
    )
    assert found.answer.endswith("Both arms kept up with 500/s.")
    assert (found.answer_load, found.answer_point) == ("keep-alive", "10 connections")


def test_a_smaller_difference_is_a_percentage_with_its_ratio_and_interval() -> None:
    def slower(arm: str, load: str, block: int) -> float:
        return (860 if arm.startswith("starlette") else 1000) * WOBBLE[block]

    found = result(study(), trials(study(), slower))
    assert found.answer.startswith(
        "Starlette (1 worker) served 14 % fewer requests/s than Tornado (1 process): 0.86×,"
        " 98.8 % CI 0.86 to 0.86, from 10 trials each. "
    )


def test_no_difference_is_said_so_with_what_could_have_been_seen() -> None:
    found = result(
        study(), trials(study(), lambda arm, _, block: 1000 * WOBBLE[block - len(arm) % 3])
    )
    assert found.answer.startswith("No difference shown between Starlette (1 worker) and Tornado")
    assert "or more would probably have been detected" in found.answer


def test_too_few_trials_give_a_ratio_and_no_interval() -> None:
    answer = result(study(3), trials(study(3))).answer
    assert answer.startswith(
        "Too few trials to compare Starlette (1 worker) with Tornado (1 process) by requests/s"
        " (3 each): "
    )


def test_a_suspect_headline_says_its_doubt() -> None:
    def doubts(arm: str, load: str, block: int) -> Sequence[Reason]:
        return [reason("descheduled", "suspect")]

    assert (
        "This result is suspect: it was descheduled"
        in result(study(), trials(study(), doubts=doubts)).answer
    )


def test_a_study_without_a_valid_trial_has_no_result_and_no_number() -> None:
    def doubts(arm: str, load: str, block: int) -> Sequence[Reason]:
        return [reason("wrong_replies", "invalid")]

    found = result(study(), trials(study(), doubts=doubts))
    assert found.answer == "No result: every trial is invalid or failed. The verdicts say why."
    assert {cell.status for cell in found.cells} == {"invalid"}
    assert {cell.throughput_per_s for cell in found.cells} == {None}
    assert {trial.throughput_per_s for cell in found.cells for trial in cell.trials} == {None}
    assert {one.outcome for one in found.comparisons} == {"no result"}
    assert found.cells[0].reasons[0].text == "it was wrong_replies (in each of 10 trials)"


def test_one_arm_alone_is_told_with_its_interval() -> None:
    alone = study()
    alone = alone.model_copy(update={"arms": alone.arms[:1], "published": ()})
    found = result(alone, trials(alone))
    assert found.answer.startswith("Tornado (1 process) served 1,000/s (95 % CI 9")


def test_an_invalid_trial_takes_its_pair_out_and_makes_its_cell_suspect() -> None:
    def doubts(arm: str, load: str, block: int) -> Sequence[Reason]:
        wrong = block == 4 and arm.startswith("tornado") and load == "keep-alive"
        return [reason("errors", "invalid")] if wrong else ()

    found = result(study(), trials(study(), doubts=doubts))
    cell = next(c for c in found.cells if (c.arm, c.load) == ("tornado/1-process", "keep-alive"))
    assert cell.status == "suspect"
    assert cell.throughput_per_s is not None
    assert cell.throughput_per_s.trials == 9
    assert cell.reasons[0].text == "it was errors (in 1 of 10 trials)"
    pair = next(c for c in found.comparisons if (c.load, c.metric) == ("keep-alive", "throughput"))
    assert [block for block, _ in pair.dots] == [0, 1, 2, 3, 5, 6, 7, 8, 9]


def test_a_fixed_rate_is_compared_by_latency_unless_it_is_past_the_capacity() -> None:
    calm = result(study(), trials(study()))
    assert {c.metric for c in calm.comparisons if c.load == "rates"} == {
        "p99",
        "server CPU per request",
    }
    full = result(study(), trials(study(), doubts=lambda *_: [reason("overload", "suspect")]))
    assert {c.metric for c in full.comparisons if c.load == "rates"} == {
        "throughput",
        "server CPU per request",
    }


def test_the_control_is_compared_noted_and_kept_out_of_the_answer() -> None:
    of = study(control=True)
    found = result(of, trials(of))
    controls = [c for c in found.comparisons if c.arm == "tornado/1-process (A/A)"]
    assert len(controls) == 6
    assert "A/A" not in found.answer
    assert any(note.startswith("A/A control: tornado/1-process") for note in found.notes)


def test_a_rerun_is_byte_identical_and_the_order_of_arrival_does_not_matter() -> None:
    found = trials(study())
    first = result(study(), found).model_dump_json()
    assert result(study(), found).model_dump_json() == first
    assert result(study(), found[::-1]).model_dump_json() == first


def test_an_unfinished_run_says_how_far_it_came() -> None:
    found = result(study(), trials(study())[:14])
    assert (found.complete, found.blocks_done, found.blocks_planned) == (False, 2, 10)
    assert result(study(), trials(study())).complete


def test_an_arm_that_was_left_out_has_no_result_and_says_why_and_the_run_is_complete() -> None:
    gone = FailureRow(arm="starlette/1-worker", stage="install", reason="no pip", log="logs/a.log")
    facts = replace(FACTS, failures=[gone])
    kept = [one for one in trials(study()) if one.arm != gone.arm]
    found = summarise(Plan(study()), kept, facts, quantiles)
    rows = [cell for cell in found.cells if cell.arm == gone.arm]
    assert {row.status for row in rows} == {"invalid"}
    assert [reason.text for reason in rows[0].reasons] == ["no pip"]
    assert (found.complete, found.blocks_done) == (True, 10)
    assert found.answer.startswith("Tornado (1 process) served")
    hint = "read the log: logs/a.log; fix it, then run `httpdyno run two --resume`"
    assert rows[0].reasons[0].hint == hint


OWN = """\
title = "My server"
workload = "page"
arms = [{ name = "mine", url = "http://127.0.0.1:3000" }, { name = "new", start = "./new {port}" }]
workloads.page = { requests = [{ path = "/", expect = { status = 200 } }] }
loads.full-speed = { kind = "closed", duration = "3s" }
"""


@pytest.mark.parametrize(("arm", "log"), [("mine", None), ("new", "logs/new.log")])
def test_a_wrong_reply_may_be_the_fault_of_the_study_which_then_is_another(
    arm: str, log: str | None
) -> None:
    own = parse_study(OWN, Path("own.toml"))
    wrong = FailureRow(arm=arm, stage="check", reason="status 404, expected 200", log=log)
    facts = replace(FACTS, command="httpdyno run own.toml", failures=[wrong])
    hints = [r.hint for c in summarise(Plan(own), [], facts, quantiles).cells for r in c.reasons]
    read = f"read the log: {log}; " if log else ""
    assert hints == [
        "if the study expects the wrong reply, correct it there and run `httpdyno run own.toml`"
        f" again; if the server is wrong, {read}fix it, then run `httpdyno run own.toml --resume`"
    ]


def test_an_arm_says_whether_each_trial_starts_its_server_anew() -> None:
    own = parse_study(OWN, Path("own.toml"))
    found = summarise(Plan(own), [], FACTS, quantiles)
    assert {arm.name: arm.restarted for arm in found.arms} == {"mine": False, "new": True}
    assert all(arm.restarted for arm in result(study(), []).arms)


def test_cpu_a_request_and_ceiling_share_are_shares_of_what_was_measured() -> None:
    cell = result(study(), trials(study(), lambda *_: 1000.0)).cells[0]
    assert cell.server_cpu_s_per_request is not None
    assert cell.server_cpu_s_per_request.value == pytest.approx(0.0008)
    assert cell.ceiling_share == pytest.approx(0.05)


def test_the_highest_ceiling_of_a_resumed_run_counts() -> None:
    made = trials(study(), lambda *_: 1000.0)
    busy = {"ceiling_per_s": 9000.0, "ceiling_is_bound": True}
    half = [one.model_copy(update=busy) if one.block == 0 else one for one in made]
    cell = result(study(), half).cells[0]
    assert (cell.ceiling_per_s, cell.ceiling_is_bound) == (20_000.0, False)
    cell = result(study(), [one.model_copy(update=busy) for one in made]).cells[0]
    assert (cell.ceiling_per_s, cell.ceiling_is_bound) == (9000.0, True)


def test_the_spectrum_ends_where_the_calls_do() -> None:
    cell = result(study(), trials(study(), lambda *_: 1000.0)).cells[0]
    assert cell.latency_spectrum[0] == (0.0, 0.0)
    percentile, seconds = cell.latency_spectrum[-1]
    assert percentile == 99.9
    assert seconds == pytest.approx(0.002 * 0.999)


@pytest.mark.parametrize(
    ("statuses", "status"),
    [
        (["valid"] * 10, "valid"),
        (["valid"] * 8 + ["suspect"] * 2, "valid"),
        (["valid"] * 7 + ["suspect"] * 3, "suspect"),
        (["valid"] * 9 + ["invalid"], "suspect"),
        (["invalid"] * 3, "invalid"),
        ([], "invalid"),
    ],
)
def test_a_number_is_as_good_as_its_trials(statuses: list[str], status: str) -> None:
    assert combine_statuses(statuses) == status  # type: ignore[arg-type]


def test_a_refused_cell_has_its_reason_no_trials_and_does_not_hold_the_run_up() -> None:
    unable = Abilities(cannot={"keep-alive": "it closes after each reply"})
    kept = [one for one in trials(study()) if one.arm != "starlette/1-worker"]
    plan = Plan(study(), {"starlette/1-worker": unable})
    found = summarise(plan, kept, FACTS, quantiles)
    rows = [cell for cell in found.cells if cell.arm == "starlette/1-worker"]
    keeps_alive = [row for row in rows if found.loads[0].name != row.load]
    assert keeps_alive
    for row in keeps_alive:
        assert (row.status, row.trials) == ("invalid", [])
        assert [reason.code for reason in row.reasons] == ["refused"]
        assert "it closes after each reply" in row.reasons[0].text


def test_a_cell_says_what_was_changed_for_its_server_alone() -> None:
    plan = Plan(study(), {"tornado/1-process": Abilities(most_connections=2)})
    found = summarise(plan, trials(study()), FACTS, quantiles)
    noted = {(cell.arm, cell.load) for cell in found.cells if cell.notes}
    assert noted
    assert {arm for arm, _ in noted} == {"tornado/1-process"}
    assert all("given 2 connections" in n for cell in found.cells for n in cell.notes)


def test_arms_of_another_workload_are_compared_among_themselves_only() -> None:
    text = STUDY.format(blocks=5, control="false").replace("[loads.", FILES + "[loads.", 1)
    text = text[: text.index("[[published]]")]
    of = parse_study(text, Path("two.toml"))
    found = result(of, trials(of))
    workload = {arm.name: arm.workload for arm in found.arms}
    assert {workload[one.arm] for one in found.comparisons} == {"hello", "file"}
    for one in found.comparisons:
        assert workload[one.arm] == workload[one.baseline]
    assert {one.baseline for one in found.comparisons if workload[one.arm] == "file"} == {
        "tornado/1-process file"
    }


FILES = """\
[[arms]]
server = "starlette"
deployments = ["1-worker"]
workload = "file"
[[arms]]
server = "tornado"
deployments = ["1-process"]
workload = "file"
"""


def test_a_small_ratio_is_not_told_as_zero() -> None:
    def slow(arm: str, load: str, block: int) -> float:
        return (0.0042 if arm.startswith("starlette") else 1.0) * 1000 * WOBBLE[block]

    answer = result(study(), trials(study(), slow)).answer
    assert answer.startswith("Starlette (1 worker) served 0.0042× the requests/s of Tornado")


def test_a_study_stopped_before_its_first_trial_promises_no_reasons() -> None:
    assert result(study(), []).answer == "No result: nothing was measured."


def test_servers_that_ran_already_are_spoken_of_as_one_or_as_several() -> None:
    def notes(*names: str) -> str:
        arms = "".join(f'[[arms]]\nname = "{one}"\nurl = "http://127.0.0.1:1/"\n' for one in names)
        text = f'title = "Running"\nblocks = 1\n{arms}[loads.l]\nkind = "closed"\nduration = 1\n'
        made = summarise(
            Plan(parse_study(text, Path("x.toml"))), [], FACTS, lambda _, at: [0] * len(at)
        )
        return " ".join(made.notes)

    one, two = notes("a"), notes("a", "b")
    assert one.startswith("a: already running, so it was not restarted between trials. Its inter")
    assert two.startswith("a, b: already running, so they were not restarted between trials. Their")
    assert " It was not pinned" in one
    assert " It" not in two


@pytest.mark.parametrize(("lag_ns", "known"), [(0, None), (9, 9e-9)])
def test_the_lag_of_a_closed_load_has_a_value_only_after_think_time(
    lag_ns: int, known: float | None
) -> None:
    trial = outcome(0, 0, ("a", "closed", "p"))
    assert trial.measurement is not None
    lag = trial.measurement.times.lag.model_copy(update={"p99_ns": lag_ns})
    times = trial.measurement.times.model_copy(update={"lag": lag})
    measured = trial.measurement.model_copy(update={"times": times})
    row = trial_row(trial.model_copy(update={"measurement": measured}))
    assert row.generator_lag_p99_s == (known and pytest.approx(known))
