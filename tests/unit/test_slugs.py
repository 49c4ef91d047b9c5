"""Names of files and page elements: plain, and never the same for two things."""

from __future__ import annotations

import re

import pytest
from httpdyno.output.slugs import all_different, file_name, slug
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("throughput", "as-published"), "throughput-as-published"),
        (("latency", "10 ms", ""), "latency-10-ms"),
        (("負荷",), ""),
        (("../Ä b",), "b"),
    ],
)
def test_a_slug_is_of_letters_digits_and_dashes(words: tuple[str, ...], expected: str) -> None:
    assert slug(*words) == expected


@given(st.lists(st.sampled_from(["", "a", "a-2", "a-2-2", "a-3", "b", "1"])))
def test_slugs_of_many_are_all_different_and_keep_their_own_where_it_is_free(
    plain: list[str],
) -> None:
    found = all_different(plain)
    assert len(set(found)) == len(plain)
    assert all(re.fullmatch("[a-z0-9-]+", one) for one in found)
    for one in set(plain) - {""}:
        assert found[plain.index(one)] == one


@given(st.lists(st.text(), unique=True, max_size=5))
def test_file_names_are_safe(names: list[str]) -> None:
    assert all(re.fullmatch("[a-z0-9][a-z0-9.-]*", file_name(name)) for name in names)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a/b-c", "a-b/c"),
        ("a/b c", "a/b-c"),
        ("a b/1", "a  b/1"),
        ("A/1", "a/1"),
        ("負荷/1", "速度/1"),
        ("a_b/1", "a-b/1"),
        ("ü", "ö"),
    ],
)
def test_names_that_only_look_alike_have_files_of_their_own(one: str, other: str) -> None:
    assert file_name("tornado/4-processes") == "tornado.4-processes"
    assert file_name(one) != file_name(other)
