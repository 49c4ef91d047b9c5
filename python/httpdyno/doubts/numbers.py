"""The numbers of a measurement that a reason can cast doubt on, and what each load is for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import get_args

from httpdyno.metrics import Number, Purpose

NUMBERS: tuple[Number, ...] = get_args(Number)
READ_FOR: Mapping[Purpose, frozenset[Number]] = {
    "closed": frozenset({"throughput", "cpu", "memory"}),
    "open": frozenset({"p50", "p99", "cpu"}),
    "capacity": frozenset({"p50", "p99", "errors"}),
}
"""The numbers that a load is for: a doubt about one of them makes the measurement suspect."""
_WORDS: Mapping[Number, str] = {"cpu": "CPU per request"}


def in_words(numbers: Iterable[Number]) -> str:
    """Numbers as a reader knows them: `p50, CPU per request`, or `all numbers`."""
    named = set(numbers)
    if named >= set(NUMBERS):
        return "all numbers"
    return ", ".join(_WORDS.get(one, one) for one in NUMBERS if one in named)
