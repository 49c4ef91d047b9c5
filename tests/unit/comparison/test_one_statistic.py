"""The numbers of two arms and their change are one statistic, wherever they stand side by side."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from compared import result, study, trials
from httpdyno.cli.compare.view import show
from httpdyno.cli.run.table import show_result
from httpdyno.comparison.compare import CompareOutcome, decisions
from httpdyno.comparison.loads import FULL_SPEED
from httpdyno.comparison.report import checks, with_answer
from httpdyno.export.markdown import markdown
from httpdyno.outcome import TrialOutcome
from httpdyno.report.result_json import parse, to_json
from httpdyno.report.write import write_report
from httpdyno.result import Reason, StudyResult
from httpdyno.run import RunOutcome
from httpdyno.units import parse_duration
from test_report import OPTIONS, compared, said, saved, specification

PAIR = ("main", "my-branch")
WRONG = Reason(code="errors", status="invalid", text="2 % of calls failed", hint="find out why")
ROUNDED = 0.02
"""Two numbers of three significant digits, and a change of two or three."""


def measured(noise: float, blocks: int, wrong: tuple[str, int] | None = None) -> CompareOutcome:
    """Restarts that differ as much as on a bad machine; `wrong`: an arm fails in a block."""
    made = study(*PAIR, blocks=blocks)
    found = trials(made, dict.fromkeys(PAIR, 1.0), noise)
    whole = result(made, [_failed(one) if (one.arm, one.block) == wrong else one for one in found])
    judged = decisions(specification(), whole, PAIR)
    return CompareOutcome(
        specification(), RunOutcome(len(found), len(found), whole), made, PAIR, judged
    )


def _failed(one: TrialOutcome) -> TrialOutcome:
    return one.model_copy(update={"status": "invalid", "reasons": (WRONG,)})


def concluded(found: CompareOutcome) -> StudyResult:
    """The result with the answer of the comparison."""
    whole = with_answer(found, OPTIONS)
    assert whole is not None
    return whole


def row(text: str, name: str) -> list[str]:
    """The fields of the line of a table that begins with this name."""
    lines = (re.split(r"\s{2,}", line.strip()) for line in text.splitlines())
    return next(fields for fields in lines if fields[0] == name and len(fields) > 2)


def number(text: str) -> float:
    """The number of a field with its unit."""
    plain = text.partition(" (")[0].replace(",", "").rstrip("?*").removesuffix("/s").strip()
    return parse_duration(plain)


def ratio(change: str) -> float:
    """`8.2 % fewer` as 0.918."""
    if change.endswith("×"):
        return float(change.removesuffix("×"))
    share, _, direction = change.split(" ", 2)
    sign = -1 if direction.split()[0] in ("fewer", "less", "shorter") else 1
    return 1 + sign * float(share) / 100


@pytest.mark.parametrize("wrong", [None, ("main", 3), ("my-branch", 0)])
@pytest.mark.parametrize("noise", [0.02, 0.3, 0.6])
def test_the_terminal_shows_the_two_numbers_whose_ratio_the_change_is(
    noise: float, wrong: tuple[str, int] | None, capsys: pytest.CaptureFixture[str]
) -> None:
    found = measured(noise, 6, wrong)
    show(found, concluded(found))
    out = capsys.readouterr().out
    for name in ("requests/s", "p99", "CPU per request"):
        _, before, after, change, *_ = row(out, name)
        assert number(after) / number(before) == pytest.approx(ratio(change), rel=ROUNDED), out
    first = found.decisions[0]
    assert row(out, "requests/s")[3].split()[0] in said(found), first
    assert "geometric means" in out
    assert "median" not in out


def test_without_an_interval_there_is_no_change_and_the_table_says_what_it_takes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = measured(0.3, 3)
    show(found, concluded(found))
    out = capsys.readouterr().out
    _, before, after, change, interval, *_ = row(out, "requests/s")
    assert number(before) > 0 < number(after)
    assert (change, interval) == ("–", "none: 3 trials, 5 needed")
    assert said(found).startswith(
        "No valid result for requests/s, p99 and CPU time per request: 3 trials each, 5 needed"
        " for an interval."
    )
    few = "compared with main: 3 trials each, 5 needed for an interval"
    assert all(check.text.endswith(few) for check in checks(found))


def test_the_table_of_a_run_its_answer_and_its_markdown_have_the_same_ratio(
    capsys: pytest.CaptureFixture[str],
) -> None:
    whole = measured(0.5, 3).ended.result
    assert whole is not None
    show_result(whole)
    out = capsys.readouterr().out
    told = re.match(
        r"Too few trials to compare my-branch with main by requests/s \(3 each\): "
        r"(\S+) and (\S+)\.",
        whole.answer,
    )
    assert told is not None, whole.answer
    answered = number(told[1]) / number(told[2])
    first = out[out.index(FULL_SPEED) :]
    before, after = (number(row(first, name)[1]) for name in PAIR)
    assert after / before == pytest.approx(answered, rel=ROUNDED), out
    page = markdown(whole)
    cells = [line.split(" | ") for line in page.splitlines() if f"`{FULL_SPEED} " in line]
    numbers = {line[1]: number(line[2]) for line in cells if len(line) > 5}
    (shown,) = (line[3] for line in cells if len(line) == 5 and line[2] == "throughput")
    assert numbers["`my-branch`"] / numbers["`main`"] == pytest.approx(
        ratio(shown.split(" ")[0]), rel=ROUNDED
    )


def test_the_report_counts_the_blocks_of_a_ratio_that_leaves_some_out(tmp_path: Path) -> None:
    found = measured(0.3, 7, ("main", 2))
    whole = found.ended.result
    assert whole is not None
    write_report(whole, tmp_path)
    for name in ("report.html", "report.md"):
        page = (tmp_path / name).read_text()
        assert "6 blocks in common" in page, name
        assert "A ratio leaves out blocks in which one of the two arms has no result." in page
    assert "6 blocks in common" in markdown(whole)
    assert "from 6 blocks in common" in whole.answer
    even = measured(0.3, 7).ended.result
    assert even is not None
    assert "in common" not in markdown(even) + even.answer


def test_the_json_has_the_numbers_of_each_ratio() -> None:
    found = measured(0.3, 6, ("my-branch", 1))
    assert found.ended.result is not None
    read = parse(to_json(found.ended.result), "result.json")
    for one in read.comparisons:
        assert one.ratio is not None
        assert one.baseline_value is not None
        assert one.arm_value is not None
        assert one.arm_value / one.baseline_value == pytest.approx(one.ratio.value)
        assert one.lone_blocks == 1


def test_a_saved_baseline_is_shown_with_the_numbers_of_both_sessions(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = compared(0.9, noise=0.2, saved=saved(noise=0.2), names=("my-branch",))
    show(found, concluded(found))
    out = capsys.readouterr().out
    _, before, after, change, *_ = row(out, "requests/s")
    assert number(after) / number(before) == pytest.approx(ratio(change), rel=ROUNDED), out
