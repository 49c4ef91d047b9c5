"""The tables of `benches/peers/compat.py`, and the lines that it runs."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest
from post_lines import POSTS, PostLine

BENCHES = Path(__file__).resolve().parents[3] / "benches"
BEGIN, END = "<!-- begin: make it -->", "<!-- end: make it -->"


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Import from `benches/`, which is a folder of programs, not a package."""
    monkeypatch.syspath_prepend(str(BENCHES))
    return importlib.import_module


def cell(load: Any, cpu_s: float, requests: int, rate: float = 1000.0) -> Any:
    spent = load("peers.runs.trial").Spent(cpu_s, 0.0, 2**20, requests, rate)
    return load("peers.runs.compare").Cell(trials=[spent, spent])


def text(load: Any, rows: Any, starts: Any, climbs: Any = None) -> str:
    lines = load("peers.generators.lines").LINES
    return "\n".join(load("peers.tables.lines").tables(lines, rows, starts, climbs or {}))


def test_the_bench_runs_the_lines_of_the_posts(load: Any) -> None:
    lines = {line.name: line for line in load("peers.generators.lines").LINES}
    names = {
        "2012": "httperf-2012",
        "2011": "httperf-2011",
        "2010": "httperf-2010",
        "2010-happstack": "httperf-2010-file",
        "2019": "ab-2019",
    }
    for post in POSTS:
        line = lines[names[post.name]]
        bench = PostLine("", "", f"{line.tool} {' '.join(line.words)}", 0).arguments(0)
        own = ("--server", "--port", "--rate" if post.name == "2011" else "--port")
        printed = [word for word in post.arguments(0) if word.startswith("-")]
        assert {word for word in printed if not word.startswith(own)} <= set(bench)


def test_each_tool_runs_only_its_own_lines_and_one_request_to_measure_its_start(
    load: Any, tmp_path: Path
) -> None:
    module, job_module = load("peers.generators.lines"), load("peers.generators.job")
    line = next(line for line in module.LINES if line.name == "ab-2019")
    job = job_module.Job(line, "127.0.0.1:81", 1.0, tmp_path)
    tools = {tool.name: tool for tool in module.TOOLS}
    ours = tools["httpdyno ab"].command("httpdyno", job).words
    assert ours == ["httpdyno", "ab", "-n", "1000", "-c", "10", "http://127.0.0.1:81/"]
    with pytest.raises(job_module.CannotError, match="a line of ab"):
        tools["httperf"].command("httperf", job)
    once = tools["httperf"].command("httperf", job.as_once()).words
    assert "--num-conns=1" in once
    assert "--port=81" in once


def test_less_cpu_in_every_line_meets_the_goal_and_more_in_one_does_not(load: Any) -> None:
    rows = {"ab-keep": {"ab": cell(load, 2, 400_000), "httpdyno ab": cell(load, 1, 400_000)}}
    good = text(load, rows, {})
    assert "| less CPU per request in every line | met | worst: 0.50 × in `ab-keep`" in good
    assert "2.50: **0.50 (0.50 to 0.50) ×**" in good
    rows["ab-2019"] = {"ab": cell(load, 1, 1000), "httpdyno ab": cell(load, 3, 1000)}
    bad = text(load, rows, {})
    assert "| **not met** | worst: 3.00 × in `ab-2019`; 1 of 2 miss it" in bad


def test_a_line_that_is_mostly_start_has_no_figure_without_it(load: Any) -> None:
    rows = {"ab-2019": {"ab": cell(load, 0.1, 1000), "httpdyno ab": cell(load, 0.3, 1000)}}
    start = load("peers.runs.trial").Spent(0.29, 0.0, 2**20, 1, 0.0)
    found = text(load, rows, {"httpdyno ab": start})
    assert "| less CPU per request in every line, without the start | not measured | |" in found
    assert "- start of `httpdyno ab`: 290.0 ms of CPU" in found


def test_a_round_with_other_than_the_lines_requests_does_not_count(load: Any) -> None:
    rows = {"ab-2019": {"ab": cell(load, 1, 1000), "httpdyno ab": cell(load, 0.1, 999)}}
    found = text(load, rows, {})
    assert "- `ab-2019`, httpdyno ab: made 999, 999 requests instead of 1,000" in found
    assert "less CPU per request in every line | not measured" in found


def test_climbs_show_the_median_and_its_range(load: Any) -> None:
    found = text(load, {}, {}, {"httperf": [10.0, 30_000.0, 20_000.0], "httpdyno httperf": []})
    assert "| httperf | 20,000 (10 to 30,000) |" in found


def test_a_section_is_added_once_and_replaced_afterwards(load: Any, tmp_path: Path) -> None:
    marks, page = load("peers.tables.marks"), tmp_path / "page.md"
    page.write_text("# Page\n", encoding="utf-8")
    marks.write_section(page, "make it", "## Section", "first")
    marks.write_section(page, "make it", "## Section", "second")
    whole = page.read_text(encoding="utf-8")
    assert whole == f"# Page\n\n## Section\n\n{BEGIN}\nsecond\n{END}\n"
