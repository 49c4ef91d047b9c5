"""JUnit XML: a test case for each check and each cell.

A regression or a crossed limit is a failure; what cannot be told or has no result is skipped, never
passed. There is no standard: this is the part that Jenkins, GitLab and the GitHub actions for test
reports share.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Sequence

from httpdyno.dates import format_time
from httpdyno.export.checks import Check
from httpdyno.metrics import FEW, OF_ENDPOINTS
from httpdyno.output.printable import printable, printable_lines
from httpdyno.result import CellRow, EndpointRow, Estimate, StudyResult, few_trials
from httpdyno.units import rate


def junit(result: StudyResult, checks: Sequence[Check] = ()) -> str:
    """The test report of a result."""
    suite = ET.Element("testsuite", name=_attribute(result.name))
    suite.append(_properties(result))
    suite.extend(_check(check, result) for check in checks)
    suite.extend(_cell(cell, result) for cell in result.cells)
    counts = {
        "tests": len(suite.findall("testcase")),
        "failures": len(suite.findall("testcase/failure")),
        "errors": 0,
        "skipped": len(suite.findall("testcase/skipped")),
        "time": f"{max(0.0, result.ended_at - result.started_at):.3f}",
    }
    whole = ET.Element("testsuites", name="httpdyno")
    whole.append(suite)
    for name, value in counts.items():
        suite.set(name, str(value))
        whole.set(name, str(value))
    suite.set("timestamp", _moment(result.started_at))
    ET.indent(whole)
    body = ET.tostring(whole, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def _properties(result: StudyResult) -> ET.Element:
    found = {
        "answer": result.answer,
        "command": result.command,
        "httpdyno": result.httpdyno_version,
        "seed": str(result.seed),
        **{f"machine: {fact.label}": fact.value for fact in result.machine},
        **{f"version: {arm.name}": arm.version for arm in result.arms if arm.version},
    }
    element = ET.Element("properties")
    for name, value in found.items():
        ET.SubElement(element, "property", name=_attribute(name), value=_attribute(value))
    return element


def _check(check: Check, result: StudyResult) -> ET.Element:
    case = _case(result, "checks", check.name)
    if check.outcome == "failed":
        failure = ET.SubElement(case, "failure", type="failed", message=_attribute(check.text))
        failure.text = _content(check.text)
    elif check.outcome != "passed":
        is_in_text = check.text.startswith(f"{check.outcome}: ")
        why = check.text if is_in_text else f"{check.outcome}: {check.text}"
        ET.SubElement(case, "skipped", message=_attribute(why))
    else:
        ET.SubElement(case, "system-out").text = _content(check.text)
    return case


def _cell(cell: CellRow, result: StudyResult) -> ET.Element:
    """A cell passes if it has numbers, valid or suspect; its doubts are in its output."""
    case = _case(result, cell.load, f"{cell.arm} · {cell.point}")
    if cell.status == "invalid" or not cell.trials:
        why = "; ".join(reason.text for reason in cell.reasons) or "not measured"
        ET.SubElement(case, "skipped", message=_attribute(f"no result: {why}"))
        return case
    ET.SubElement(case, "system-out").text = _content("\n".join(_lines(cell)))
    return case


def _lines(cell: CellRow) -> Iterator[str]:
    yield f"verdict: {cell.status}"
    for metric in FEW:
        estimate = getattr(cell, metric.column)
        if estimate is not None:
            yield f"{metric.label}: {_number(estimate, metric.words)}"
    if (found := cell.capacity) is not None:
        if found.at_least_per_s is not None:
            yield f"capacity: at least {rate(found.at_least_per_s)}, within {found.limits_in_words}"
        elif found.capacity_per_s is not None:
            least = "at least " if found.high_is_bound else ""
            shown = _number(found.capacity_per_s, rate, least)
            yield f"capacity: {shown}, within {found.limits_in_words}"
    for one in cell.endpoints:
        yield f"endpoint {printable(one.name)}: {', '.join(_of_endpoint(one))}"
    for reason in cell.reasons:
        yield f"{reason.status}: {reason.text}; hint: {reason.hint}"


def _of_endpoint(one: EndpointRow) -> Iterator[str]:
    for metric in OF_ENDPOINTS:
        estimate = getattr(one, metric.column)
        if estimate is not None:
            yield f"{metric.label} {_number(estimate, metric.words)}"


def _number(estimate: Estimate, form: Callable[[float], str], least: str = "") -> str:
    if estimate.low is None or estimate.high is None:
        return f"{form(estimate.value)} ({few_trials(estimate.trials)})"
    interval = f"{form(estimate.low)} to {least}{form(estimate.high)}"
    return f"{form(estimate.value)} (95 % CI {interval})"


def _case(result: StudyResult, group: str, name: str) -> ET.Element:
    classname = f"{_attribute(result.name)}.{_attribute(group)}"
    return ET.Element("testcase", classname=classname, name=_attribute(name))


def _attribute(text: str) -> str:
    """Without the characters that XML 1.0 forbids (section 2.2): none of them is printable."""
    return printable(text)


def _content(text: str) -> str:
    return printable_lines(text)


def _moment(unix_s: float) -> str:
    return format_time(unix_s, "%Y-%m-%dT%H:%M:%S", "1970-01-01T00:00:00")
