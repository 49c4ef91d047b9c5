"""Waits for streams and ends of connections over HTTP/2 and HTTP/3 that are no doubts."""

from __future__ import annotations

import pytest
from http2_facts import busy_cores
from httpdyno.verdict import Context, judge
from measured import Change, codes, datagrams, measurement, plan, streams, time


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


def test_a_server_with_fewer_connections_than_processors_may_have_idle_threads() -> None:
    closed = {"load": "closed", "offered_per_s": None, "mean_in_flight": 1.0}
    (reason,) = judge(measurement(**closed), Context(**busy_cores(1.96, connections=2))).reasons
    assert reason.text == (
        "the server used 1.96 of its 4 CPUs, about one for each of the load's 2 connections (limit"
        " 0.90): its other threads may have had no connection to serve"
    )
    assert reason.hint == (
        "use at least as many connections as the server has CPUs, with fewer streams on each"
    )


@pytest.mark.parametrize(
    "context",
    [
        busy_cores(2.5, connections=2),  # it serves a connection on several processors
        busy_cores(0.3),  # something else is the limit
        busy_cores(1.0, cores=1),
        busy_cores(3.9, connections=4),
        busy_cores(1.0, cores=None),
        busy_cores(1.0, http="1.1"),
        busy_cores(1.0) | {"plan": plan(http="2")},  # an open load
        busy_cores(1.0) | {"plan": None},
    ],
)
def test_nothing_is_said_of_connections_where_the_processors_do_not_show_it(
    context: Change,
) -> None:
    closed = {"load": "closed", "offered_per_s": None, "mean_in_flight": 1.0}
    assert codes(measurement(**closed), **context) == []


def test_a_path_through_a_network_may_lose_packets() -> None:
    far = datagrams(packets_lost=500, min_rtt_s=0.02, mean_rtt_s=0.03)
    assert codes(measurement(**far)) == []


def test_a_close_without_an_error_after_cancels_is_no_doubt() -> None:
    ended = streams(cancels=1, goaways=1, goaway_codes={"H3_NO_ERROR": 1})
    assert codes(measurement(**ended)) == []
