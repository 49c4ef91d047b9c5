"""Flags of `load` for sockets: how connections end, how long they may be idle, their buffers."""

from __future__ import annotations

import json
from typing import Any

import pytest
from httpdyno.cli.faults import Faults
from httpdyno.cli.load.arguments.flags import LoadFlags
from httpdyno.cli.load.arguments.plan import plan_of
from httpdyno.cli.load.output.record import LoadRecord
from httpdyno.engine_plan import to_json
from httpdyno.errors import UsageError
from request_recorder import recording

from .conftest import Program


def planned(**flags: Any) -> dict[str, Any]:
    """The plan's JSON for these flags."""
    plan = plan_of(LoadFlags(url="http://h/", **flags), Faults("help"))
    read: dict[str, Any] = json.loads(to_json(plan))
    return read


def test_the_flags_reach_the_plan() -> None:
    plain = planned()
    assert plain["timeouts"]["idle_s"] is None
    assert plain["source"]["close_with_reset"] is False
    assert plain["source"]["send_buffer_bytes"] is plain["source"]["receive_buffer_bytes"] is None
    plan = planned(
        idle_timeout="250ms", close_with_reset=True, send_buffer="4096", receive_buffer="16_384"
    )
    assert plan["timeouts"]["idle_s"] == 0.25
    assert plan["source"]["close_with_reset"] is True
    assert plan["source"]["send_buffer_bytes"] == 4096
    assert plan["source"]["receive_buffer_bytes"] == 16384


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        ({"idle_timeout": "0"}, "`--idle-timeout 0`: expected a time above zero"),
        ({"send_buffer": "4k"}, "`--send-buffer 4k`: expected a whole number"),
        ({"receive_buffer": "0"}, "expected a whole number from 1 to 1073741824"),
    ],
)
def test_a_fault_says_what_was_expected(flags: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError) as fault:
        planned(**flags)
    assert sentence in fault.value.message


@pytest.mark.parametrize(
    ("verb", "rates", "runs"),
    [
        (["load"], [], 1),
        (["load"], ["--rate", "50"], 1),
        (["sweep", "--cool-down", "0", "load"], ["--rate", "50,100"], 2),
        (["sweep", "--cool-down", "0", "load"], ["--sessions", "50,100"], 2),
    ],
)
def test_a_run_connects_once_to_see_whether_the_server_is_there(
    verb: list[str], rates: list[str], runs: int, called: Program
) -> None:
    with recording() as server:
        called(*verb, server.url, "-n", "5", "-c", "1", "-q", *rates)
        server.wait_for_ends()
    assert len(server.requests) == 5 * runs
    assert len([one for one in server.by_connection if not one]) == runs


@pytest.mark.parametrize(("flags", "resets"), [([], 0), (["--close-with-reset"], 5)])
def test_connections_are_closed_with_a_reset_if_asked_to(
    flags: list[str], resets: int, called: Program
) -> None:
    with recording() as server:
        called("load", server.url, "-n", "5", "-c", "1", "--no-keep-alive", "-q", *flags)
        assert server.wait_for_ends().count("reset") == resets


def test_a_reply_that_stops_in_the_middle_is_given_up_after_the_idle_timeout(
    called: Program,
) -> None:
    with recording(lambda _: b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf") as server:
        flags = ["-n", "1", "-c", "1", "-q", "--idle-timeout", "1s", "--json", "-"]
        answer = called("load", server.url, *flags)
    calls = LoadRecord.model_validate_json(answer.stdout).measurement.calls
    assert calls.errors == {"reply_timeout": 1}


def test_small_buffers_carry_large_bodies_too(called: Program) -> None:
    with recording() as server:
        flags = ["-n", "3", "-c", "1", "-q", "--send-buffer", "4096", "--receive-buffer", "4096"]
        called("load", server.url, *flags, "--body", "x" * 100_000)
    assert [len(one) > 100_000 for one in server.requests] == [True] * 3
