"""The arithmetic behind docs/benchmarks.md: `benches/speed.py` and `benches/truth.py`."""

from __future__ import annotations

import importlib
import json
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest

BENCHES = Path(__file__).resolve().parents[3] / "benches"


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Import from `benches/`, which is a folder of programs, not a package."""
    monkeypatch.syspath_prepend(str(BENCHES))
    return importlib.import_module


def spent(load: Any, user_s: float, system_s: float, requests: int = 1000) -> Any:
    return load("peers.runs.trial").Spent(user_s, system_s, 2**20, requests, float(requests))


def cell(load: Any, *trials: Any) -> Any:
    return load("peers.runs.compare").Cell(trials=list(trials))


def test_the_rate_leaves_out_the_start_and_the_drain(load: Any) -> None:
    slow_start = [(0.0, 0), (1.0, 0), (1.1, 100), (2.1, 900), (2.2, 1000), (9.0, 1000)]
    steady = [(0.1 * i, 10 * i) for i in range(101)]
    plateau_rate = load("peers.runs.trial").plateau_rate
    assert plateau_rate(steady) == pytest.approx(100.0)
    assert plateau_rate(slow_start) == pytest.approx(700 / (2.15 - (1.1 + 150 / 800)))


def test_a_run_without_requests_has_no_rate(load: Any) -> None:
    assert load("peers.runs.trial").plateau_rate([(0.0, 0), (1.0, 0)]) == 0.0


def test_a_long_start_is_subtracted_as_measured_and_a_short_one_in_proportion(load: Any) -> None:
    whole = spent(load, 0.4, 0.6)
    long = whole.without(spent(load, 0.2, 0.05))
    assert (long.user_s, long.system_s) == pytest.approx((0.2, 0.55))
    short = whole.without(spent(load, 0.01, 0.0))
    assert (short.user_s, short.system_s) == pytest.approx((0.396, 0.594))
    assert whole.without(None) is whole


def test_a_ratio_pairs_the_rounds_that_both_tools_completed(load: Any) -> None:
    ratio, cpu = load("peers.tables.ratio").ratio, load("peers.tables.ratio").cpu
    ours = cell(load, spent(load, 1, 0), None, spent(load, 3, 0), spent(load, 2, 0))
    theirs = cell(load, spent(load, 2, 0), spent(load, 9, 0), spent(load, 2, 0), None)
    found = ratio(ours, theirs, cpu)
    assert (found.median, found.low, found.high, found.pairs) == (1.0, 0.5, 1.5, 2)
    assert ratio(ours, None, cpu) is None


def test_a_goal_is_met_only_when_every_row_meets_it(load: Any) -> None:
    good = {
        "httpdyno": cell(load, spent(load, 0.1, 0.5)),
        "limit": cell(load, spent(load, 0.2, 0.8)),
    }
    bad = {
        "httpdyno": cell(load, spent(load, 0.2, 0.9)),
        "limit": cell(load, spent(load, 0.2, 0.8)),
    }
    goals = load("peers.tables.goals").goals
    assert goals({"keep-alive-64": good})[0].met is True
    both = goals({"keep-alive-64": good, "one-call": bad})[0]
    assert both.met is False
    assert "`one-call`" in both.found
    assert both.found.endswith("1 of 2 miss it")
    worst = {
        "httpdyno": cell(load, spent(load, 1, 1)),
        "limit": cell(load, spent(load, 0.2, 0.8)),
    }
    all_ = goals({"keep-alive-64": good, "one-call": bad, "ten-calls": worst})[0]
    assert "in `ten-calls`; 2 of 3 miss it; then 1.10 (limit, `one-call`)" in all_.found
    assert goals({})[0].met is None


def test_a_tool_that_fails_is_left_out_of_the_table(load: Any, tmp_path: Path) -> None:
    trial = load("peers.runs.trial")
    used = {"user_s": 0.1, "system_s": 0.5, "peak_bytes": 2**20, "status": 0}
    (tmp_path / "stderr").write_text("all is well\nconnection 3 ended: 0\n", encoding="utf-8")
    samples = [(0.0, 0), (0.5, 500), (1.0, 1000)]
    (tmp_path / "spent.json").write_text(json.dumps(used), encoding="utf-8")
    assert trial._spent(tmp_path, samples, None).requests == 1000
    (tmp_path / "spent.json").write_text(json.dumps({**used, "status": 1}), encoding="utf-8")
    with pytest.raises(trial.FailedError, match=r"1,000 requests \(exit code 1\): connection 3"):
        trial._spent(tmp_path, samples, None)


def test_a_stall_makes_each_call_due_in_it_wait_for_its_end(load: Any) -> None:
    truth = load("truth").of_schedule(Namespace(rate=1000.0, seconds=4.0))
    assert truth["p50"] == 0.0
    assert truth["max"] == pytest.approx(0.5)
    # One eighth of the calls wait, evenly from 0 to 0.5 s: the 90th percentile is at 1/5 of that.
    assert truth["p90"] == pytest.approx(0.1, abs=0.002)


def test_a_column_where_another_tool_is_closer_names_both(load: Any) -> None:
    at = load("peers.generators.reported").AT
    errors = {
        "httpdyno, service time": {name: [20e-6, 30e-6, 25e-6] for name in at},
        "httpdyno, response time": {name: [0.0] for name in at},
        "httpdyno --kernel-timestamps, kernel time": {name: [10e-6] for name in at},
        "oha": {name: [-15e-6 if name == "p90" else 90e-6] for name in at if name != "p99.9"},
    }
    told, *behind = load("truth").nearest(errors, "service")
    assert told.endswith("is nearest in 4 of 5; kernel time included, in 5.")
    assert behind == [
        "Not in p90: oha -15 µs (-15 to -15), httpdyno, service time +25 µs (+20 to +30)."
    ]


def test_a_tool_that_does_not_support_a_row_says_why(load: Any, tmp_path: Path) -> None:
    job_module, rows = load("peers.generators.job"), load("peers.runs.rows").ROWS
    tools = {tool.name: tool for tool in load("peers.generators.classic").CLASSIC}
    by_name = {row.name: row for row in rows}
    for name, row in (("ab", "pipelined-16"), ("httperf", "keep-alive-10000"), ("ab", "ten-calls")):
        job = job_module.Job(by_name[row], "127.0.0.1:1", 1.0, tmp_path)
        with pytest.raises(job_module.CannotError, match=r"\w"):
            tools[name].command(name, job)


def test_rows_over_tls_are_run_against_nginx_by_the_tools_that_speak_it(
    load: Any, tmp_path: Path
) -> None:
    rows = [row for row in load("peers.runs.rows").ROWS if row.tls]
    bench = load("peers.runs.compare").Bench([], rows, [], 1, 1.0, 0, 0)
    assert bench._rows_of("reference") == []
    assert bench._rows_of("nginx") == rows != []
    tools = [*load("peers.generators.classic").CLASSIC, *load("peers.generators.ours").OURS]
    speaking = {tool.name: tool for tool in tools if tool.tls}
    assert set(speaking) == {"wrk", "ab", "h2load", "httpdyno", "httpdyno-load"}
    job = load("peers.generators.job").Job(rows[0], "127.0.0.1:1", 1.0, tmp_path)
    for name in ("wrk", "ab", "h2load", "httpdyno-load"):
        assert job.url in speaking[name].command(name, job).words
    assert load("peers.generators.ours").plan(job).target.tls is not None
    place = load("peers.runs.trial").Place("nginx", 0, 0)
    siege = next(tool for tool in tools if tool.name == "siege")
    with pytest.raises(load("peers.generators.job").CannotError, match="TLS"):
        load("peers.runs.trial").trial(siege, tmp_path, rows[0], place, 1.0)


def test_a_row_of_http2_is_the_same_work_for_each_tool_and_none_for_those_without_it(
    load: Any, tmp_path: Path
) -> None:
    jobs, trial = load("peers.generators.job"), load("peers.runs.trial")
    rows = {row.name: row for row in load("peers.runs.rows").ROWS}
    tools = {tool.name: tool for tool in load("speed").TOOLS}
    job = jobs.Job(rows["h2c-10x10"], "127.0.0.1:80", 1.0, tmp_path)
    words = " ".join(tools["h2load"].command("h2load", job).words)
    assert words == "h2load -t1 -c10 -m10 -D1000ms http://127.0.0.1:80/pong"
    assert "--http2 -p 10" in " ".join(tools["oha"].command("oha", job).words)
    assert "--http 2 --streams 10" in " ".join(tools["httpdyno-load"].command("x", job).words)
    plan = load("peers.generators.ours").plan(job)
    assert (plan.http, plan.streams, plan.load.most_open) == ("2", 10, 10)
    once = job.as_once()
    assert (once.row.streams, once.connections) == (1, 1)
    one = jobs.Job(rows["keep-alive-64"], "127.0.0.1:80", 1.0, tmp_path)
    assert "--h1" in tools["h2load"].command("h2load", one).words
    assert load("peers.generators.ours").plan(one).http == "1.1"
    place = trial.Place("reference", 0, 0)
    with pytest.raises(jobs.CannotError, match="is not compared over HTTP/2"):
        trial.trial(tools["wrk"], Path("wrk"), rows["h2c-10x10"], place, 1.0)
