"""The checks of the network between several machines."""

from __future__ import annotations

import pytest
from httpdyno.verdict import Context, judge
from measured import Change, codes, measurement, two_machines


def test_a_network_that_is_full_is_named_with_the_rate_that_it_carries() -> None:
    full = two_machines(sent_bytes=1_200_000_000, sent_packets=1_000_000)
    (reason,) = judge(measurement(), Context(**full)).reasons
    assert "`s` sent 979 Mbit/s over a link of 1 Gbit/s (97.9 %, limit 90 %)" in reason.text
    assert "at most 1,020/s of this load" in reason.text


def test_losses_of_a_full_network_are_not_told_beside_it() -> None:
    full = two_machines(sent_bytes=1_200_000_000, retransmits=5000)
    assert codes(measurement(), **full) == ["wire_limit"]


def test_a_card_that_reports_no_speed_has_no_limit() -> None:
    assert codes(measurement(), **two_machines(None, sent_bytes=10**12)) == []


@pytest.mark.parametrize(
    "counts",
    [
        {"retransmits": 9, "segments_sent": 100},
        {"retransmits": 5000, "interface": "lo"},
        {"dropped_packets": 9, "sent_packets": 100},
    ],
)
def test_a_few_losses_and_those_of_other_programs_on_loopback_are_no_doubt(counts: Change) -> None:
    assert codes(measurement(), **two_machines(**counts)) == []


def test_packets_that_a_network_card_drops_are_losses() -> None:
    dropped = two_machines(dropped_packets=100, sent_packets=10_000)
    (reason,) = judge(measurement(), Context(**dropped)).reasons
    assert reason.code == "path_losses"
    assert "s dropped 100 packets (0.990 %)" in reason.text


@pytest.mark.parametrize(
    ("received_bytes", "told"), [(2_240_000, []), (2_250_000, ["wire_limit"]), (3_200_000, [])]
)
def test_a_network_without_a_reported_speed_is_full_near_what_it_was_seen_to_carry(
    received_bytes: int, told: list[str]
) -> None:
    """2 Mbit/s: 2,500,000 bytes in ten seconds. Far more shows that it was measured too low."""
    given = two_machines(None, name="g", received_bytes=received_bytes)
    (path,) = given["paths"]
    given |= {"paths": (path.model_copy(update={"carried_bits_per_s": 2e6}),)}
    reasons = judge(measurement(), Context(**given)).reasons
    assert [reason.code for reason in reasons] == told
    assert all("over a network that carried 2 Mbit/s" in reason.text for reason in reasons)
