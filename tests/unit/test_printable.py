"""Text from outside does nothing to a terminal, and stays legible."""

from __future__ import annotations

import pytest
from httpdyno.output.printable import printable, printable_lines, printable_message

CASES = {
    "nginx/1.22.1 – 負荷 😀": "nginx/1.22.1 – 負荷 😀",
    "\x1b[31mred\x1b[0m": r"\x1b[31mred\x1b[0m",
    "a\rb\nc\x00\x7f": r"a\rb\nc\x00\x7f",
    "\x9b31m": r"\x9b31m",
    "abc\u202ecba": r"abc\u202ecba",
    "no text: \udcff": r"no text: \udcff",
    "a\tb\u00a0c\u2003d": "a b c d",
}


@pytest.mark.parametrize("text", CASES)
def test_what_a_terminal_would_obey_is_shown_as_an_escape(text: str) -> None:
    assert printable(text) == CASES[text]
    assert printable(text).isprintable()
    assert printable(printable(text)) == printable(text)


def test_lines_stay_lines() -> None:
    assert printable_lines("one\x1b\ntwo\n") == "one\\x1b\ntwo\n"


def test_a_value_in_a_message_is_one_line() -> None:
    faults = "2 problems:\n  `--path`: `a\nb` is no path\n  `c` (`\r\n`) has `d`"
    assert printable_message(faults) == (
        "2 problems:\n  `--path`: `a\\nb` is no path\n  `c` (`\\r\\n`) has `d`"
    )
    assert printable_message("`a`b` is wrong\n  `c`") == "`a`b` is wrong\n  `c`"
