"""The typed face of the engine: its stub, its plan, its errors, a run and its interruption."""

from __future__ import annotations

import ast
import ctypes
import json
import os
import platform
import socket
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpdyno
import pytest
from httpdyno import _engine, engine
from httpdyno.choices import PHASES
from httpdyno.cli.load.output.progress import View
from httpdyno.engine_plan import (
    Arrivals,
    ClosedLoad,
    EnginePlan,
    Request,
    RequestsLoad,
    Segment,
    SessionsLoad,
    Source,
    Stop,
    Target,
    Timeouts,
    to_json,
)
from httpdyno.engine_plan.reading import read_json
from httpdyno.errors import TargetError, UsageError
from httpdyno.running.live.events import PlanProgress

PAGES = [("/hello", "text/plain", b"Hello, World!")]


def _public(names: list[str]) -> set[str]:
    return {name for name in names if not name.startswith("_") or name == "__new__"} - {"__new__"}


def test_the_stub_names_what_the_binary_has() -> None:
    stub = Path(httpdyno.__file__).with_name("_engine.pyi")
    tree = ast.parse(stub.read_text(encoding="utf-8"))
    declared = {n.name: n for n in tree.body if isinstance(n, ast.ClassDef | ast.FunctionDef)}
    assert set(declared) == _public(dir(_engine))
    for name in ("Reference", "Run"):
        node = declared[name]
        assert isinstance(node, ast.ClassDef)
        assert _members(node) == _public(dir(getattr(_engine, name)))


def _members(node: ast.ClassDef) -> set[str]:
    functions = [each.name for each in node.body if isinstance(each, ast.FunctionDef)]
    fields = [
        each.target.id
        for each in node.body
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
    ]
    return _public(functions + fields)


def test_the_plan_is_the_json_that_the_engine_reads() -> None:
    plan = EnginePlan(
        target=Target(port=8080), load=ClosedLoad(connections=64), stop=Stop(duration_s=10)
    )
    assert json.loads(to_json(plan)) == {
        "target": {"host": "127.0.0.1", "port": 8080, "unix": None, "tls": None},
        "http": "1.1",
        "http2": None,
        "keep_alive": True,
        "requests": [
            {
                "name": None,
                "method": "GET",
                "path": "/",
                "headers": [],
                "body": None,
                "raw": None,
                "placeholders": False,
                "grpc": False,
                "keep": [],
                "weight": 1,
                "expect": {
                    "status": None,
                    "wrong_status": None,
                    "body": None,
                    "check_one_in": 1,
                    "decode": None,
                },
            }
        ],
        "data": [],
        "load": {"kind": "closed", "connections": 64},
        "scripts": None,
        "calls_per_connection": None,
        "burst": 1,
        "think_s": 0.0,
        "timeouts": {"connect_s": 5.0, "first_byte_s": None, "reply_s": 30.0, "idle_s": None},
        "warm_up_s": 0.0,
        "stop": {"count": None, "duration_s": 10.0, "drain_s": 5.0, "until": None},
        "driver": "auto",
        "threads": 1,
        "cpus": None,
        "source": {
            "addresses": [],
            "ports": None,
            "close_with_reset": False,
            "send_buffer_bytes": None,
            "receive_buffer_bytes": None,
        },
        "proxy": None,
        "seed": 1,
        "spin": False,
        "low_latency": False,
        "shared_cpus": False,
        "kernel_timestamps": False,
        "over_time": False,
        "slowest": 0,
        "call_log": None,
        "trace": None,
        "preflight": True,
        "part": None,
    }


@pytest.mark.parametrize(
    "load",
    [
        RequestsLoad(arrivals=Arrivals.steady(5.0, "exponential"), connections=3),
        SessionsLoad(arrivals=Arrivals.steady(5.0), calls=10, max_open=None),
        ClosedLoad(connections=1),
    ],
)
def test_a_plan_survives_its_json(load: Any) -> None:
    plan = EnginePlan(
        target=Target(), load=load, stop=Stop(count=1), source=Source(ports=(1024, 2048))
    )
    assert read_json(to_json(plan)) == plan


def test_a_plan_without_an_end_and_steps_without_a_length_are_refused() -> None:
    with pytest.raises(ValueError, match="a run needs an end"):
        Stop()
    endless = Segment(from_per_s=1, to_per_s=1)
    with pytest.raises(ValueError, match="only the last segment"):
        Arrivals(segments=[endless, endless])


def _plan(address: str, stop: Stop) -> EnginePlan:
    host, _, port = address.rpartition(":")
    return EnginePlan(
        target=Target(host=host, port=int(port)),
        requests=[Request(path="/hello")],
        load=ClosedLoad(connections=4),
        stop=stop,
    )


def test_a_run_ends_in_a_measurement_whose_counts_are_the_server_s() -> None:
    with engine.reference(pages=PAGES) as server:
        measurement = engine.measure(_plan(server.address, Stop(count=500)))
        assert measurement.calls.ok == server.requests == 500
        assert measurement.stopped_by == "count"


def test_an_interrupted_run_keeps_its_partial_result() -> None:
    told: list[engine.Progress] = []

    def interrupted(progress: engine.Progress) -> None:
        if progress.ok and not told:
            told.append(progress)
            raise KeyboardInterrupt

    with engine.reference(pages=PAGES) as server:
        plan = _plan(server.address, Stop(duration_s=100))
        measurement = engine.measure(plan, interrupted, every_s=0.05)
    assert measurement.stopped_by == "interrupt"
    assert measurement.calls.ok > 0
    assert len(told) == 1


def test_a_second_interrupt_stops_the_waiting_and_keeps_the_partial_result() -> None:
    def interrupted(progress: engine.Progress) -> None:
        if progress.in_flight == 4:
            raise KeyboardInterrupt

    with engine.reference(pages=PAGES) as server:
        plan = _plan(server.address, Stop(duration_s=100, drain_s=100))
        silent = Request(path="/hello?fault=never")
        measurement = engine.measure(replace(plan, requests=[silent]), interrupted, every_s=0.05)
    assert (measurement.stopped_by, measurement.calls.in_flight) == ("interrupt", 4)


def test_a_run_can_be_watched_and_stopped_while_it_connects() -> None:
    with (
        socket.create_server(("127.0.0.1", 0), backlog=0) as silent,
        socket.create_connection(silent.getsockname()),
    ):
        plan = _plan("{}:{}".format(*silent.getsockname()), Stop(duration_s=100))
        plan = replace(plan, timeouts=Timeouts(connect_s=100))
        running = engine.start(plan)
        assert running.progress().phase == "connecting"
        assert not running.wait("warm_up", 0)
        running.stop()
        assert running.result().calls.due == 0


def test_a_target_that_cannot_be_reached_is_an_error_of_the_run() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        address = "{}:{}".format(*closed.getsockname())
    with pytest.raises(TargetError, match=f"`{address}` cannot be reached: Connection refused"):
        engine.measure(_plan(address, Stop(count=1)))


def test_every_phase_is_known_to_the_engine_and_has_its_words() -> None:
    with engine.reference(pages=PAGES) as server:
        plan = _plan(server.address, Stop(count=1))
        running = engine.start(plan)
        view = View("about", plan)
        assert running.result().calls.ok == 1
        for phase in PHASES:
            assert running.wait(phase, 0)
            view(PlanProgress(replace(running.progress(), phase=phase)))
            assert any("1 ok" in line for line in view.lines(80, 24))


class UnknownField:
    """A run whose snapshots have a field that this version does not know."""

    def __init__(self, run: Any) -> None:
        self._run = run
        self.read = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._run, name)

    def progress(self) -> str:
        self.read += 1
        return json.dumps({**json.loads(self._run.progress()), "mood": "surprised"})


def test_a_progress_that_cannot_be_read_ends_no_run() -> None:
    with engine.reference(pages=PAGES) as server:
        plan = _plan(server.address, Stop(duration_s=0.3))
        run = UnknownField(_engine.start(to_json(plan)))
        running = engine.Running(run)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="mood"):
            running.progress()
        heard: list[engine.Progress] = []
        running.follow("done", heard.append, every_s=0.01)
        assert running.result().stopped_by == "duration"
    assert run.read > 1
    assert heard == []


def test_a_listener_that_fails_ends_no_run() -> None:
    told = []

    def fail(progress: engine.Progress) -> None:
        told.append(progress)
        raise OSError("the terminal is gone")

    with engine.reference(pages=PAGES) as server:
        plan = _plan(server.address, Stop(duration_s=0.3))
        assert engine.measure(plan, fail, every_s=0.01).stopped_by == "duration"
    assert len(told) > 1


def test_an_error_inside_ends_the_run_at_once() -> None:
    with engine.reference(pages=PAGES) as server:
        plan = _plan(server.address, Stop(duration_s=3600))
        with pytest.raises(ZeroDivisionError), engine.start(plan) as running:
            raise ZeroDivisionError
        assert running.wait("done", 60)


def test_quantiles_and_percentile_text_come_from_the_same_histogram() -> None:
    with engine.reference(pages=PAGES) as server:
        response = engine.measure(_plan(server.address, Stop(count=300))).times.response
    assert engine.quantiles(response.hdr, [0.5, 0.99]) == [response.p50_ns, response.p99_ns]
    assert "Total count    =          300" in engine.hgrm(response.hdr)


def test_a_plan_that_the_engine_refuses_is_a_usage_error_in_words() -> None:
    plan = EnginePlan(
        target=Target(port=9),
        load=ClosedLoad(connections=1),
        stop=Stop(count=1),
        requests=[Request(path="no slash")],
    )
    with pytest.raises(UsageError, match="no slash"):
        engine.start(plan)


def test_the_driver_that_is_chosen_is_one_that_works() -> None:
    found = engine.probe()
    assert getattr(found, found.chosen) is None
    assert found.reason


def _slice_ns(task: int) -> int:
    """The time slice of a thread (`sched_getattr(2)`); 0: it is not known here."""
    attributes = (ctypes.c_uint64 * 6)()
    if platform.machine() == "x86_64":
        ctypes.CDLL(None).syscall(315, task, attributes, ctypes.sizeof(attributes), 0)
    return int(attributes[3])


@pytest.mark.parametrize("shared", [False, True])
def test_what_follows_a_run_stays_on_the_engines_own_processors_meanwhile(shared: bool) -> None:
    before = os.sched_getaffinity(0)
    if len(before) < 2:
        pytest.skip("this machine has one processor")
    seen, slices = [], set[int]()
    with engine.reference(pages=[("/", "text/plain", b"hello")]) as server:
        host, _, port = server.address.rpartition(":")
        plan = EnginePlan(
            target=Target(host=host, port=int(port)),
            requests=[Request(path="/")],
            load=ClosedLoad(connections=1),
            stop=Stop(duration_s=0.5),
            cpus=[max(before)],
            shared_cpus=shared,
        )
        with engine.start(plan) as running:
            running.wait("measuring", 60)
            slices |= {_slice_ns(int(one.name)) for one in Path("/proc/self/task").iterdir()}
            running.follow("done", lambda _: seen.append(os.sched_getaffinity(0)), 0.05)
    assert seen
    assert set(map(frozenset, seen)) == {frozenset(before if shared else {max(before)})}
    if slices != {0}:  # Linux before 6.12 has no slices of one's own
        assert (100_000 in slices) is not shared
    assert os.sched_getaffinity(0) == before
