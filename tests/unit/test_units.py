"""Numbers as texts."""

from __future__ import annotations

import pytest
from httpdyno.cli.faults import Faults
from httpdyno.cli.load.arguments.flags import LoadFlags
from httpdyno.cli.load.arguments.load import parse_segments
from httpdyno.cli.load.arguments.plan import plan_of
from httpdyno.cli.values import Values
from httpdyno.engine_plan import RequestsLoad
from httpdyno.errors import UsageError
from httpdyno.limits.thresholds import parse_threshold
from httpdyno.study import RequestsLoad as StudyLoad
from httpdyno.sweep import parse_rates
from httpdyno.units import (
    article,
    confidence,
    detectable,
    duration,
    parse_duration,
    parse_number,
    parse_rate,
    parse_share,
    percent,
    roughly,
    significant,
    size,
    times,
)
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("level", "said"),
    [
        (0.95, "95 %"),
        (0.975, "97.5 %"),
        (0.99, "99 %"),
        (1 - 0.05 / 6, "99.2 %"),
        (1 - 0.05 / 60, "99.92 %"),
        (1 - 0.05 / 590, "99.992 %"),
    ],
)
def test_a_confidence_level_is_exact_enough_and_never_certain(level: float, said: str) -> None:
    assert confidence(level) == said


@given(st.floats(0.5, 1 - 1e-9, exclude_max=True))
def test_no_level_is_called_certain(level: float) -> None:
    assert float(confidence(level).removesuffix(" %")) < 100


@given(st.floats(1e-9, 1e12))
def test_a_number_with_three_digits_is_within_half_a_percent(value: float) -> None:
    shown = float(significant(value).replace(",", ""))
    assert abs(shown - value) <= 0.00501 * value


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.4, "0 s"),
        (89.4, "89 s"),
        (92, "1 min 30 s"),
        (118, "2 min"),
        (594, "9 min 50 s"),
        (596, "10 min"),
        (4800, "1 h 20 min"),
    ],
)
def test_a_guess_at_a_time_is_at_most_a_tenth_off(seconds: float, said: str) -> None:
    assert roughly(seconds) == said


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.0009994, "999 µs"),
        (0.0009996, "1.00 ms"),
        (0.001, "1.00 ms"),
        (0.9996, "1.00 s"),
        (0.009996, "10.0 ms"),
        (-0.0009996, "-1.00 ms"),
        (9.9996e-7, "1.00 µs"),
    ],
)
def test_a_time_that_rounds_up_to_the_next_unit_is_in_that_unit(seconds: float, said: str) -> None:
    assert duration(seconds) == said


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (0.9994, "99.9 %"),
        (0.9996, "99.96 %"),
        (0.99999, "99.999 %"),
        (1.0, "100 %"),
        (1.004, "100 %"),
        (0.09996, "10.0 %"),
        (0.0, "0 %"),
    ],
)
def test_only_the_whole_is_called_100_percent(share: float, said: str) -> None:
    assert percent(share) == said


@given(st.floats(1e-9, 1, exclude_max=True))
def test_no_part_is_called_the_whole(share: float) -> None:
    assert float(percent(share).removesuffix(" %")) < 100 or share > 1 - 1e-11


@given(st.floats(1e-9, 1e12))
def test_a_number_has_three_digits_and_not_four(value: float) -> None:
    digits = significant(value).replace(",", "").replace(".", "").lstrip("0")
    assert len(digits) == 3 or value >= 999.5


def test_a_size_and_a_ratio_that_round_up_have_as_many_digits_as_their_neighbours() -> None:
    assert size(1023.9 * 1024) == "1.00 MiB"
    assert (times(9.99), times(9.996), times(10.0)) == ("9.99×", "10.0×", "10.0×")


NUMBERS = [
    ("5000", 5000),
    ("5_000", 5000),
    ("5k", 5000),
    ("5K", 5000),
    ("2.5M", 2_500_000),
    ("1e4", 10_000),
    ("1.5e+3", 1500),
    ("9007199254740993", 9_007_199_254_740_993),
    ("0.25", 0.25),
    ("5e-1", 0.5),
    ("1" * 30, int("1" * 30)),
    ("0." + "0" * 19 + "5", 5e-20),
    ("9" * 80, int("9" * 80)),
    ("9" * 81, float("inf")),
    ("9" * 5000, float("inf")),
]


@pytest.mark.parametrize(("given", "meant"), NUMBERS)
def test_a_number_is_read_as_it_is_typed(given: str, meant: float) -> None:
    assert parse_number(given) == meant


@pytest.mark.parametrize(
    "given",
    ["", "k", "-5", "1,000", "5kk", "5e", "1_", "_1", "٣", "nan", "inf", "0x1", "5m"],
)
def test_what_is_no_number_is_refused(given: str) -> None:
    with pytest.raises(ValueError, match="expected a number such as `5000`, `5k` or `5e3`"):
        parse_number(given)


@pytest.mark.parametrize("given", ["5000", "5_000", "5k", "5e3", "5000/s", "5k/s"])
def test_every_command_and_a_study_read_the_same_rates(given: str) -> None:
    assert parse_rate(given) == Values(Faults("help")).rate("--rate-max", given) == 5000
    assert parse_segments(given)[0].from_per_s == 5000
    assert parse_segments(f"{given}x2s,100")[0].to_per_s == 5000
    assert parse_segments(f"100:{given}/30s")[0].to_per_s == 5000
    assert parse_rates(f"100,{given}").per_s == (100, 5000)
    assert parse_rates(f"100..{given}*2").per_s[-1] == 3200
    load = {"kind": "requests", "duration": "1s"}
    assert StudyLoad.model_validate({**load, "rate": given}).rate == (5000,)
    assert StudyLoad.model_validate({**load, "rate": [given, 100]}).rate == (5000, 100)
    assert parse_threshold(f"rate<{given}").limit == 5000


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("fast", "expected a rate per second such as `5000`, `5k` or `5000/s`"),
        ("1,000", "expected a rate per second such as `5000`, `5k` or `5000/s`"),
        ("5000/m", "expected a rate per second such as `5000`, `5k` or `5000/s`"),
        ("0", "expected a rate per second from 0.001 to 100,000,000"),
        ("1e9", "expected a rate per second from 0.001 to 100,000,000"),
        ("9" * 5000, "expected a rate per second from 0.001 to 100,000,000"),
    ],
)
def test_what_is_no_rate_is_refused_by_every_flag_in_the_same_words(
    given: str, expected: str
) -> None:
    with pytest.raises(ValueError, match=f"^{expected}$"):
        parse_rate(given)
    faults = Faults("help")
    assert Values(faults).rate("--rate", given) is None
    with pytest.raises(UsageError, match=f"^`--rate {given}`: {expected}\n"):
        faults.raise_any()


@pytest.mark.parametrize(
    ("given", "share"),
    [("3%", 0.03), ("3 %", 0.03), ("12.5%", 0.125), (".5%", 0.005), ("0.03", 0.03), ("1", 1)],
)
def test_a_share_is_a_percentage_or_a_part_of_one(given: str, share: float) -> None:
    assert parse_share(given) == pytest.approx(share)
    assert parse_threshold(f"errors>{given}").limit == pytest.approx(share)


@pytest.mark.parametrize("given", ["", "%", "-3%", "3%%", "1e-2", "nan", "3 percent"])
def test_what_is_no_share_is_refused(given: str) -> None:
    with pytest.raises(ValueError, match=r"^expected a share such as `3%` or `0.03`$"):
        parse_share(given)


@pytest.mark.parametrize(
    ("given", "seconds"),
    [("10", 10), ("10s", 10), ("250ms", 0.25), ("1.5m", 90), ("1_000ms", 1), (" 2 h ", 7200)],
)
def test_a_duration_is_read_as_it_is_typed(given: str, seconds: float) -> None:
    assert parse_duration(given) == seconds


@pytest.mark.parametrize("given", ["s", "10x", "-1s", "5_s"])
def test_what_is_no_duration_is_refused_in_the_same_words(given: str) -> None:
    expected = "expected a time such as `10s`, `250ms` or `2m`"
    with pytest.raises(ValueError, match=f"^{expected}$"):
        parse_duration(given)
    with pytest.raises(ValueError, match=f"^{expected}$"):
        parse_segments(f"100x{given},200")
    faults = Faults("help")
    assert Values(faults).seconds("--duration", given) is None
    with pytest.raises(UsageError, match=f": {expected}\n"):
        faults.raise_any()


def test_numbers_of_connections_and_requests_are_typed_as_rates_are() -> None:
    flags = LoadFlags(url="http://h/", connections="2k", requests="1e4", rate="5_000")
    plan = plan_of(flags, Faults("help"))
    assert isinstance(plan.load, RequestsLoad)
    assert plan.load.connections == 2000
    assert plan.stop.count == 10_000
    assert plan.load.arrivals.segments[0].from_per_s == 5000


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (0.0704, "7.04 % or more"),
        (0.99, "99.0 % or more"),
        (1.0, "2.0× or more (0.50× or less)"),
        (1.98, "3.0× or more (0.34× or less)"),
    ],
)
def test_a_ratio_that_would_show_is_told_on_both_sides(share: float, said: str) -> None:
    """Beside 0.62×, a reader needs the lower one."""
    assert detectable(share, drop=False) == said


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (0.0704, "a change of 7.04 % or more"),
        (0.461, "a drop of 31.6 % or more"),
        (0.99, "a drop of 49.7 % or more"),
        (1.0, "a change of 2.0× or more (0.50× or less)"),
    ],
)
def test_of_a_number_of_which_less_is_worse_the_drop_that_would_show_is_given(
    share: float, said: str
) -> None:
    assert detectable(share, "a change of ", drop=True) == said


@pytest.mark.parametrize(
    ("spoken", "numbers"),
    [
        ("an", ["8 %", "8.2 %", "11 %", "11.5 %", "18", "80", "86 %", "800", "8,000", "11,000/s"]),
        ("an", ["18000", "18,000,000", "85,000"]),
        ("a", ["1.1 %", "7 %", "12 %", "19", "0.8 %", "110", "111", "180", "1,100", "1800", ""]),
    ],
)
def test_a_number_has_the_article_with_which_it_is_spoken(spoken: str, numbers: list[str]) -> None:
    assert [article(number) for number in numbers] == [spoken] * len(numbers)
