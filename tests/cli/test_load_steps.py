"""A load whose rate changes has a row for each step, from the seconds that lie in it."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from httpdyno.cli.load.output.record import LoadRecord
from httpdyno.cli.load.output.steps import StepRecord, steps_of, table
from httpdyno.engine_plan import EnginePlan
from httpdyno.measurement import Measurement
from httpdyno.result import Reason
from httpdyno.verdict import Verdict

from .conftest import Program
from .measurements import MS, measurement
from .plans import OPEN, plan
from .test_load_summary import shown

if TYPE_CHECKING:
    from httpdyno import _engine


def stepped(*steps: tuple[float, float, float | None], **changed: Any) -> EnginePlan:
    """A plan of steps and ramps: the rate at the begin and at the end of each, and its length."""
    segments = [{"from_per_s": a, "to_per_s": b, "seconds": length} for a, b, length in steps]
    return plan(load=OPEN | {"arrivals": {"segments": segments}}, **changed)


def seconds(*told: tuple[int, int, int, int], first: int = 0, **changed: Any) -> Measurement:
    """A measurement of these seconds: right replies, failures, p50 and p99 in ms of each."""
    intervals = [
        {"second": first + n, "due": ok + failed, "sent": ok + failed, "ok": ok, "failed": failed}
        | {"sessions": 0, "p50_ns": p50 * MS, "p99_ns": p99 * MS, "max_ns": p99 * MS}
        for n, (ok, failed, p50, p99) in enumerate(told)
    ]
    return measurement(intervals=intervals, window_s=float(first + len(told)), **changed)


STEPS = (200.0, 200.0, 2.0), (2000.0, 2000.0, 2.0)
SEEN = seconds((200, 0, 1, 4), (199, 1, 1, 9), (1800, 0, 10, 90), (1900, 0, 20, 1200))


def test_each_step_has_its_rates_its_times_and_its_failures_in_the_summary() -> None:
    text = shown(stepped(*STEPS), SEEN)
    assert TABLE in text
    assert "those of a step lie in its range" in " ".join(text.split())
    assert max(map(len, text.splitlines())) <= 80


TABLE = """
by step      offered  answered              p50                p99   failed
0 to 2 s       200/s     200/s          1.00 ms    4.00 to 9.00 ms  0.250 %
2 to 4 s     2,000/s   1,850/s  10.0 to 20.0 ms  90.0 ms to 1.20 s     none
"""


def test_a_step_in_whose_seconds_nothing_happened_has_them() -> None:
    silent = seconds((200, 0, 1, 4), (200, 0, 1, 9)).model_copy(update={"window_s": 4.0})
    assert places(steps_of(stepped(*STEPS), silent)) == [(0.0, 2.0, 2, 400), (2.0, 4.0, 2, 0)]


def test_a_steady_load_a_closed_one_and_one_of_sessions_have_no_steps() -> None:
    assert steps_of(plan(), SEEN) == []
    assert steps_of(plan(load={"kind": "closed", "connections": 1}), SEEN) == []
    assert steps_of(stepped((200, 200, 2), (200, 200, 2)), SEEN) == []
    assert "by step" not in shown(plan(), SEEN)


def places(steps: list[StepRecord]) -> list[tuple[float, float | None, int, int]]:
    return [(one.begins_s, one.ends_s, one.seconds, one.ok) for one in steps]


def test_a_step_has_the_seconds_that_lie_entirely_in_it() -> None:
    seen = seconds(*[(10 * n, 0, 1, 1) for n in range(1, 6)])
    uneven = stepped((100, 100, 1.5), (200, 400, 0.5), (300, 300, 2.2), (400, 400, None))
    found = steps_of(uneven, seen)
    assert places(found) == [
        (0.0, 1.5, 1, 10),
        (1.5, 2.0, 0, 0),
        (2.0, 4.2, 2, 70),
        (4.2, None, 0, 0),
    ]
    assert (found[1].p50_ns, found[1].p99_ns) == (None, None)
    rows = [line.split() for line in table(found, 120).lines()]
    assert rows[2] == ["1.5", "to", "2", "s", "200", "to", "400/s", *"––––"]
    assert rows[4][:4] == ["from", "4.2", "s", "400/s"]


def test_the_warm_up_takes_the_first_steps_and_the_stop_the_last_ones() -> None:
    seen = seconds((1, 0, 1, 1), (2, 0, 1, 1), warm_up_s=2.0)
    many = stepped((100, 100, 1), (200, 200, 2), (300, 300, 1), (400, 400, 1))
    assert places(steps_of(many, seen)) == [(-1.0, 1.0, 1, 1), (1.0, 2.0, 1, 2)]
    assert [line.split()[:3] for line in table(steps_of(many, seen), 120).lines()[1:]] == [
        ["0", "to", "1"],
        ["1", "to", "2"],
    ]


def test_lengths_whose_sum_is_not_exact_end_at_their_seconds() -> None:
    tenths = [(100.0 + n, 100.0 + n, 0.1) for n in range(10)]
    found = steps_of(stepped(*tenths, (500, 500, 1)), seconds((1, 0, 1, 1), (2, 0, 1, 1)))
    assert (found[-1].seconds, found[-1].ok) == (1, 2)


def test_steps_shorter_than_any_second_have_no_rows_and_a_narrow_terminal_no_p50() -> None:
    brief = steps_of(stepped((100, 100, 0.5), (200, 200, 0.5)), seconds((150, 0, 1, 1)))
    assert table(brief, 120).lines() == []
    both = steps_of(stepped(*STEPS), SEEN)
    narrow = table(both, 60).lines()
    assert "p50" not in narrow[0]
    text = shown(stepped(*STEPS), SEEN, width=60)
    assert "a step lie in its range. Not shown: p50; a wider" in " ".join(text.split())
    assert "Not shown: p50;" not in shown(stepped(*STEPS), SEEN, width=120)
    assert "90.0 ms to 1.20 s" in narrow[2]
    assert max(map(len, narrow)) <= 60


def test_a_suspect_number_is_marked_in_the_head_of_the_steps() -> None:
    late = Reason(code="late", status="suspect", text="late", hint="wait", doubts=("p99",))
    head = next(
        line
        for line in shown(stepped(*STEPS), SEEN, Verdict("suspect", (late,))).splitlines()
        if line.startswith("by step")
    )
    assert head.split() == ["by", "step", "offered", "answered", "p50", "p99?", "failed"]


def test_the_steps_of_a_real_load_hold_what_its_calls_took(
    httpdyno: Program, server: _engine.Reference, tmp_path: Path
) -> None:
    url = f"http://{server.address}/hello?delay=uniform:1ms-40ms"
    files = ["--json", "out.json", "--call-log", "calls.csv"]
    answer = httpdyno("load", url, "--rate", "200x2s,400x2s", *files)
    record = LoadRecord.model_validate_json((tmp_path / "out.json").read_text())
    assert [(one.from_per_s, one.seconds, one.due) for one in record.steps] == [
        (200, 2, 400),
        (400, 2, 800),
    ]
    with (tmp_path / "calls.csv").open() as file:
        calls = [(int(row["due_ns"]), int(row["done_ns"])) for row in csv.DictReader(file)]
    for step, (begins, ends) in zip(record.steps, ((0, 2), (2, 4)), strict=True):
        came = sorted(
            done - due for due, done in calls if begins * 1e9 <= done - _start(calls) < ends * 1e9
        )
        assert step.ok == pytest.approx(len(came), abs=2)
        for share, told in ((0.5, step.p50_ns), (0.99, step.p99_ns)):
            assert told is not None
            value = came[round(share * len(came)) - 1]
            assert 0.98 * told[0] <= value <= 1.02 * told[1]
    assert "2 to 4 s" in answer.stdout
    assert "400/s" in answer.stdout


def _start(calls: list[tuple[int, int]]) -> int:
    """The start of the window: the first call was due then."""
    return min(due for due, _ in calls)
