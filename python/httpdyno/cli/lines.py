"""Text in lines of a width."""

from __future__ import annotations

import textwrap

__all__ = ["lines_of"]


def lines_of(text: str, width: int, *, first: str = "", others: str = "") -> list[str]:
    """The text in lines, of which the first begins with `first`; a path or a command stays whole,
    to be copied."""
    return textwrap.wrap(
        text,
        max(1, width),
        initial_indent=first,
        subsequent_indent=others,
        break_long_words=False,
        break_on_hyphens=False,
    )
