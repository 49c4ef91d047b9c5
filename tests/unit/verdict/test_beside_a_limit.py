"""A number that passed its limit never reads as if it were the limit."""

from __future__ import annotations

import pytest
from httpdyno.units import duration, percent
from httpdyno.verdict import judge
from httpdyno.verdict.checks.words import beside
from hypothesis import given
from hypothesis import strategies as st
from measured import Change, fit, known_within, measurement


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"cpu__waiting_share": 0.1004}, "waited for a CPU for 10.04 % of the time (limit 10 %)"),
        ({"cpu__standstill_share": 0.25}, "stood still for 25.0 % of the time (limit 10 %)"),
        ({"cpu__busy_share": 0.9004}, "used 90.04 % of a CPU (limit 90 %)"),
        (
            {"validity__arrivals": fit(off_share=0.10002)},
            "10.002 % of 4,000 gaps between arrivals were over 10 % too short or too long"
            " (limit 10 %)",
        ),
        (
            {"completed_in_window": 10_204, "throughput_per_s": 1020.4},
            "(102.04 %, limit 102 %)",
        ),
        ({"nodes": known_within(60_000, 40_001)}, "may be 100.001 µs off their common schedule"),
        ({"cpu__involuntary_switches": 1001}, "preempted 100.1 times/s (limit 100)"),
        ({"cpu__involuntary_switches": 12_345}, "preempted 1,234 times/s (limit 100)"),
    ],
)
def test_a_reason_has_the_digits_that_tell_its_number_from_its_limit(
    changes: Change, told: str
) -> None:
    texts = [reason.text for reason in judge(measurement(**changes)).reasons]
    assert any(told in text for text in texts), texts


@given(st.floats(1e-4, 1.0), st.floats(1e-6, 10.0))
def test_no_percentage_beyond_a_limit_reads_like_the_limit(limit: float, beyond: float) -> None:
    share = limit * (1 + beyond)
    shown = float(beside(share, limit).removesuffix(" %").replace(",", "")) / 100
    assert shown > limit
    assert shown == pytest.approx(share, rel=0.006)


def test_a_number_far_from_its_limit_keeps_three_digits() -> None:
    assert beside(0.123456, 0.1) == percent(0.123456) == "12.3 %"
    assert beside(0.00123456, 0.001, duration) == duration(0.00123456) == "1.23 ms"
    assert beside(0.0, 0.1) == "0 %"
    assert beside(0.1, 0.1) == "10.0 %"
