"""Of several endpoints, the one whose p99 doubles first is named, if the intervals show it."""

from __future__ import annotations

import pytest
from httpdyno.measurement import Percentile
from httpdyno.statistics.first_rise import AtRate, first_rise

MS = 1_000_000
P99 = tuple[int, int, int | None]
FAST: tuple[P99, ...] = ((3, 3, 4), (3, 3, 4), (3, 3, 4))


def at(*known: P99 | None, failed: int = 0, effect: float | None = 1.0) -> list[AtRate]:
    """An endpoint at 100/s, 200/s and so on: low end, p99 and high end, in ms."""
    return [
        AtRate(100.0 * n, None if one is None else percentile(one, effect), failed)
        for n, one in enumerate(known, 1)
    ]


def percentile(ms: P99, effect: float | None) -> Percentile:
    low, value, high = ms
    return Percentile(
        quantile=0.99,
        value_ns=value * MS,
        low_ns=low * MS,
        high_ns=None if high is None else high * MS,
        design_effect=effect,
    )


def test_the_endpoint_that_doubles_first_is_named_with_both_of_its_times() -> None:
    found = first_rise({"a": at(*FAST), "b": at((3, 3, 4), (3, 3, 4), (9, 10, 12))})
    assert found is not None
    assert found.in_words == (
        "p99 of b rises first: from 3.00 ms (3.00 ms to 4.00 ms) at 100/s to"
        " 10.0 ms (9.00 ms to 12.0 ms) at 300/s. Up to that rate, that of the other endpoint stays"
        " below twice the value at 100/s."
    )
    later = {"b": at((5, 6, 7), (5, 6, 7), (20, 22, 25)), "c": at((5, 6, 7), (20, 22, 25), None)}
    found = first_rise({"a": at((5, 6, 7), (5, 6, 7), (5, 6, 7)), **later})
    assert found is not None
    assert (found.endpoint, found.after.rate_per_s, found.others) == ("c", 200.0, 2)
    assert "those of the 2 other endpoints stay below twice" in found.in_words


def test_an_interval_without_an_upper_end_is_a_rise_too() -> None:
    steady = at((5, 6, 7), (5, 6, 7))
    found = first_rise({"a": steady, "b": at((5, 6, 7), (20, 30, None))})
    assert found is not None
    assert "30.0 ms (20.0 ms or more) at 200/s" in found.in_words


STEADY = ((5, 6, 7), (5, 6, 7))
RISING = ((5, 6, 7), (20, 22, 25))


@pytest.mark.parametrize(
    ("why", "endpoints"),
    [
        ("there is only one endpoint", {"a": at(*RISING)}),
        ("there is none", {}),
        ("no endpoint has a rate", {"a": [], "b": []}),
        ("none rises", {"a": at(*STEADY), "b": at(*STEADY)}),
        ("both rise at the same rate", {"a": at(*RISING), "b": at(*RISING)}),
        (
            "the interval reaches down to the double",
            {"a": at(*STEADY), "b": at((5, 6, 7), (14, 22, 25))},
        ),
        ("the other one may have doubled", {"a": at((5, 6, 7), (5, 8, 10)), "b": at(*RISING)}),
        ("the other one has no times", {"a": at((5, 6, 7), None), "b": at(*RISING)}),
        ("calls of the other one failed", {"a": at(*STEADY, failed=1), "b": at(*RISING)}),
        (
            "calls of the other one failed at the higher rate",
            {"a": [at(STEADY[0])[0], AtRate(200.0, at(STEADY[0])[0].p99, 1)], "b": at(*RISING)},
        ),
        ("nobody knows how calls clustered", {"a": at(*STEADY), "b": at(*RISING, effect=None)}),
        (
            "the other one may have doubled at a lower rate",
            {
                "a": at((5, 6, 7), (5, 9, 16), (5, 6, 7)),
                "b": at((5, 6, 7), (5, 6, 7), (20, 22, 25)),
            },
        ),
    ],
)
def test_nothing_is_said_if(why: str, endpoints: dict[str, list[AtRate]]) -> None:
    assert first_rise(endpoints) is None, why


def test_a_lower_rate_than_the_first_is_no_rise() -> None:
    falling = [AtRate(50.0, one.p99, 0) for one in at(*RISING)[1:]]
    found = {"a": at(STEADY[0]) + at(STEADY[0]), "b": at(RISING[0]) + falling}
    found["a"] = [found["a"][0], AtRate(50.0, found["a"][1].p99, 0)]
    assert first_rise(found) is None


def test_a_name_shows_no_control_characters() -> None:
    found = first_rise({"a": at(*STEADY), "\x1b[31m": at(*RISING)})
    assert found is not None
    assert "\x1b" not in found.in_words
