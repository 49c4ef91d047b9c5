"""The rates of a sweep, as they are typed."""

from __future__ import annotations

import pytest
from httpdyno.sweep import MOST_POINTS, Rates, parse_rates, rate_text, shown


@pytest.mark.parametrize(
    ("text", "rates"),
    [
        ("100..500/100", (100, 200, 300, 400, 500)),
        ("100..480/100", (100, 200, 300, 400)),
        ("0.1..0.5/0.1", (0.1, 0.2, 0.3, 0.4, 0.5)),
        ("1k..2k/0.5k", (1000, 1500, 2000)),
        ("100..800*2", (100, 200, 400, 800)),
        ("1..1000*10", (1, 10, 100, 1000)),
        ("100..700*2", (100, 200, 400)),
        ("100..225*1.5", (100, 150, 225)),
        ("500, 100,2k", (500, 100, 2000)),
        (" 5,6 ", (5, 6)),
        ("100/s,1k/s", (100, 1000)),
        ("100/s..200/s/100", (100, 200)),
    ],
)
def test_ranges_and_lists_become_rates(text: str, rates: tuple[float, ...]) -> None:
    assert parse_rates(text).per_s == rates
    assert parse_rates(text).log == ("*" in text)


def test_a_long_range_has_neither_a_rate_too_many_nor_one_too_few() -> None:
    assert parse_rates(f"0.1..{MOST_POINTS / 10}/0.1").per_s[-1] == MOST_POINTS / 10
    assert len(parse_rates(f"0.1..{MOST_POINTS / 10}/0.1").per_s) == MOST_POINTS


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "expected several rates"),
        ("100", "expected several rates"),
        ("100..1200", "expected several rates"),
        ("100..1200/", "expected several rates"),
        ("-1..5/1", "expected several rates"),
        ("1,,2", "expected several rates"),
        ("1:5/10s", "expected several rates"),
        ("100x10s,200x10s", "expected several rates"),
        ("9" * 5000 + ",1", "expected a rate per second from 0.001 to 100,000,000"),
        ("1..5*" + "9" * 5000, "expected a step that reaches a second rate"),
        ("1..5/" + "9" * 5000, "expected a step that reaches a second rate"),
        ("500..100/100", "expected the lower rate first"),
        ("100..100/1", "expected the lower rate first"),
        ("1..5/0", "expected a step above zero"),
        ("1..5*1", "expected a factor above one"),
        ("1..5*0.5", "expected a factor above one"),
        ("1..5/100", "expected a step that reaches a second rate"),
        ("1..5*100", "expected a step that reaches a second rate"),
        ("0..5/1", "expected a rate per second from 0.001"),
        ("1..999999999/1", "expected a rate per second from 0.001 to 100,000,000"),
        ("1..100000/1", "expected at most 1,000 rates"),
        ("0.001..1*1.000000001", "expected at most 1,000 rates"),
        (",".join(["1"] * 1001), "expected at most 1,000 rates"),
        ("100, 200,1e2", "expected each rate once: 100/s is repeated"),
        ("1,1.0000001", "expected each rate once: 1/s is repeated"),
        ("0.001..0.0010005/0.0000001", "expected each rate once: 0.001/s is repeated"),
    ],
)
def test_anything_else_is_refused_with_what_was_expected(text: str, expected: str) -> None:
    with pytest.raises(ValueError, match=expected):
        parse_rates(text)


def test_a_rate_is_shown_and_typed_with_all_its_digits_and_no_more() -> None:
    rates = (0.1, 1.0, 12.5, 1000.0, 100_000_000.0)
    assert [shown(rate) for rate in rates] == ["0.1", "1", "12.5", "1,000", "100,000,000"]
    assert [rate_text(rate) for rate in rates] == ["0.1", "1", "12.5", "1000", "100000000"]
    assert Rates(rates).log is False
