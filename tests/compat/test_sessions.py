"""Scripted sessions on real sockets: what arrives, on which connection, and when."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from httpdyno import engine
from httpdyno.engine_plan import (
    Arrivals,
    EnginePlan,
    Expect,
    Request,
    ScriptStep,
    SessionsLoad,
    Stop,
    Target,
    Text,
)
from httpdyno.errors import UsageError
from httpdyno.measurement import Measurement, Sessions

from . import replies
from .recorder import Recorder
from .replies import Reply, always, by_path, in_turn

DRIVERS = ["epoll", "io_uring"]
CLOSING = Reply(then="close")
PAGES = [Request(path=f"/{page}", expect=Expect(status=[200])) for page in range(5)]


def _step(*requests: int, think_s: float = 0.0, first_alone: bool = False) -> ScriptStep:
    return ScriptStep(requests=list(requests), think_s=think_s, first_alone=first_alone)


def _measure(
    server: Recorder, load: dict[str, Any], driver: Any = "epoll", **more: Any
) -> Measurement:
    plan: dict[str, Any] = {
        "target": Target(host=server.host, port=server.port),
        "requests": PAGES,
        "load": SessionsLoad(**{"arrivals": None, **load}),
        "stop": Stop(count=1, duration_s=30),
        "driver": driver,
    }
    measured = engine.measure(EnginePlan(**{**plan, **more}))
    calls = measured.calls
    assert calls.due == calls.sent + calls.unsent
    assert calls.sent == calls.ended + calls.in_flight
    return measured


def _sessions(measured: Measurement) -> Sessions:
    assert measured.sessions is not None
    return measured.sessions


def _seen(server: Recorder) -> list[list[str]]:
    """The targets that came on each connection with a request; the engine tries one before."""
    used = [one for one in server.connections if one.requests]
    return [[request.target for request in one.requests] for one in used]


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_script_arrives_byte_for_byte(driver: str) -> None:
    post = Request(method="POST", path="/form", headers=[("X-Step", "2")], body=Text(text="a=1"))
    script = [_step(0), _step(5, 1, 1, think_s=0.01), _step(2)]
    with Recorder() as server:
        _measure(server, {}, driver, requests=[*PAGES, post], scripts=[script])
    (used,) = [one for one in server.connections if one.requests]
    host = f"Host: {server.address}\r\n".encode()
    get = b"GET /%d HTTP/1.1\r\n" + host + b"\r\n"
    form = b"POST /form HTTP/1.1\r\n" + host + b"X-Step: 2\r\nContent-Length: 3\r\n\r\na=1"
    assert b"".join(one.raw for one in used.requests) == b"".join(
        [get % 0, form, get % 1, get % 1, get % 2]
    )
    assert (used.rest, used.ended) == (b"", "client closed")


@pytest.mark.parametrize("threads", [1, 3])
def test_scripts_are_followed_in_turn_by_all_threads_together(threads: int) -> None:
    scripts = [[_step(0)], [_step(1), _step(1)], [_step(2, 3)]]
    load = {"arrivals": Arrivals.steady(2000)}
    with Recorder() as server:
        measured = _measure(
            server, load, scripts=scripts, threads=threads, stop=Stop(count=90, duration_s=30)
        )
    assert _sessions(measured).completed == 90
    assert _sessions(measured).lengths == [0, 30, 60]
    assert sorted(_seen(server)) == sorted([["/0"], ["/1", "/1"], ["/2", "/3"]] * 30)


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_burst_waits_for_the_reply_to_its_first_call(driver: str) -> None:
    script = [_step(0, 1, 2, first_alone=True)]
    slow = by_path({"/0": Reply(after_s=0.05)}, Reply())
    with Recorder(slow) as server:
        _measure(server, {}, driver, scripts=[script])
    first, second, third = server.requests
    assert second.at_s - first.at_s >= 0.05
    assert [one.target for one in (first, second, third)] == ["/0", "/1", "/2"]


@pytest.mark.parametrize("driver", DRIVERS)
def test_calls_behind_a_closing_reply_arrive_again_each_on_a_new_connection(driver: str) -> None:
    load = {"on_close": "resend", "most_connections": 4}
    with Recorder(always(CLOSING)) as server:
        measured = _measure(server, load, driver, scripts=[[_step(0, 1, 2, 3), _step(4)]])
    assert measured.calls.ok == measured.calls.sent == 5
    assert sorted(_seen(server)) == [["/0"], ["/1"], ["/2"], ["/3"], ["/4"]]
    sessions = _sessions(measured)
    assert (sessions.completed, sessions.connections, sessions.lengths) == (1, 5, [0] * 5 + [1])


def test_the_session_may_end_with_its_connection() -> None:
    load = {"on_close": "end", "calls": 10}
    with Recorder(replies.by_place(Reply(), Reply(), CLOSING)) as server:
        measured = _measure(server, load, stop=Stop(count=4))
    assert (measured.calls.ok, measured.calls.unsent) == (12, 28)
    assert [len(targets) for targets in _seen(server)] == [3] * 4
    assert _sessions(measured).completed == 4


@pytest.mark.parametrize("driver", DRIVERS)
def test_sessions_without_arrivals_come_one_after_the_other(driver: str) -> None:
    with Recorder() as server:
        measured = _measure(server, {"calls": 3}, driver, stop=Stop(count=20), threads=4)
    assert _sessions(measured).completed == 20
    assert (measured.connections.peak_open, measured.engine.threads) == (1, 1)
    assert measured.offered_per_s is None
    used = [one for one in server.connections if one.requests]
    times = [(one.requests[0].at_s, one.requests[-1].at_s) for one in used]
    assert all(end <= begin for (_, end), (begin, _) in pairwise(times))


@pytest.mark.parametrize(
    ("on_wrong", "seen", "completed"),
    [("go_on", ["/0", "/1"], 1), ("fail", ["/0"], 0), ("retry", ["/0", "/0", "/0", "/1"], 1)],
)
def test_a_wrong_reply_is_accepted_or_ends_the_session_or_is_retried(
    on_wrong: str, seen: list[str], completed: int
) -> None:
    busy = Reply("503 Busy")
    with Recorder(in_turn(busy, busy, Reply(), Reply())) as server:
        measured = _measure(server, {"on_wrong": on_wrong}, scripts=[[_step(0), _step(1)]])
    assert _seen(server) == [seen]
    sessions = _sessions(measured)
    assert (sessions.completed, sessions.failed) == (completed, 1 - completed)
    assert (sessions.lifetime.count, sessions.fail_time.count) == (completed, 1 - completed)


@pytest.mark.parametrize("driver", DRIVERS)
def test_each_session_sends_the_cookies_that_its_own_replies_set(driver: str) -> None:
    def reply(request: replies.Request) -> Reply:
        if request.target != "/0":
            return Reply()
        # The head comes in many pieces.
        cookies = (("Set-Cookie", f"id={request.connection}; Path=/"), ("Set-Cookie", "a=b"))
        return Reply(headers=cookies, pieces=7, between_s=0.001)

    script = [_step(0), _step(1, 2)]
    given = replace(PAGES[2], headers=[("Cookie", "mine=1")])
    with Recorder(reply) as server:
        measured = _measure(
            server,
            {"cookies": True, "max_open": 5},
            driver,
            requests=[*PAGES[:2], given],
            scripts=[script],
            stop=Stop(count=20),
        )
    assert measured.calls.ok == 60
    for used in [one for one in server.connections if one.requests]:
        cookies = [request.header("Cookie") for request in used.requests]
        own = f"id={used.number}; a=b"
        assert cookies == [None, own, f"mine=1; {own}"]
    assert measured.bytes_sent == sum(len(request.raw) for request in server.requests)


def test_faults_of_scripts_come_with_all_others_before_the_run() -> None:
    with Recorder() as server, pytest.raises(UsageError) as fault:
        _measure(server, {"max_open": 0x7FFFFFFF}, scripts=[[_step(0, 7)]])
    lines = str(fault.value).splitlines()
    assert lines[0] == "connections `2147483647`: expected 1 to 4,194,304"
    assert lines[-1] == "script 0, step 0, request `7`: expected 0 to 4"
    assert not server.connections
