"""Numbers for dashboards: in the form that each reads, and none without a result."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import pytest
import sample
from httpdyno.cli.exports import NAMES
from httpdyno.export import FORMATS
from httpdyno.export.bencher import bencher
from httpdyno.export.github_benchmark import github_bigger, github_smaller
from httpdyno.export.numbers import numbers
from httpdyno.export.openmetrics import openmetrics
from httpdyno.result import CapacityRow, Estimate, StudyResult

HOSTILE = 'a"b\\c\nd\x1b[31m{}\ud800é'

LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\"n])*"'
SAMPLE = re.compile(rf"([a-z0-9_]+)\{{({LABEL}(?:,{LABEL})*)\}} ([0-9.e+-]+)")


def hostile() -> StudyResult:
    """A result whose texts are hostile and whose numbers are not finite."""
    result = sample.tiny()
    broken = Estimate(value=math.inf, low=math.nan, high=math.inf, trials=5)
    cells = [
        result.cells[0].model_copy(update={"arm": HOSTILE, "throughput_per_s": broken}),
        result.cells[1].model_copy(
            update={"load": HOSTILE, "server_rss_bytes": broken.model_copy(update={"value": 1.0})}
        ),
    ]
    return result.model_copy(update={"cells": cells, "name": HOSTILE})


def strict(text: str) -> Any:
    def refuse(constant: str) -> Any:
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(text, parse_constant=refuse)


def test_the_command_line_names_the_formats_that_there_are() -> None:
    assert list(NAMES) == list(FORMATS)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("result", [sample.empty(), sample.tiny(), hostile()], ids=["0", "1", "x"])
def test_every_format_writes_any_result(name: str, result: StudyResult) -> None:
    text = FORMATS[name].write(result, ())
    text.encode()
    assert text.endswith("\n")
    assert "\x1b" not in text


def test_a_cell_without_a_result_has_no_number_anywhere() -> None:
    result = sample.replay(5)
    invalid = {(cell.arm, cell.point) for cell in result.cells if cell.status == "invalid"}
    assert len(invalid) == 2
    shown = {(one.cell.arm, one.cell.point) for one in numbers(result)}
    assert not invalid & shown
    for name in ("bencher", "github-bigger", "github-smaller"):
        text = FORMATS[name].write(result, ())
        assert not any(f"{arm} · keep-alive · {point}" in text for arm, point in invalid)


def test_a_closed_load_has_throughput_and_an_open_one_has_latency() -> None:
    names: dict[bool, set[str]] = {True: set(), False: set()}
    for one in numbers(sample.replay(5)):
        names[one.cell.rate_per_s is None].add(one.metric.name)
    assert names == {True: {"throughput", "cpu", "memory"}, False: {"p50", "p99", "cpu", "memory"}}


def searched(
    capacity: Estimate | None, at_least: float | None = None, *, high_is_bound: bool = False
) -> StudyResult:
    """A result with one capacity search."""
    found = CapacityRow(
        limits=["p99<20ms"],
        limits_in_words="p99 ≤ 20 ms",
        capacity_per_s=capacity,
        at_least_per_s=at_least,
        high_is_bound=high_is_bound,
        cores=1,
        held=9,
        confirmations=10,
    )
    cell = sample.tiny().cells[0].model_copy(update={"capacity": found, "load": "search"})
    return sample.tiny().model_copy(update={"cells": [cell]})


def test_a_capacity_search_gives_its_capacity_and_no_throughput() -> None:
    result = searched(Estimate(value=8200.0, low=8100.0, high=8300.0, trials=7))
    (number,) = numbers(result)
    assert (number.metric.name, number.value, number.interval) == ("capacity", 8200, (8100, 8300))
    (measures,) = strict(bencher(result)).values()
    assert set(measures) == {"capacity"}
    assert "httpdyno_capacity_requests_per_second{" in openmetrics(result)
    page = FORMATS["markdown"].write(result, ())
    assert "| 8,200/s (8,100/s to 8,300/s) | p99 ≤ 20 ms | 9 of 10 |" in page
    assert "| requests/s |" not in page


def test_a_capacity_beyond_the_generator_is_no_number() -> None:
    result = searched(None, at_least=140_000.0)
    assert list(numbers(result)) == []
    assert "| at least 140,000/s |" in FORMATS["markdown"].write(result, ())


def test_an_upper_end_that_is_a_bound_is_nowhere_an_ordinary_one() -> None:
    capacity = Estimate(value=8200.0, low=8100.0, high=8300.0, trials=7)
    result = searched(capacity, high_is_bound=True)
    (measures,) = strict(bencher(result)).values()
    assert measures["capacity"] == {"value": 8200.0, "lower_value": 8100.0}
    (entry,) = strict(github_bigger(result))
    assert "range" not in entry
    assert "95 % CI: 8,100 to at least 8,300" in entry["extra"].splitlines()
    text = openmetrics(result)
    assert re.search(r'bound="high_at_least"\} 8300\.0', text)
    assert 'bound="high"' not in text
    page = FORMATS["markdown"].write(result, ())
    assert "| 8,200/s (8,100/s to at least 8,300/s) |" in page
    ordinary = searched(capacity)
    for name in FORMATS:
        said = FORMATS[name].write(ordinary, ()).replace("high_at_least: that end is at least", "")
        assert "least" not in said, name


def test_bencher_gets_the_interval_and_ignores_suspect_numbers() -> None:
    result = sample.replay(5)
    found = strict(bencher(result))
    valid = found["tornado-vs-starlette · tornado/1-process · corrected · 1,000/s"]
    assert set(valid) == {"p50-ms", "p99-ms", "cpu-us-per-request", "memory-mib"}
    p99 = valid["p99-ms"]
    assert p99["lower_value"] < p99["value"] < p99["upper_value"]
    cell = next(c for c in result.cells if (c.arm, c.point) == ("tornado/1-process", "1,000/s"))
    assert cell.p99_s is not None
    assert p99["value"] == pytest.approx(cell.p99_s.value * 1000)
    overloaded = "tornado-vs-starlette · tornado/1-process · corrected · 4,000/s"
    assert overloaded not in found
    assert f"{overloaded}-bencher-ignore" in found


def test_a_doubt_about_the_tail_leaves_the_other_numbers_valid() -> None:
    whole = sample.replay(5)
    cell = next(c for c in whole.cells if (c.arm, c.point) == ("tornado/1-process", "1,000/s"))
    late = sample.OVERLOAD.model_copy(update={"code": "late", "doubts": ("p99",)})
    doubted = {"status": "suspect", "reasons": [late], "doubts": {"p99": ["late"]}}
    result = whole.model_copy(update={"cells": [cell.model_copy(update=doubted)]})
    assert {one.metric.name: one.status for one in numbers(result)} == {
        "p50": "valid",
        "p99": "suspect",
        "cpu": "valid",
        "memory": "valid",
    }
    name = "tornado-vs-starlette · tornado/1-process · corrected · 1,000/s"
    found = strict(bencher(result))
    assert set(found[name]) == {"p50-ms", "cpu-us-per-request", "memory-mib"}
    assert set(found[f"{name}-bencher-ignore"]) == {"p99-ms"}


def test_bencher_reads_every_document_by_its_schema() -> None:
    """https://bencher.dev/bmf.json: objects of objects with numbers, `value` among them."""
    for result in (sample.replay(5), sample.tiny(), sample.empty(), hostile()):
        for name, measures in strict(bencher(result)).items():
            assert 0 < len(name) <= 1024
            for slug, metric in measures.items():
                assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", slug)
                assert len(slug) <= 64
                assert "value" in metric
                assert {"value", "lower_value", "upper_value"} >= set(metric)
                assert all(isinstance(number, float | int) for number in metric.values())


def test_github_action_benchmark_gets_a_file_per_direction() -> None:
    result = sample.replay(5)
    bigger, smaller = strict(github_bigger(result)), strict(github_smaller(result))
    assert {entry["unit"] for entry in bigger} == {"requests/s"}
    assert {entry["unit"] for entry in smaller} == {"ms", "µs", "MiB"}
    for entry in bigger + smaller:
        assert set(entry) == {"name", "unit", "value", "range", "extra"}
        assert re.fullmatch(r"± \d+\.\d %", entry["range"])
    names = [entry["name"] for entry in bigger + smaller]
    assert len(set(names)) == len(names)
    suspect = [entry for entry in smaller if "verdict: suspect" in entry["extra"]]
    assert suspect
    assert all("it is overloaded here" in entry["extra"] for entry in suspect)


def test_too_few_trials_have_no_range() -> None:
    assert all("range" not in entry for entry in strict(github_bigger(sample.tiny())))


@pytest.mark.parametrize(
    "result", [sample.replay(5), sample.empty(), hostile()], ids=["5", "0", "x"]
)
def test_openmetrics_keeps_to_the_grammar(result: StudyResult) -> None:
    """Families are whole, each with its type first; labels are escaped; the end is marked."""
    lines = openmetrics(result).splitlines()
    assert lines[-1] == "# EOF"
    family, seen, samples = "", set(), set()
    for line in lines[:-1]:
        if line.startswith("# TYPE "):
            family = line.split()[2]
            assert line.split()[3] == "gauge"
            assert family not in seen
            seen.add(family)
        elif line.startswith("# UNIT "):
            assert line.split()[2] == family
            assert family.endswith(f"_{line.split()[3]}")
        elif line.startswith("# HELP "):
            assert line.split()[2] == family
        else:
            found = SAMPLE.fullmatch(line)
            assert found is not None, line
            assert found[1] == family
            assert math.isfinite(float(found[3]))
            assert (found[1], found[2]) not in samples
            samples.add((found[1], found[2]))
    assert samples


def test_openmetrics_says_which_cells_have_no_result() -> None:
    text = openmetrics(sample.replay(5))
    cell = 'arm="starlette/1-worker",load="keep-alive",point="64 connections"'
    assert f'httpdyno_verdict{{study="tornado-vs-starlette",{cell}}} 0' in text
    assert (
        f'httpdyno_throughput_requests_per_second{{study="tornado-vs-starlette",{cell}' not in text
    )
