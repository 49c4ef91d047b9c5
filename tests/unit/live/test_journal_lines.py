"""The lines of a journal: its page reads what the run wrote."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from httpdyno.engine import Progress
from httpdyno.running.live.events import (
    ArmFails,
    Note,
    RunBegins,
    RunContinues,
    RunEnds,
    RunPauses,
    Stage,
    TrialBegins,
)
from httpdyno.running.live.journal import EVENTS, Journal
from httpdyno.running.live.recorder import so_far_of
from httpdyno.running.live.records import (
    PlanRecord,
    Record,
    Result,
    Sample,
    VerbBegins,
    WindowTimes,
    read,
)

SAMPLE = Sample(
    phase="measuring",
    elapsed_s=3.0,
    window_s=2.5,
    due=500,
    ok=490,
    failed=10,
    in_flight=3,
    open_connections=8,
    rate_per_s=498.0,
    p50_ns=1_000_000,
    p99_ns=5_000_000,
    lag_p99_ns=20_000,
    errors={"reset": 7},
    so_far=WindowTimes(490, 1_000_000, 2_000_000, 5_000_000),
    busy=0.5,
    server_cpus=0.25,
    server_rss_bytes=1e6,
)
PROGRESS = Progress(
    phase="measuring",
    elapsed_s=3.0,
    due=500,
    sent=500,
    ok=490,
    failed=10,
    in_flight=3,
    open_connections=8,
    rate_per_s=498.0,
    p50_ns=1_000_000,
    p99_ns=5_000_000,
    lag_p99_ns=20_000,
    errors={"reset": 7},
)
RECORDS: list[Record] = [
    VerbBegins(1, "run", "httpdyno run demo", "Demo", "/", 7, 8, "boot"),
    RunBegins(7, "/results", "Demo"),
    Note("one"),
    Stage("checking it", "the server to stop"),
    Stage("checking it"),
    ArmFails("alpha", "build", "no compiler", "logs/alpha.log"),
    ArmFails("alpha", "build", "no compiler", None),
    TrialBegins(3, 9, 12.5, "alpha", "full", "10 connections", 2, "climb", only_point=True),
    PlanRecord("requests", [(100.0, 200.0), (200.0, 200.0)], 0.5, 10.0, None, [0, 1]),
    PlanRecord("closed", [], 0.0, None, 1000.0, [], may_end_early=True),
    SAMPLE,
    Result("alpha", "full", "10 connections", 2, "suspect", ["why"], ["p99"], 9.5, 1.0, 2.0, 0.01),
    Result("alpha", "full", "search", 2, "valid", [], [], task="climb", at_least_per_s=50.0),
    RunPauses("/pause"),
    RunContinues(),
    RunEnds("complete", "", "All is well.", [("suspect", "1 of 2.", "verdicts")], 2, 2, "/a.html"),
    RunEnds("failed", "an error", limits=[]),
]


@pytest.mark.parametrize("record", RECORDS, ids=lambda one: type(one).__name__)
def test_each_record_is_read_as_it_was_written(
    record: Record, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPDYNO_STATE", str(tmp_path))
    folder = tmp_path / "live" / "1-1"
    journal = Journal(folder)
    journal.write(record)
    journal.close()
    line = json.loads((folder / EVENTS).read_text())
    assert read(line["kind"], line) == record


@pytest.mark.parametrize("counts", [[1], [1, 1], [99, 1], [990, 10], [0, 5, 0], range(1, 300)])
def test_the_percentiles_so_far_are_those_of_the_progress(counts: Sequence[int]) -> None:
    so_far = [(1000 * place, count) for place, count in enumerate(counts, 1)]
    shown = replace(PROGRESS, so_far=so_far)
    calls = [ns for ns, count in so_far for _ in range(count)]
    expected = [calls[math.ceil(at * len(calls)) - 1] for at in (0.5, 0.9, 0.99)]
    assert so_far_of(shown) == WindowTimes(len(calls), *expected)


def test_a_line_of_another_version_is_left_out() -> None:
    assert read("of a later version", {"text": "one"}) is None
