"""Placeholders are filled once and only when known."""

from __future__ import annotations

import pytest
from httpdyno.servers.declaration.placeholders import fill, fill_all, unknown_placeholders


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("{port}", "8080"),
        ("{host}:{port}", "127.0.0.1:8080"),
        ("no braces", "no braces"),
        ("http { listen {port}; }", "http { listen 8080; }"),
        ("{unknown} {}", "{unknown} {}"),
        ("{tricky}", "{port}"),
    ],
)
def test_known_placeholders_are_replaced_and_other_braces_stay(text: str, filled: str) -> None:
    values = {"host": "127.0.0.1", "port": "8080", "tricky": "{port}"}
    assert fill(text, values) == filled
    assert fill_all([text, text], values) == [filled, filled]


def test_unknown_placeholders_are_named_once() -> None:
    assert unknown_placeholders(["{prot}", "{port}", "a{prot}b{n}"], ["port"]) == ["prot", "n"]
    assert unknown_placeholders(["{n}"], {"n": "4"}) == []
