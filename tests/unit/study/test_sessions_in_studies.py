"""Workloads that are sessions, in studies: the loads that can send them, and the engine's plans."""

from __future__ import annotations

from pathlib import Path

import pytest
from httpdyno.comparison.loads import SAME_RATE, deciding_loads, rate_for, same_rate
from httpdyno.comparison.study import Work
from httpdyno.engine_plan import EnginePlan, SessionsLoad, Target
from httpdyno.errors import UsageError
from httpdyno.host.pinning import split
from httpdyno.plan import Plan
from httpdyno.run import read_study
from httpdyno.running.measuring.ceiling import closed, for_reference
from httpdyno.running.measuring.engine_plan import engine_plan
from httpdyno.running.own import context_of
from httpdyno.servers import load_catalogue
from httpdyno.servers.check.session import called_in_session
from httpdyno.study import Study

ARM = '[[arms]]\nname = "mine"\nurl = "http://127.0.0.1:3000"\n'
VISIT = """\
[workloads.visit]
session = true
[[workloads.visit.requests]]
path = "/login"
body = "{uuid}"
keep = { token = { json = "/token" } }
[[workloads.visit.requests]]
path = "/items/{random:1:9}?t={token}"
headers = { Authorization = "Bearer {token}", X-Id = "{uuid}" }
weight = 3
think = "200ms"
[[workloads.visit.requests]]
path = "/orders"
body = '{"item": {random:1:9}, "by": "{token}"}'
"""


def read(folder: Path, text: str) -> Study:
    file = folder / "own.toml"
    file.write_text(f'title = "Own"\n{text}', encoding="utf-8")
    return read_study(file, load_catalogue())


def faults(folder: Path, text: str) -> list[str]:
    with pytest.raises(UsageError) as caught:
        read(folder, text)
    return [line.replace(f"{folder}/", "") for line in caught.value.message.splitlines()]


def plans(study: Study) -> list[EnginePlan]:
    workload = context_of(study).workloads["visit"]
    at = ("127.0.0.1", 8080)
    return [engine_plan(cell, workload, at, split([0, 1], 1), seed=9) for cell in Plan(study).cells]


def test_a_load_sends_the_session_of_its_workload(tmp_path: Path) -> None:
    loads = """\
[loads.users]
kind = "closed"
connections = [2, 5]
duration = 1
think = "1s"
[loads.arriving]
kind = "sessions"
rate = 20
duration = 1
"""
    study = read(tmp_path, ARM + VISIT + loads)
    two, five, arriving = plans(study)
    assert (two.load.schedule, two.load.most_open) == (None, 2)
    assert (five.load.schedule, five.load.most_open) == (None, 5)
    assert arriving.load.schedule is not None
    assert arriving.load.schedule.highest_per_s == 20
    for one in (two, five, arriving):
        assert isinstance(one.load, SessionsLoad)
        assert one.calls_per_session == 5
        assert one.scripts is not None
        assert [step.requests for step in one.scripts[0]] == [[0], [1], [1], [1], [2]]
    assert two.scripts is not None
    assert [step.think_s for step in two.scripts[0]] == [1, 0.2, 0.2, 0.2, 1]
    assert study.loads["arriving"].calls_per_arrival == 5
    assert "20.0/s sessions of 5 calls" in study.loads["arriving"].in_words()


def test_the_ceiling_is_that_of_sessions_without_pauses_or_kept_values(tmp_path: Path) -> None:
    load = '[loads.users]\nkind = "closed"\nduration = 1\n'
    study = read(tmp_path, ARM + VISIT + load)
    (cell,) = Plan(study).cells
    workload = for_reference(context_of(study).workloads["visit"], [3, 4, 5])
    plan = engine_plan(closed(cell, 0.2), workload, ("h", 1), split([0, 1], 1), seed=1)
    assert plan.scripts is not None
    assert {step.think_s for step in plan.scripts[0]} == {0.0}
    assert not any(one.keep for one in plan.requests)
    headers = [value for one in plan.requests for _, value in one.headers]
    assert headers == ["Bearer {{token}}", "{uuid}"]


@pytest.mark.parametrize(
    ("load", "fault"),
    [
        (
            'kind = "requests"\nrate = 5\nduration = 1',
            "own.toml:20: the workload `visit` is a session, whose calls follow each other:"
            ' expected `kind = "sessions"`, with sessions per second as `rate`',
        ),
        (
            'kind = "closed"\nburst = 2\nduration = 1',
            "own.toml:21: the workload `visit` is a session, which has its calls: expected"
            " [loads.one] without `burst`",
        ),
        (
            'kind = "closed"\nrequests = 9',
            "own.toml:21: the workload `visit` is a session, which has its calls: expected"
            " [loads.one] without `requests`",
        ),
        (
            'kind = "closed"\nduration = 1\n[quick.loads.one]\nrequests = 9',
            "own.toml:23: the workload `visit` is a session, which has its calls: expected"
            " [quick.loads.one] without `requests`",
        ),
        (
            'kind = "capacity"\nlimits = ["p99<1s"]\ncalls_per_connection = 2',
            "own.toml:22: the workload `visit` is a session, which has its calls: expected"
            " [loads.one] without `calls_per_connection`",
        ),
        (
            'kind = "sessions"\nrate = 2\ncalls = 4\nduration = 1',
            "own.toml:22: `calls` is 4, but a session has 5 of `visit`: expected it without"
            " `calls`",
        ),
    ],
)
def test_a_load_that_cannot_send_sessions_says_what_to_write(
    tmp_path: Path, load: str, fault: str
) -> None:
    assert faults(tmp_path, f"{ARM}{VISIT}[loads.one]\n{load}\n") == [fault]


def test_sessions_of_different_lengths_need_a_load_each(tmp_path: Path) -> None:
    arms = ARM + 'workload = "visit"\n[[arms]]\nname = "b"\nurl = "http://h:1"\nworkload = "two"\n'
    two = '[workloads.two]\nsession = true\nrequests = [{ path = "/" }, { path = "/a" }]\n'
    load = '[loads.one]\nkind = "sessions"\nrate = 2\nduration = 1\n'
    (fault,) = faults(tmp_path, arms + VISIT + two + load)
    assert fault.endswith(
        "[loads.one] has sessions of different numbers of calls (5 of `visit` and 2 of `two`):"
        " expected a load for each, with `arms`"
    )
    own = '[loads.{0}]\nkind = "sessions"\nrate = 2\nduration = 1\narms = ["{1}"]\n'
    each = own.format("one", "mine visit") + own.format("two", "b two")
    study = read(tmp_path, arms + VISIT + two + each)
    assert [load.calls_per_arrival for load in study.loads.values()] == [5, 2]


def test_a_value_that_no_call_before_keeps_is_a_fault(tmp_path: Path) -> None:
    load = '[loads.users]\nkind = "closed"\nduration = 1\n'
    study = read(tmp_path, ARM + VISIT.replace("/login", "/login?{token}") + load)
    workload = context_of(study).workloads["visit"]
    with pytest.raises(UsageError, match=r"`\{token\}` is used before a call of its session"):
        called_in_session(Target(port=1), workload)


def test_a_comparison_at_one_rate_has_sessions_without_pauses() -> None:
    table = {"session": True, "requests": [{"path": "/a", "think": "1s", "weight": 3}]}
    work = Work("visit", {"workload": "visit", "workloads": {"visit": table}})
    assert work.calls == 3
    assert work.without_pauses.keys["workloads"] == {
        "visit": {"session": True, "requests": [{"path": "/a", "weight": 3}]}
    }
    rate = rate_for({"a": 600.0, "b": 900.0}, work.calls)
    loads = same_rate(rate, 1.0, calls=work.calls)
    assert (rate, loads[SAME_RATE].kind) == (100.0, "sessions")
    assert deciding_loads(loads, cpu=False) == {"p99": SAME_RATE}
