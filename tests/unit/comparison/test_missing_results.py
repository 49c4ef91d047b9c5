"""A metric without a result is named with the reason that cost it, and with no other."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from compared import result, study, trials
from httpdyno.comparison.compare import CompareOutcome, decisions
from httpdyno.comparison.loads import SAME_RATE
from httpdyno.comparison.missing_results import missing_results
from httpdyno.result import Reason
from httpdyno.run import RunOutcome
from test_report import specification

PAIR = ("main", "my-branch")
OVERLOAD = Reason(code="overload", status="suspect", text="overload: 490/s", hint="lower it")
STARVED = Reason(code="server_starved", status="suspect", text="others took 31 %", hint="stop them")
WAITED = Reason(
    code="generator_waited",
    status="suspect",
    text="the load generator waited for a CPU for 10.9 %",
    hint="use more cores",
    doubts=("throughput", "p99"),
)
LOST = Reason(code="no_reply", status="invalid", text="no reply came", hint="look at the log")


def sentence(
    reasons: Mapping[int, tuple[Reason, ...]],
    *,
    blocks: int,
    done: int | None = None,
    arms: Collection[str] = (PAIR[1],),
    load: str = SAME_RATE,
) -> str | None:
    """The sentence for these reasons by block; `done`: interrupted after so many blocks."""
    made = study(*PAIR, blocks=blocks)
    measured = [
        one.model_copy(update={"status": found[0].status, "reasons": found})
        if one.load == load and one.arm in arms and (found := reasons.get(one.block))
        else one
        for one in trials(made, dict.fromkeys(PAIR, 1.0))
        if done is None or one.block < done
    ]
    whole = result(made, measured)
    ended = RunOutcome(len(measured), 4 * blocks, whole, interrupted=done is not None)
    return missing_results(
        CompareOutcome(specification(), ended, made, PAIR, decisions(specification(), whole, PAIR))
    )


def test_an_interrupted_comparison_has_too_few_blocks_whatever_else_is_suspect() -> None:
    assert sentence({0: (WAITED,)}, blocks=5, done=1) == (
        "No valid result for requests/s, p99 and CPU time per request: 1 trial each, 5 needed for"
        " an interval (interrupted: 1 of 5 blocks)"
    )


def test_programs_that_took_the_processors_are_named_beside_the_trials_that_fell_behind() -> None:
    reasons = dict.fromkeys(range(5), (STARVED,)) | dict.fromkeys((1, 3), (OVERLOAD, STARVED))
    assert sentence(reasons, blocks=5) == (
        "No valid result for p99: my-branch: overload: 490/s (in 2 of 5 trials), while others took"
        " 31 % (in each of 5 trials)"
    )


def test_each_metric_has_its_own_reason() -> None:
    found = sentence({1: (OVERLOAD,)}, blocks=4)
    assert found is not None
    few, slow = found.split(". ")
    assert few.endswith(": 4 trials each, 5 needed for an interval")
    assert "p99" not in few
    assert slow == "No valid result for p99: my-branch: overload: 490/s (in 1 of 4 trials)"


def test_trials_without_a_result_leave_too_few_for_an_interval() -> None:
    found = sentence({1: (LOST,), 2: (LOST, WAITED)}, blocks=6)
    assert found is not None
    assert found.endswith(": my-branch: no reply came (in 2 of 6 trials)")
