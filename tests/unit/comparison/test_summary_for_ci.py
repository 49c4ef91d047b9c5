"""The summary of a job says what its runner can show; the outputs are numbers, or empty."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from compared import result, study, trials
from httpdyno.ci.github import failure_summary
from httpdyno.ci.summary import few_processors, outputs, summary
from httpdyno.cli.ci import CiFlags, _tell
from httpdyno.comparison.arms.sides import Commands
from httpdyno.comparison.compare import CompareOutcome, decisions
from httpdyno.comparison.loads import full_speed
from httpdyno.comparison.margins import DEFAULT
from httpdyno.comparison.rows import decision_rows
from httpdyno.comparison.specification import ArmSpecification, Specification
from httpdyno.comparison.study import get_path
from httpdyno.result import StudyResult
from httpdyno.run import RunOutcome
from httpdyno.servers.subjects import Subject
from httpdyno.units import percent

HOSTILE = "[x](https://evil.example) @all <img> `a`"


def compared(blocks: int, noise: float, speed: float = 0.9) -> tuple[CompareOutcome, StudyResult]:
    """`main` and a pull request that is a tenth slower, or has another speed."""
    arms = [
        ArmSpecification(Subject(one, "revision", one), one, Commands())
        for one in ("main", "slower")
    ]
    asked = Specification(
        baseline=arms[0],
        changed=arms[1],
        canary=None,
        work=get_path("/", any_body=False),
        loads=full_speed(10, 2.0),
        paced_s=2.0,
        margins=DEFAULT,
        blocks=blocks,
        seed=1,
        warm_up=1.0,
    )
    made = study("main", "slower", blocks=blocks)
    measured = result(made, trials(made, {"main": 1.0, "slower": speed}, noise))
    pair = ("main", "slower")
    ended = RunOutcome(4 * blocks, 4 * blocks, measured)
    return CompareOutcome(asked, ended, made, pair, decisions(asked, measured, pair)), measured


def detectable(noise: float) -> float:
    """The smallest change of requests/s that the summary names, in percent."""
    text = summary(*compared(10, noise), 4)
    found = re.search(
        r"its 10 restarts of each build differed, a (?:change|drop) of ([\d.]+) % or", text
    )
    assert found is not None
    return float(found[1])


def test_a_decision_has_one_word_in_both_tables() -> None:
    found, measured = compared(10, 0.2)
    page = summary(found, measured.model_copy(update={"decisions": decision_rows(found)}), 4)
    assert "cannot tell" in {one.decided for one in found.decisions}
    for one in found.decisions:
        assert one.comparison is not None
        row = f"| `slower` to `main` | `{one.comparison.load} · {one.comparison.point}`"
        start = f"{row} | {one.metric} |"
        (line,) = [line for line in page.splitlines() if line.startswith(start)]
        assert line.split(" | ")[-1].startswith(one.decided), line


def test_a_noisy_runner_is_said_to_show_only_larger_changes() -> None:
    assert detectable(0.01) < 2
    assert detectable(0.1) > 8


def test_a_change_of_requests_per_s_that_would_be_detected_is_a_drop_and_one_of_p99_a_rise() -> (
    None
):
    found = compared(10, 0.2)
    rows = {one.metric: one.comparison for one in found[0].decisions}
    throughput, p99 = rows["throughput"], rows["p99"]
    assert throughput is not None
    assert p99 is not None
    rise = throughput.smallest_detectable
    assert rise is not None
    assert 0.15 < rise < 1
    text = summary(*found, 4)
    assert f"a drop of {percent(1 - 1 / (1 + rise))} or more in requests/s" in text
    assert p99.smallest_detectable is not None
    assert f"a change of {percent(p99.smallest_detectable)} or more in p99" in text


def test_few_processors_are_warned_about() -> None:
    found = compared(5, 0.01)
    assert few_processors(4) is None
    assert "This runner has 2 processors: the server" in summary(*found, 2)
    assert "processors" not in summary(*found, 4).partition("**What this runner")[2]


def test_the_outputs_are_the_ratio_of_throughputs_with_its_interval() -> None:
    found = outputs(compared(10, 0.01)[0])
    assert (found["verdict"], found["report"]) == ("regression", "")
    low, high = json.loads(found["interval"])
    assert 0.87 < low < float(found["ratio"]) < high < 0.93


def test_without_an_interval_the_numbers_are_empty() -> None:
    few = compared(2, 0.01)
    assert outputs(few[0])["verdict"] == "no result"
    nothing = replace(few[0], decisions=())
    for one in (few[0], nothing):
        found = outputs(one)
        assert (found["ratio"], found["interval"]) == ("", "")
    assert "restarts of each build differed" not in summary(*few, 4)


@pytest.mark.parametrize(
    ("speed", "noise", "fail_on", "code", "unwritten"),
    [
        (0.9, 0.01, "regression", 8, 8),
        (1.0, 0.3, "undecided", 9, 9),
        (1.0, 0.3, "regression", 0, 4),
        (1.0, 0.001, "regression", 0, 4),
    ],
)
def test_a_file_that_cannot_be_written_changes_the_exit_code_only_if_all_else_went_well(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    speed: float,
    noise: float,
    fail_on: str,
    code: int,
    unwritten: int,
) -> None:
    for name in ("GITHUB_ACTIONS", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)
    found, measured = compared(10, noise, speed)
    flags = CiFlags(base=None, head=None, fail_on=fail_on, comment=False)
    assert _tell(found, measured, flags) == code
    for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"):
        monkeypatch.setenv(name, "/none/file")
        capsys.readouterr()
        assert _tell(found, measured, flags) == unwritten
        out, err = capsys.readouterr()
        assert "warning: `/none/file` cannot be written: No such file or directory\n" in err
        assert "**What this runner can show**" in out
        monkeypatch.delenv(name)


def test_a_failure_shows_its_text_and_obeys_nothing_in_it() -> None:
    page = failure_summary("httpdyno could not compare", f"{HOSTILE}\n# heading", HOSTILE)
    assert page.startswith("### httpdyno could not compare\n\n")
    assert page.count("\n#") == 0
    for markup in ("](", "@all", "<img", "https://"):
        assert markup not in page
    assert "Hint: " not in failure_summary("httpdyno could not compare", "x", "")
