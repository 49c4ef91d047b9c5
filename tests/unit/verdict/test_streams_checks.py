"""Waits for streams and ends of connections over HTTP/2 that are no doubts."""

from __future__ import annotations

from httpdyno.verdict import Context, judge
from measured import codes, measurement, plan, streams, time


def test_a_closed_load_may_wait_for_streams() -> None:
    closed = {"load": "closed", "offered_per_s": None, "mean_in_flight": 1.0}
    assert codes(measurement(**closed, **streams(stream_wait=time(9_000)))) == []


def test_a_server_may_end_connections_with_an_error_where_nothing_was_cancelled() -> None:
    ended = streams(goaways=9, goaway_codes={"PROTOCOL_ERROR": 9})
    assert codes(measurement(**ended)) == []


def test_the_limit_of_the_server_is_named_and_more_connections_are_proposed() -> None:
    waits = measurement(**streams(stream_limit=4, stream_wait=time(5_000)))
    (reason,) = judge(waits, Context(plan(http="2"))).reasons
    assert reason.text == (
        "5,000 of 10,000 calls waited for a free stream of the server (50.0 %, limit 1 %), which"
        " allows 4 at once on a connection"
    )
    assert "allow more connections (`--connections 20`)" in reason.hint
