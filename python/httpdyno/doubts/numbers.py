"""The numbers of a measurement that a reason can cast doubt on, and what each load is for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, get_args

LoadKind = Literal["closed", "requests", "sessions", "capacity"]

Number = Literal["throughput", "p50", "p99", "errors", "cpu", "memory"]
"""A number of a measurement; `p99` stands for the whole tail."""
NUMBERS: tuple[Number, ...] = get_args(Number)
NUMBER_OF: Mapping[str, Number] = {
    "throughput_per_s": "throughput",
    "body_bytes_per_s": "throughput",
    "p50_s": "p50",
    "p99_s": "p99",
    "error_share": "errors",
    "server_cpu_s_per_request": "cpu",
    "server_rss_bytes": "memory",
}
"""The number that is in a field of a trial or a cell."""
COMPARED: Mapping[str, Number] = {
    "throughput": "throughput",
    "p99": "p99",
    "server CPU per request": "cpu",
}
"""The number that a metric of a comparison compares; a capacity rests on all of them."""
READ_FOR: Mapping[LoadKind, frozenset[Number]] = {
    "closed": frozenset({"throughput", "cpu", "memory"}),
    "requests": frozenset({"p50", "p99", "cpu"}),
    "sessions": frozenset({"p50", "p99", "cpu"}),
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
