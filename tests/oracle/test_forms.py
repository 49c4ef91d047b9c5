"""The table of forms: each example is read by its own row, and the oracle's own statistics are
right."""

from __future__ import annotations

import math

import pytest

from oracle.forms.every import OF
from oracle.numbers import is_printed, level, number, pairs, t_quantile, t_tails
from oracle.reading import Form, sentences, understood

_NAMES = ("a", "b", "c", "d", "B", "A", "B (1 worker)", "jay")
_POINTS = ("10 connections", "1,000/s")
_ROWS = [(surface, form) for surface, forms in OF.items() for form in forms]


@pytest.mark.parametrize(("surface", "form"), _ROWS, ids=[f"{s}: {f.example}" for s, f in _ROWS])
def test_an_example_is_read_by_its_own_row(surface: str, form: Form) -> None:
    assert understood(form, form.example, _NAMES, _POINTS) is not None


def test_no_row_is_so_wide_that_it_reads_any_sentence() -> None:
    nonsense = "The moon is made of cheese"
    assert not [
        form.pattern for _, form in _ROWS if understood(form, nonsense, _NAMES, _POINTS) is not None
    ]


def test_a_text_falls_into_its_sentences() -> None:
    text = "A served 0.86× of B (95 % CI 0.83 to 0.90). Load: 10 connections, 2.00 s per trial."
    assert sentences(text) == [
        "A served 0.86× of B (95 % CI 0.83 to 0.90)",
        "Load: 10 connections, 2.00 s per trial",
    ]


@pytest.mark.parametrize(
    ("freedom", "t"), [(1, 12.706), (4, 2.776), (6, 2.447), (9, 2.262), (30, 2.042)]
)
def test_the_quantiles_of_t_are_those_of_the_tables(freedom: int, t: float) -> None:
    assert t_quantile(0.95, freedom) == pytest.approx(t, abs=5e-4)
    assert t_tails(t, freedom) == pytest.approx(0.05, abs=5e-5)


def test_two_arms_are_compared_within_the_blocks_that_both_have() -> None:
    one = {0: 2.0, 1: 4.0, 2: 8.0, 5: 100.0}
    other = {0: 1.0, 1: 2.0, 2: 2.0, 4: 9.0}
    found = pairs(one, other)
    assert found is not None
    assert found.n == 3
    assert found.ratio == pytest.approx(16 ** (1 / 3))
    assert not found.is_shown
    assert level([1.0, 100.0]) == pytest.approx(10.0)
    assert level([0.0, 1.0, 5.0]) == 1.0


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12,300/s", 12_345.0),
        ("1.23 ms", 1.2345e-3),
        ("47.7 MiB", 50_000_000.0),
        ("0.86×", 0.8615),
        ("14 %", 0.1372),
        ("0 %", 0.0),
    ],
)
def test_a_printed_number_is_read_back(text: str, value: float) -> None:
    digits = 2 if "%" in text else 3
    assert is_printed(text, value, digits)
    assert not is_printed(text, value * 1.1 + (value == 0), digits)
    assert math.isclose(number(text), value, rel_tol=0.03)
