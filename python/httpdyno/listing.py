"""Names in a list, as in a sentence."""

from __future__ import annotations

from collections.abc import Sequence


def both(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return _join(names, " and ")


def either(names: Sequence[str]) -> str:
    """`a`, `a or b`, `a, b or c`."""
    return _join(names, " or ")


def _join(names: Sequence[str], word: str) -> str:
    return word.join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
