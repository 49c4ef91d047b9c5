"""`load --sessions-file`: recorded sessions, with their bursts, think times and cookies."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from httpdyno.cli.faults import Faults
from httpdyno.cli.load.arguments.flags import LoadFlags
from httpdyno.cli.load.arguments.plan import plan_of
from httpdyno.cli.load.output.record import LoadRecord
from httpdyno.cli.load.output.words import describe_load
from httpdyno.engine_plan import to_json
from request_recorder import body, fields, recording, reply

from .conftest import Program

OK, USAGE = 0, 2
LOG = """\
# two sessions
/a think=0.01
  /b
  /c
/d method=POST contents='x=1'

/e method=HEAD
"""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A session log in the folder of the program."""
    file = tmp_path / "log"
    file.write_text(LOG)
    return file


def planned(**flags: Any) -> dict[str, Any]:
    """The plan's JSON for these flags."""
    plan = plan_of(LoadFlags(url="http://h/", **flags), Faults("help"))
    read: dict[str, Any] = json.loads(to_json(plan))
    return read


def test_each_session_is_a_script_over_the_different_requests(log: Path) -> None:
    plan = planned(sessions_file=str(log), think="2s")
    assert [(one["method"], one["path"]) for one in plan["requests"]] == [
        ("GET", "/a"),
        ("GET", "/b"),
        ("GET", "/c"),
        ("POST", "/d"),
        ("HEAD", "/e"),
    ]
    assert plan["scripts"] == [
        [
            {"requests": [0, 1, 2], "think_s": 0.01, "first_alone": True},
            {"requests": [3], "think_s": 2.0, "first_alone": False},
        ],
        [{"requests": [4], "think_s": 2.0, "first_alone": False}],
    ]


def test_sessions_follow_one_another_unless_a_rate_is_given(log: Path) -> None:
    file = str(log)
    one = planned(sessions_file=file)["load"]
    assert (one["kind"], one["arrivals"], one["max_open"]) == ("sessions", None, 1)
    assert planned(sessions_file=file, connections="5")["load"]["max_open"] == 5
    paced = planned(sessions_file=file, sessions="20")["load"]
    assert paced["arrivals"]["segments"][0]["from_per_s"] == 20
    assert paced["max_open"] is None


def test_flags_of_sessions_reach_the_plan(log: Path) -> None:
    plain = planned(sessions="5")["load"]
    assert (plain["on_wrong"], plain["cookies"]) == ("go_on", False)
    for action in ("fail", "retry"):
        load = planned(sessions="5", on_wrong=action, session_cookies=True)["load"]
        assert (load["on_wrong"], load["cookies"]) == (action, True)
    assert planned(sessions_file=str(log), on_wrong="fail")["load"]["on_wrong"] == "fail"


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ({}, "closed load, 1 session at a time, 2 recorded sessions in turn, HTTP/1.1"),
        ({"connections": "3"}, "closed load, 3 sessions at a time, 2 recorded sessions in turn"),
        ({"sessions": "20"}, "open load, 20.0/s sessions, 2 recorded sessions in turn, HTTP/1.1"),
    ],
)
def test_the_load_is_described_in_words(flags: dict[str, Any], words: str, log: Path) -> None:
    plan = plan_of(LoadFlags(url="h", sessions_file=str(log), **flags), Faults("help"))
    assert describe_load(plan).startswith(words)


@pytest.mark.usefixtures("log")
@pytest.mark.parametrize("rate", [[], ["--sessions", "200"]])
def test_recorded_sessions_arrive_as_they_were_recorded(rate: list[str], called: Program) -> None:
    with recording() as server:
        flags = ["--sessions-file", "log", "-n", "4", "-q", "--json", "-", "-H", "X-All: 1"]
        answer = called("load", server.url, *flags, *rate)
    assert answer.returncode == OK, answer.stderr
    sessions = sorted(
        [request.split(b" HTTP")[0].decode() for request in requests]
        for requests in server.by_connection
        if requests
    )
    assert sessions == [["GET /a", "GET /b", "GET /c", "POST /d"]] * 2 + [["HEAD /e"]] * 2
    (post, _) = [one for one in server.requests if one.startswith(b"POST")]
    assert (body(post), fields(post)["x-all"]) == (b"x=1", "1")
    measured = LoadRecord.model_validate_json(answer.stdout).measurement
    assert measured.sessions is not None
    assert (measured.sessions.due, measured.sessions.completed) == (4, 4)
    assert (measured.calls.due, measured.calls.ok) == (10, 10)


@pytest.mark.usefixtures("log")
def test_the_indented_requests_of_a_burst_arrive_together_after_the_first_reply(
    called: Program,
) -> None:
    unanswered: list[bytes] = []

    def answer(request: bytes) -> bytes | None:
        # The replies to `/b` and `/c` wait for both: a client that sent one of them alone hangs.
        unanswered.append(request)
        if request.startswith(b"GET /b "):
            return None
        replies = b"".join(reply(b"ok") for _ in unanswered)
        unanswered.clear()
        return replies

    with recording(answer) as server:
        flags = ["--sessions-file", "log", "-n", "1", "-q", "--timeout", "20s", "--json", "-"]
        given = called("load", server.url, *flags)
    calls = LoadRecord.model_validate_json(given.stdout).measurement.calls
    assert (calls.due, calls.ok) == (4, 4)


def test_cookies_that_a_session_is_given_are_sent_with_its_later_requests(called: Program) -> None:
    seen = iter(range(100))

    def answer(request: bytes) -> bytes:
        given = [] if b"Cookie:" in request else [f"Set-Cookie: id={next(seen)}; Path=/"]
        return reply(b"ok", *given)

    flags = ["-n", "2", "--sessions", "100", "--calls", "3", "-q"]
    with recording(answer) as server:
        called("load", server.url, *flags, "--session-cookies")
    sent = [[fields(one).get("cookie") for one in each] for each in server.by_connection if each]
    assert sorted(map(str, sent)) == [
        "[None, 'id=0', 'id=0']",
        "[None, 'id=1', 'id=1']",
    ]


@pytest.mark.parametrize(
    ("action", "arrived", "sessions"),
    [
        ([], ["/a", "/b", "/c"], (1, 0)),
        (["--on-wrong", "fail"], ["/a", "/b"], (0, 1)),
        (["--on-wrong", "retry"], ["/a", "/b", "/b", "/c"], (1, 0)),
    ],
)
def test_a_wrong_reply_ends_a_session_or_is_asked_for_again(
    action: list[str],
    arrived: list[str],
    sessions: tuple[int, int],
    called: Program,
    tmp_path: Path,
) -> None:
    (tmp_path / "log").write_text("/a\n/b\n/c\n")
    faults = iter([True])

    def answer(request: bytes) -> bytes:
        if request.startswith(b"GET /b ") and next(faults, False):
            return reply(b"", status="503 Service Unavailable")
        return reply(b"ok")

    with recording(answer) as server:
        flags = ["--sessions-file", "log", "-n", "1", "-q", "--json", "-"]
        given = called("load", server.url, *flags, *action)
    assert [line.split()[1] for line in server.lines()] == arrived
    measured = LoadRecord.model_validate_json(given.stdout).measurement.sessions
    assert measured is not None
    assert (measured.completed, measured.failed) == sessions


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (["--sessions-file", "absent"], "`--sessions-file absent`: cannot read `absent`"),
        (["--sessions-file", "bad"], "`--sessions-file bad`: line 2: expected one of the methods"),
        (["--sessions-file", "bad"], "`--sessions-file bad`: line 3: expected `think=`"),
        (["--sessions-file", "far"], "`--sessions-file far`: line 2: expected a path such as"),
        (["--sessions-file", "log", "--calls", "2"], "says what each session sends"),
        (["--sessions-file", "log", "--rate", "2"], "expected it without `--rate`"),
        (
            ["--sessions-file", "log", "--data", "x", "--also", "GET /"],
            "expected it without `--data`, `--also`",
        ),
        (["--sessions-file", "log", "--on-wrong", "stop"], "expected `fail` or `retry`"),
        (["--on-wrong", "fail"], "`--on-wrong` applies only to sessions"),
        (["--session-cookies", "--rate", "5"], "`--session-cookies` applies only to sessions"),
    ],
)
@pytest.mark.usefixtures("log")
def test_bad_input_is_one_clear_sentence(
    flags: list[str], sentence: str, called: Program, tmp_path: Path
) -> None:
    (tmp_path / "bad").write_text("/a\n/b method=get\n/c think=x\n")
    (tmp_path / "far").write_text("/a\nhttp://h/\n")
    answer = called("load", "http://h/", *flags)
    assert answer.returncode == USAGE
    assert sentence in answer.stderr


def test_a_session_log_needs_the_server_and_no_path(called: Program, log: Path) -> None:
    absent = called("load", "--sessions-file", log.name)
    assert "missing argument 'URL'" in absent.stderr
    path = called("load", "http://h/a", "--sessions-file", log.name)
    assert "`--sessions-file` names the paths: expected a URL without one" in path.stderr
    assert (absent.returncode, path.returncode) == (USAGE, USAGE)


def test_sessions_under_way_at_the_end_are_why_calls_are_unsent(called: Program) -> None:
    flags = ["--sessions", "50", "--calls", "3", "--think", "300ms"]
    with recording() as server:
        cut = called("load", server.url, *flags, "-d", "1s").stdout
        whole = called("load", server.url, *flags, "-n", "20").stdout
    assert " unsent, in " in cut
    assert re.search(r"\n +[1-9][0-9]* under way at the end: calls not yet reached", cut), cut
    assert "20 completed, 0 failed\n" in whole
    assert "unsent" not in whole
