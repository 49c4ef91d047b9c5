"""Texts from studies, servers and files, made safe to show: no control character stays raw."""

from __future__ import annotations

import re

_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters except tab and newline, characters that reorder text, lone surrogates."""


def printable(text: str) -> str:
    """The text with each unsafe character as its escape: `\\x1b` for the one that starts colours.

    A terminal obeys escape sequences, and text that runs backwards hides what it says.
    """
    return _UNSAFE.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    code = ord(found.group())
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
