"""Proposals of hints can be pasted: a flag behind the command, a line into the study."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest
from httpdyno.cli.faults import Faults
from httpdyno.cli.load.arguments.flags import flags_of
from httpdyno.cli.load.arguments.plan import plan_of
from httpdyno.engine_plan import EnginePlan
from httpdyno.host.pinning import Pinning
from httpdyno.limits.budget import Budget
from httpdyno.limits.thresholds import parse_threshold
from httpdyno.measurement import Measurement
from httpdyno.plan import Plan
from httpdyno.running.measuring.engine_plan import engine_plan
from httpdyno.study.read import parse_study
from httpdyno.verdict import RULES, Context, judge
from httpdyno.verdict.contention import Contention
from httpdyno.workloads import get
from measured import Change, calls, measurement, of_sessions, plan, time
from test_verdict import BY_CONTEXT, TABLE

COMMANDS = {
    "closed": "-c 10 -d 10s --warm-up 1s",
    "closed and counted": "-n 500",
    "requests": "--rate 1000 -c 10 -d 10s --warm-up 1s",
    "requests and counted": "--rate 1000 -n 500",
    "precise": "--rate 1000 --until p99±2%",
    "sessions": "--sessions 100 --calls 10 -c 20 -d 10s",
    "sessions and counted": "--sessions 100 --calls 10 -n 50",
    "busy-waiting": "--rate 1000 -d 10s --spin",
    "low latency": "--rate 1000 -d 10s --low-latency",
    "HTTP/2": "--http2 --streams 4 --rate 1000 -d 10s",
    "ramp": "--rate 100:2000/10s",
}
STUDY = """\
title = "Hints"
[[arms]]
server = "mine"
deployments = ["1-process"]
[loads.x]
"""
STUDY_LOADS = {
    "closed": 'kind = "closed"\nconnections = 10\nduration = "10s"',
    "requests": 'kind = "requests"\nrate = 1000\nconnections = 10\nduration = "10s"',
    "requests and counted": 'kind = "requests"\nrate = 1000\nrequests = 500',
    "sessions": 'kind = "sessions"\nrate = 100\ncalls = 10\nmax_open = 9\nduration = "10s"',
    "sessions and counted": 'kind = "sessions"\nrate = 100\ncalls = 10\nsessions = 50',
}
FLAGS = {
    *(
        "--connections",
        "--drain",
        "--expect",
        "--duration",
        "--expect-status",
        "--rate",
        "--requests",
    ),
    *("--window", "--connection-window"),
    *("--fail-if", "--low-latency", "--sessions", "--spin", "--threads", "--until", "--warm-up"),
}
KEYS = {
    "connections",
    "duration",
    "error_budget",
    "max_open",
    "rate",
    "requests",
    "sessions",
    "warm_up",
}
DOCTOR = "httpdyno doctor"
"""A command that is right in every verb."""
CHECK = "httpdyno servers check mine --deployment 1-process"
EVERY_DOUBT = [
    ({}, {"contention": Contention(0.4, 2)}),
    *((changes, {}) for changes, _ in TABLE.values()),
    *(({}, context) for context, _ in BY_CONTEXT.values()),
    ({"calls": calls(0, wrong_status=9), "completed_in_window": 0, "statuses": {"404": 9}}, {}),
    *(
        ({"calls": calls(0, wrong_status=9), "completed_in_window": 0, "statuses": statuses}, {})
        for statuses in ({"101": 9}, {"404": 8, "other": 1})
    ),
    ({"calls": calls(0), "completed_in_window": 0}, {}),
    ({"calls": calls(0, unsent=9)}, {}),
    ({"calls": calls(9_000, in_flight=500)}, {}),
]


def read(flags: str) -> EnginePlan:
    """The plan of `httpdyno load` with these flags."""
    words = ["http://127.0.0.1:8080/hello", *shlex.split(flags)]
    return plan_of(flags_of(words), Faults("httpdyno load --help"))


def doubtful(of: EnginePlan, changes: Change) -> Measurement:
    """A measurement of that plan, with a doubt."""
    whole: dict[str, Any] = {"load": of.load.kind} | changes
    if of.load.kind == "closed":
        whole |= {"load": "closed", "offered_per_s": None, "validity__arrivals": None}
    if of.load.kind == "sessions":
        whole["sessions"] = of_sessions(1000, 900, 900)
    if of.stop.count is not None:
        whole["stopped_by"] = "count"
    return measurement(**whole)


def proposed(of: EnginePlan, **context: Any) -> list[str]:
    """All that stands in backticks in the hints of every doubt, but `DOCTOR`."""
    return [
        quoted
        for changes, more in EVERY_DOUBT
        for reason in judge(doubtful(of, changes), Context(**{"plan": of} | more | context)).reasons
        for quoted in re.findall(r"`([^`]+)`", reason.hint)
        if quoted != DOCTOR
    ]


@pytest.mark.parametrize("flags", COMMANDS.values(), ids=COMMANDS)
def test_a_flag_in_a_hint_changes_the_command_that_it_is_appended_to(flags: str) -> None:
    before = read(flags)
    found = set(proposed(before))
    assert found
    for quoted in found:
        if quoted.startswith("curl "):
            assert shlex.split(quoted)[-1] == "http://127.0.0.1:8080/hello"
            continue
        assert quoted.startswith("--"), quoted
        if quoted.startswith("--fail-if "):  # no part of the plan
            parse_threshold(shlex.split(quoted)[1])
            continue
        assert read(f"{flags} {quoted}") != before, quoted


@pytest.mark.parametrize(
    ("wrong", "status", "settings", "proposed"),
    [
        (9, "503", "flags", ["--fail-if 'errors>2%'"]),
        (9, "503", "keys", ['error_budget = "errors<2%"']),
        (9, "503", "none", []),
        (1, "503", "flags", ["--fail-if 'errors>1%'"]),
        (9, "404", "flags", ["--fail-if 'errors>2%'", "--expect-status 200 --expect-status 404"]),
        (800, "404", "flags", ["--expect-status 200 --expect-status 404"]),
        (800, "503", "flags", []),
    ],
)
def test_for_some_wrong_replies_an_error_budget_is_proposed(
    wrong: int, status: str, settings: Any, proposed: list[str]
) -> None:
    right = 1000 - wrong
    m = measurement(calls=calls(right, wrong_status=wrong), statuses={"200": right, status: wrong})
    hint = judge(m, Context(plan(), settings=settings)).reasons[0].hint
    assert re.findall(r"`([^`]+)`", hint) == proposed


def test_an_error_budget_that_was_exceeded_is_not_proposed_again() -> None:
    m = measurement(calls=calls(991, wrong_status=9), statuses={"200": 991, "503": 9})
    budget = Budget.of_thresholds([parse_threshold("errors>0.5%")])
    assert "errors" not in judge(m, Context(plan(), budget=budget)).reasons[0].hint


def test_every_flag_that_could_help_is_proposed_to_somebody() -> None:
    quoted = [one for flags in COMMANDS.values() for one in proposed(read(flags))]
    quoted = [one for one in quoted if not one.startswith("curl ")]
    assert {flag for one in quoted for flag in re.findall(r"--[a-z-]+", one)} == FLAGS


@pytest.mark.parametrize("load", STUDY_LOADS.values(), ids=STUDY_LOADS)
def test_a_line_in_a_hint_of_a_study_changes_its_load(load: str) -> None:
    before = parse_study(STUDY + load, Path("mine.toml"))
    cell = Plan(before).cells[0]
    of = engine_plan(
        cell, get("hello"), ("127.0.0.1", 8080), Pinning([0], [1], shared=False, note=""), seed=1
    )
    found = set(proposed(of, in_study=True, check_command=CHECK))
    assert CHECK in found
    for quoted in found - {CHECK}:
        ((key, _),) = tomllib.loads(quoted).items()
        assert key in KEYS
        kept = [line for line in load.split("\n") if not line.startswith(f"{key} ")]
        after = parse_study(STUDY + "\n".join([*kept, quoted]), Path("mine.toml"))
        assert after.loads != before.loads, quoted


@pytest.mark.parametrize("in_study", [False, True])
def test_without_a_plan_no_hint_names_a_flag_or_leaves_a_brace(in_study: bool) -> None:
    for changes, more in EVERY_DOUBT:
        for reason in judge(measurement(**changes), Context(in_study=in_study, **more)).reasons:
            assert not re.search("[`{}]|--", reason.hint), reason.hint
            assert not re.search("[{}]", reason.text), reason.text


def test_every_rule_has_a_hint_whose_words_are_known() -> None:
    told = {
        reason.code
        for changes, more in EVERY_DOUBT
        for reason in judge(measurement(**changes), Context(**{"plan": plan()} | more)).reasons
    }
    assert told == set(RULES)


@pytest.mark.parametrize(
    ("changes", "command_line"),
    [
        ({}, "curl -v 'http://127.0.0.1:8080/hello?x=1&y'"),
        ({"method": "POST"}, "curl -v -X POST 'http://127.0.0.1:8080/hello?x=1&y'"),
        ({"method": "HEAD"}, "curl -v --head 'http://127.0.0.1:8080/hello?x=1&y'"),
        ({"headers": [("Authorization", "secret")]}, "curl -v 'http://127.0.0.1:8080/hello?x=1&y'"),
        ({"path": "/a[1]"}, "curl -v -g 'http://127.0.0.1:8080/a[1]'"),
        (
            {
                "path": "/items/{random:7:7}",
                "placeholders": True,
                "headers": [("X", "***")],
                "body": {"length": 1, "sha256": "0"},
                "expect": {"body": {"length": 1, "sha256": "0"}},
            },
            "curl -v http://127.0.0.1:8080/items/7",
        ),
    ],
)
def test_the_hint_to_look_at_a_reply_asks_as_the_run_did_without_its_secrets(
    changes: Change, command_line: str
) -> None:
    asked = plan(requests=[{"path": "/hello?x=1&y"} | changes])
    dead = measurement(calls=calls(0, errors={"refused": 5}), completed_in_window=0)
    assert f"`{command_line}`" in judge(dead, Context(asked)).reasons[0].hint


def test_the_hint_to_look_at_a_reply_names_the_request_that_failed() -> None:
    paths = ["/hello", "/a", "/ab", "/missing"]
    asked = plan(requests=[{"path": path} for path in paths])
    wrong = {"calls": calls(900, wrong_status=9), "statuses": {"200": 900, "404": 9}}
    seen = measurement(**wrong, first_failure="GET /ab: status 404")
    assert "`curl -v http://127.0.0.1:8080/ab`" in judge(seen, Context(asked)).reasons[0].hint
    seen = measurement(**wrong, first_failure=None)
    assert "`curl -v http://127.0.0.1:8080/hello`" in judge(seen, Context(asked)).reasons[0].hint


def test_a_unix_socket_and_a_test_certificate_are_in_the_command_to_look_at_a_reply() -> None:
    tls = {"ca": "my ca.pem", "insecure": True}
    asked = plan(target={"host": "::1", "port": 443, "unix": "/run/x", "tls": tls})
    dead = measurement(calls=calls(0, errors={"refused": 5}), completed_in_window=0)
    shown = "curl -v -k --cacert 'my ca.pem' --unix-socket /run/x 'https://[::1]:443/'"
    assert f"`{shown}`" in judge(dead, Context(asked)).reasons[0].hint


def test_more_connections_are_enough_for_the_highest_rate_of_the_steps() -> None:
    """By Little's law 2,000/s take 200 connections of 100 ms; the mean rate would take 110."""
    of = read("--rate 200x10s,2000x10s -c 20")
    slow = measurement(
        offered_per_s=1100.0,
        calls=calls(9_000, waited=500, unsent=1_000),
        times__service=time(p50_ns=100_000_000, p99_ns=100_000_000),
    )
    hints = " ".join(one.hint for one in judge(slow, Context(plan=of)).reasons)
    assert "--connections 300" in hints
