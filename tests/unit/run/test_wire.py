"""The requests that a network carries, before they are sent."""

from __future__ import annotations

import pytest
from httpdyno.result import PathRow
from httpdyno.running.measuring.wire import wire_per_s
from httpdyno.workloads import WORKLOADS


def path(
    generator: str, own: float | None, server: float | None, mtu: int | None = 1500
) -> PathRow:
    return PathRow(
        generator=generator,
        server="s",
        round_trip_p50_s=2e-4,
        round_trip_min_s=1e-4,
        mtu=mtu,
        generator_link_bits_per_s=own,
        server_link_bits_per_s=server,
    )


def test_a_reply_of_a_megabyte_fills_a_gigabit_with_a_hundred_requests_a_second() -> None:
    most = wire_per_s([path("a", 1e10, 1e9)], WORKLOADS["hello"], [1_000_000])
    assert most == pytest.approx(117.6, rel=0.01)


def test_generators_add_up_until_the_server_is_full() -> None:
    hello = WORKLOADS["hello"]
    one = wire_per_s([path("a", 1e9, 1e10)], hello, [13])
    two = wire_per_s([path("a", 1e9, 1e10), path("b", 1e9, 1e10)], hello, [13])
    full = wire_per_s([path("a", 1e9, 1e9), path("b", 1e9, 1e9)], hello, [13])
    assert one is not None
    assert two == pytest.approx(2 * one)
    assert full == pytest.approx(one)


def test_cards_that_report_no_speed_have_no_ceiling() -> None:
    assert wire_per_s([path("a", None, None, None)], WORKLOADS["hello"], [13]) is None
    assert wire_per_s([], WORKLOADS["hello"], [13]) is None


def test_one_generator_of_unknown_speed_leaves_the_server_s_limit() -> None:
    rows = [path("a", None, 1e9), path("b", 1e6, 1e9)]
    assert wire_per_s(rows, WORKLOADS["hello"], [13]) == pytest.approx(
        wire_per_s([path("a", 1e9, 1e9)], WORKLOADS["hello"], [13])
    )


def test_what_the_network_was_seen_to_carry_is_a_limit_of_replies_only() -> None:
    rows = [
        path("a", None, None).model_copy(update={"carried_bits_per_s": 1e9}),
        path("b", None, None).model_copy(update={"carried_bits_per_s": 1e9}),
    ]
    assert wire_per_s(rows, WORKLOADS["hello"], [1_000_000]) == pytest.approx(119.6, rel=0.01)
    known = [one.model_copy(update={"server_link_bits_per_s": 1e8}) for one in rows]
    assert wire_per_s(known, WORKLOADS["hello"], [1_000_000]) == pytest.approx(11.76, rel=0.01)
