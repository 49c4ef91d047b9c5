"""JUnit XML that every reader takes: no result is skipped and never passes."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import sample
from httpdyno.export import Check
from httpdyno.export.junit import junit
from httpdyno.result import CapacityRow, Estimate

CHECKS = (
    Check("throughput", "passed", "no regression shown"),
    Check("p99", "failed", "p99 12 % higher"),
    Check("CPU", "no result", "too few trials"),
)


def outcome(case: ET.Element) -> str:
    found = [name for name in ("failure", "skipped", "error") if case.find(name) is not None]
    return found[0] if found else "passed"


def test_a_failed_check_is_a_failure_and_one_without_a_result_is_skipped() -> None:
    suite = ET.fromstring(junit(sample.tiny(), CHECKS)).find("testsuite")
    assert suite is not None
    cases = {case.get("name"): outcome(case) for case in suite.findall("testcase")}
    assert cases["throughput"] == "passed"
    assert cases["p99"] == "failure"
    assert cases["CPU"] == "skipped"


def test_every_cell_is_a_case_and_those_without_a_result_are_skipped() -> None:
    result = sample.replay(5)
    suite = ET.fromstring(junit(result)).find("testsuite")
    assert suite is not None
    cases = suite.findall("testcase")
    assert len(cases) == len(result.cells)
    for case, cell in zip(cases, result.cells, strict=True):
        assert outcome(case) == ("skipped" if cell.status == "invalid" else "passed")
    skipped = [case.find("skipped") for case in cases if outcome(case) == "skipped"]
    assert all(
        one is not None and "41 % of the replies" in one.get("message", "") for one in skipped
    )


def test_a_cell_that_an_interrupted_run_did_not_measure_is_skipped() -> None:
    whole = sample.tiny()
    bare = whole.cells[0].model_copy(update={"trials": [], "reasons": [], "p99_s": None})
    suite = ET.fromstring(junit(whole.model_copy(update={"cells": [bare]}))).find("testsuite")
    assert suite is not None
    (skipped,) = suite.findall("testcase/skipped")
    assert skipped.get("message") == "no result: not measured"


def test_numbers_have_units_and_an_interval_or_the_reason_for_none() -> None:
    output = numbers_of(
        p50_s=Estimate(value=0.001234567, low=0.0011234, high=0.0013456, trials=5),
        p99_s=Estimate(value=0.004234567, low=None, high=None, trials=2),
        throughput_per_s=Estimate(value=1234.5678, low=1198.7654, high=1301.23, trials=5),
    )
    assert "throughput: 1,230/s (95 % CI 1,200/s to 1,300/s)" in output
    assert "p50: 1.23 ms (95 % CI 1.12 ms to 1.35 ms)" in output
    assert "p99: 4.23 ms (2 trials: too few for an interval)" in output


def test_a_capacity_that_the_search_did_not_reach_is_a_lower_bound() -> None:
    found = CapacityRow(
        limits=["p99<20ms"],
        limits_in_words="p99 ≤ 20 ms",
        capacity_per_s=None,
        at_least_per_s=4321.0,
        cores=1,
    )
    assert "capacity: at least 4,320/s, within p99 ≤ 20 ms" in numbers_of(capacity=found)
    known = Estimate(value=4321.0, low=4210.0, high=4400.0, trials=7)
    update = {"capacity_per_s": known, "at_least_per_s": None, "high_is_bound": True}
    assert (
        "capacity: 4,320/s (95 % CI 4,210/s to at least 4,400/s), within p99 ≤ 20 ms"
        in numbers_of(capacity=found.model_copy(update=update))
    )


def numbers_of(**changed: object) -> list[str]:
    """The lines of a cell that has these numbers."""
    whole = sample.tiny()
    cell = whole.cells[0].model_copy(update=changed)
    text = junit(whole.model_copy(update={"cells": [cell]}))
    return (ET.fromstring(text).findtext("testsuite/testcase/system-out") or "").splitlines()


def test_the_counts_add_up() -> None:
    root = ET.fromstring(junit(sample.replay(5), CHECKS))
    suite = root.find("testsuite")
    assert suite is not None
    for element in (root, suite):
        assert element.get("tests") == str(len(suite.findall("testcase"))) == "27"
        assert element.get("failures") == "1"
        assert element.get("skipped") == "3"
        assert element.get("errors") == "0"
    assert suite.get("timestamp") == "2026-09-21T14:13:20"


def test_a_study_without_cells_has_no_case_that_passes() -> None:
    suite = ET.fromstring(junit(sample.empty())).find("testsuite")
    assert suite is not None
    assert suite.findall("testcase") == []
    assert suite.get("tests") == "0"


def test_characters_that_xml_forbids_are_shown_escaped() -> None:
    hostile = "a\x00b\x1b[31m\ufffe\ud800]]><testcase/>&\"'\n\t"
    result = sample.tiny().model_copy(
        update={"name": hostile, "command": hostile, "answer": hostile}
    )
    cells = [cell.model_copy(update={"arm": hostile}) for cell in result.cells]
    text = junit(result.model_copy(update={"cells": cells}), [Check(hostile, "failed", hostile)])
    root = ET.fromstring(text.encode())
    (failure,) = root.findall("testsuite/testcase/failure")
    assert failure.text is not None
    assert "\\x00b\\x1b[31m\\ufffe\\ud800]]><testcase/>&\"'" in failure.text
    assert len(root.findall("testsuite/testcase")) == 3
