"""`load --workload` with a session: its requests are calls in order, with pauses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from httpdyno.cli.faults import Faults
from httpdyno.cli.load.arguments.flags import LoadFlags, flags_of
from httpdyno.cli.load.arguments.plan import plan_of
from httpdyno.cli.load.output.record import LoadRecord
from httpdyno.cli.load.output.words import describe_load
from httpdyno.engine_plan import EnginePlan
from httpdyno.errors import UsageError
from httpdyno.study.read import load_workload
from request_recorder import recording

from .conftest import Program

OK, USAGE = 0, 2
VISIT = """\
session = true

[[requests]]
path = "/a"
think = "10ms"

[[requests]]
path = "/b"
weight = 2

[[requests]]
path = "/c"
body = "x"
think = 0
"""


@pytest.fixture
def visit(tmp_path: Path) -> Path:
    """A workload in the folder of the program."""
    file = tmp_path / "visit.toml"
    file.write_text(VISIT)
    return file


def planned(file: Path, **flags: Any) -> EnginePlan:
    """The plan for these flags."""
    return plan_of(LoadFlags(url="http://h", workload=str(file), **flags), Faults("help"))


def test_the_requests_are_the_steps_of_a_session_each_as_often_as_its_weight(visit: Path) -> None:
    plan = planned(visit, think="2s")
    assert [one.path for one in plan.requests] == ["/a", "/b", "/c"]
    assert plan.scripts is not None
    (script,) = plan.scripts
    steps = [(step.requests, step.think_s) for step in script]
    assert steps == [([0], 0.01), ([1], 2.0), ([1], 2.0), ([2], 0.0)]


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ({}, "closed load, 1 session at a time, 4 calls each, HTTP/1.1"),
        ({"connections": "3"}, "closed load, 3 sessions at a time, 4 calls each"),
        ({"sessions": "20"}, "open load, 20.0/s sessions, 4 calls each"),
    ],
)
def test_sessions_follow_one_another_unless_a_rate_is_given(
    flags: dict[str, Any], words: str, visit: Path
) -> None:
    assert describe_load(planned(visit, **flags)).startswith(words)


@pytest.mark.usefixtures("visit")
@pytest.mark.parametrize("rate", [[], ["--sessions", "200"]])
def test_each_session_sends_its_calls_in_order_on_a_connection_of_its_own(
    rate: list[str], called: Program
) -> None:
    with recording() as server:
        flags = ["--workload", "./visit.toml", "-n", "3", "-q", "--json", "-", "--warm-up", "0"]
        answer = called("load", server.url, *flags, *rate)
    assert answer.returncode == OK, answer.stderr
    sessions = [
        [request.split(b" HTTP")[0].decode() for request in requests]
        for requests in server.by_connection
        if requests
    ]
    assert sessions == [["GET /a", "GET /b", "GET /b", "POST /c"]] * 3
    measured = LoadRecord.model_validate_json(answer.stdout).measurement
    assert measured.sessions is not None
    assert (measured.sessions.completed, measured.calls.ok) == (3, 12)


@pytest.mark.parametrize(
    ("flags", "fault"),
    [
        (
            ["--rate", "5"],
            "is a session, which has its calls: expected `--workload` without `--rate`",
        ),
        (["--sessions", "5", "--calls", "2"], "expected `--workload` without `--calls`"),
        (["--burst", "2"], "expected `--workload` without `--burst`"),
    ],
)
def test_flags_that_contradict_a_session_are_faults(
    flags: list[str], fault: str, visit: Path
) -> None:
    with pytest.raises(UsageError) as raised:
        plan_of(flags_of(["http://h", "--workload", str(visit), *flags]), Faults("help"))
    assert fault in raised.value.message


def test_flags_of_sessions_apply_to_a_session_of_a_workload(visit: Path) -> None:
    load: Any = planned(visit, on_wrong="fail", session_cookies=True).load
    assert (load.on_wrong, load.cookies, load.max_open) == ("fail", True, 1)


def test_a_pause_without_a_session_is_a_fault(tmp_path: Path) -> None:
    file = tmp_path / "mix.toml"
    file.write_text('[[requests]]\npath = "/"\nthink = "1s"\n')
    with pytest.raises(UsageError) as raised:
        load_workload(file)
    assert f"{file}:3: `think` is the pause of a session: expected `session = true`" in str(
        raised.value.message
    )


def test_weights_of_a_session_need_no_common_rotation(tmp_path: Path) -> None:
    file = tmp_path / "long.toml"
    requests = '[[requests]]\npath = "/a"\nweight = 9999\n[[requests]]\npath = "/b"\nweight = 2\n'
    file.write_text(f"session = true\n{requests}")
    assert load_workload(file)[1].session
    file.write_text(requests)
    with pytest.raises(UsageError, match="the weights of"):
        load_workload(file)
