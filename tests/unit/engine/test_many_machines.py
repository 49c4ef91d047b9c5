"""One plan on several machines: its parts, a start at an instant, and the merged measurement."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from call_arrays import Calls, calls_of
from httpdyno import engine
from httpdyno.engine_plan import (
    Arrivals,
    CallLimit,
    ClosedLoad,
    EnginePlan,
    Expect,
    PlanPart,
    Request,
    RequestsLoad,
    SessionsLoad,
    Stop,
    Target,
    Text,
    Until,
    to_json,
)
from httpdyno.errors import UsageError
from httpdyno.measurement import Measurement

PAGES = [("/hello", "text/plain", b"Hello, World!")]
PARTS = 2
COUNT = 4001
AHEAD_NS = 1_000_000_000

NODE = """
import sys
from pathlib import Path
from httpdyno import engine
from httpdyno.engine_plan.reading import read_json

plan, folder = sys.argv[1:]
print("loaded", flush=True)
with engine.start(read_json(plan), int(input())) as running:
    whole = running.whole()
    Path(folder, "whole").write_bytes(whole)
    Path(folder, "log").write_bytes(running.call_log().records)
    Path(folder, "result").write_text(running.result().model_dump_json())
"""
"""A load generator, a process of its own. Once it is loaded, it is told when to start."""


@pytest.fixture
def server() -> Iterator[Any]:
    with engine.reference(pages=PAGES) as reference:
        yield reference


def plan(server: Any, load: Any, **more: Any) -> EnginePlan:
    host, port = server.address.split(":")
    ok = Expect(status=[200], body=Text(text="Hello, World!"))
    fields = {
        "target": Target(host=host, port=int(port)),
        "requests": [Request(path="/hello", expect=ok)],
        "load": load,
        "stop": Stop(count=COUNT),
        "call_log": CallLimit(),
        **more,
    }
    return EnginePlan(**fields)


def part(whole: EnginePlan, index: int, of: int = PARTS) -> EnginePlan:
    return replace(whole, part=PlanPart(index=index, of=of))


def on_machines(whole: EnginePlan, folder: Path) -> list[Path]:
    """Runs all parts at once, each in a process of its own; a folder with the files of each."""
    running = []
    pipe = subprocess.PIPE
    for index in range(PARTS):
        place = folder / str(index)
        place.mkdir()
        document = to_json(part(whole, index))
        argv = [sys.executable, "-c", NODE, document, str(place)]
        running.append((place, subprocess.Popen(argv, stdin=pipe, stdout=pipe, text=True)))
    for _, process in running:
        assert process.stdout is not None
        assert process.stdout.readline() == "loaded\n"
    at = time.time_ns() + AHEAD_NS
    for _, process in running:
        assert process.stdin is not None
        process.stdin.write(f"{at}\n")
        process.stdin.flush()
    for _, process in running:
        process.communicate(timeout=60)
        assert process.returncode == 0
    return [place for place, _ in running]


def logs(places: list[Path]) -> Calls:
    return np.concatenate([calls_of((place / "log").read_bytes()) for place in places])


def merged(whole: EnginePlan, places: list[Path]) -> Measurement:
    return engine.merge(whole, [(place / "whole").read_bytes() for place in places])


RATE = 4000.0
STEADY = RequestsLoad(arrivals=Arrivals.steady(RATE), connections=51)
LOADS = {
    "closed": ClosedLoad(connections=5),
    "requests": STEADY,
    "random": RequestsLoad(arrivals=Arrivals.steady(RATE, "exponential"), connections=51),
    "sessions": SessionsLoad(arrivals=Arrivals.steady(RATE)),
    "successive": SessionsLoad(arrivals=None, max_open=3),
}


@pytest.mark.parametrize("name", LOADS)
def test_two_processes_together_measure_what_one_histogram_of_all_their_calls_shows(
    server: Any, tmp_path: Path, name: str
) -> None:
    whole = plan(server, LOADS[name])
    places = on_machines(whole, tmp_path)
    all_calls, together = logs(places), merged(whole, places)

    preflights = 0  # A connection without a request.
    assert server.requests == COUNT + preflights
    assert len(all_calls) == together.calls.ok == together.calls.due == COUNT
    assert together.connections.opened == sum(
        Measurement.model_validate_json((place / "result").read_text()).connections.opened
        for place in places
    )
    took = np.sort(all_calls["done_ns"] - all_calls["due_ns"])
    for share in (0.5, 0.9, 0.99, 0.999):
        raw = int(took[int(np.ceil(share * COUNT)) - 1])
        [found] = engine.quantiles(together.times.response.hdr, [share])
        # A bucket is 1/1,024 of its values wide or narrower; one more on either side.
        assert abs(found - raw) <= 2 + raw / 500, share
    assert together.times.response.max_ns == took[-1]
    assert together.nodes is not None
    assert [node.name for node in together.nodes] == ["1", "2"]
    assert sum(node.ok for node in together.nodes) == COUNT
    assert sum(second.ok for second in together.intervals) == COUNT


def test_constant_arrivals_of_two_processes_are_the_schedule_of_one_to_the_nanosecond(
    server: Any, tmp_path: Path
) -> None:
    whole = plan(server, STEADY)
    due = np.sort(logs(on_machines(whole, tmp_path))["due_ns"])
    assert due.tolist() == [round(n * 1e9 / RATE) for n in range(COUNT)]


def test_each_session_of_several_machines_follows_the_script_of_its_number(
    server: Any, tmp_path: Path
) -> None:
    load = SessionsLoad(arrivals=Arrivals.steady(500.0))
    scripts: Any = [[{"requests": [0] * calls}] for calls in (1, 2, 3)]
    whole = plan(server, load, scripts=scripts, stop=Stop(count=300))
    together = merged(whole, on_machines(whole, tmp_path))
    assert together.sessions is not None
    assert together.sessions.completed == 300
    assert together.sessions.lengths == [0, 100, 100, 100]
    assert together.calls.ok == 600


def alone(whole: EnginePlan) -> tuple[Measurement, bytes]:
    with engine.start(whole) as running:
        return running.result(), running.whole()


@pytest.mark.parametrize("name", LOADS)
def test_a_single_result_merged_is_that_result(server: Any, name: str) -> None:
    whole = plan(server, LOADS[name], warm_up_s=0.1, stop=Stop(duration_s=0.4), threads=2)
    result, kept = alone(whole)
    together = engine.merge(whole, [kept])
    assert together.nodes is not None
    [node] = together.nodes
    assert node.p99_ns == result.times.response.p99_ns
    assert together.model_copy(update={"nodes": None}) == result


def test_what_cannot_be_merged_is_refused_with_the_reason(server: Any) -> None:
    whole = plan(server, STEADY, stop=Stop(count=40))
    first, second = (alone(part(whole, index))[1] for index in range(PARTS))
    other = alone(part(whole, 1, of=3))[1]
    another_plan = replace(whole, burst=2, seed=7)
    cases = [
        (whole, [], "no result"),
        (whole, [first], "part 2 of 2 is missing"),
        (whole, [first, second, first], "part 1 of 2 has two results"),
        (whole, [first, other], "expected those of one run"),
        (another_plan, [first, second], "result 1 of 2 is of another plan: `burst`, `seed`"),
        (whole, [first, second[:-1]], "result 2 of 2 cannot be merged"),
        (whole, [first + b"x", second], "bytes follow its end"),
        (whole, [first, b"{}"], "no result of this engine"),
    ]
    for given, results, words in cases:
        with pytest.raises(UsageError, match=words):
            engine.merge(given, results)
    one_more_thread = replace(whole, threads=4, cpus=[0])
    assert engine.merge(one_more_thread, [second, first]).calls.ok == 40


def test_more_load_generators_than_can_share_a_plan_are_refused(server: Any) -> None:
    cases: list[tuple[EnginePlan, str]] = [
        (plan(server, ClosedLoad(connections=2)), "`2` connections cannot be shared by 3"),
        (plan(server, STEADY, stop=Stop(count=2)), "`2` calls cannot be shared by 3"),
        (plan(server, LOADS["successive"], stop=Stop(count=1)), "`1` sessions cannot be shared"),
        (
            plan(server, STEADY, stop=Stop(duration_s=1, until=Until(quantile=0.5, within=0.1))),
            "expected a count or a duration",
        ),
    ]
    for whole, words in cases:
        with pytest.raises(UsageError, match=words):
            engine.start(part(whole, 0, of=3))
    with pytest.raises(ValueError, match="expected an index below 2"):
        PlanPart(index=2, of=2)


def test_a_run_starts_at_its_instant_and_says_so(server: Any) -> None:
    at = time.time_ns() + 300_000_000
    with engine.start(plan(server, STEADY, stop=Stop(count=10)), at) as running:
        assert running.progress().phase == "connecting"
        result = running.result()
        started = running.started_at_ns
    assert started is not None
    # Two readings of the same clock: apart by their error, and by what the kernel slews meanwhile.
    assert abs(started - at) < 1_000_000
    assert result.started_at == pytest.approx(at * 1e-9, abs=1e-3)
    assert time.time_ns() >= at


def test_without_an_instant_the_start_is_that_of_the_schedule(server: Any) -> None:
    before = time.time_ns()
    with engine.start(plan(server, STEADY, stop=Stop(count=10))) as running:
        running.result()
        assert running.started_at_ns is not None
        assert before <= running.started_at_ns <= time.time_ns()


def test_a_start_that_has_passed_or_is_far_ahead_is_refused(server: Any) -> None:
    whole = plan(server, STEADY)
    with pytest.raises(UsageError, match="is in the past"):
        engine.start(whole, time.time_ns() - 1_000_000)
    with pytest.raises(UsageError, match="expected at most 60 s"):
        engine.start(whole, time.time_ns() + 70_000_000_000)
    assert server.requests == 0


def test_a_stop_before_the_instant_ends_the_run_without_a_call(server: Any) -> None:
    running = engine.start(plan(server, STEADY), time.time_ns() + 50_000_000_000)
    running.stop()
    assert running.wait("done", 20)
    result = running.result()
    assert (result.calls.due, result.stopped_by) == (0, "interrupt")
    assert running.started_at_ns is None
    assert server.requests == 0


def test_the_nodes_of_a_measurement_are_optional_in_its_json(server: Any) -> None:
    result, _ = alone(plan(server, STEADY, stop=Stop(count=10)))
    document = json.loads(result.model_dump_json())
    assert document.pop("nodes") is None
    assert Measurement.model_validate(document) == result
