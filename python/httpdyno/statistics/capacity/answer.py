"""The answer of a study of capacities: a sentence for each arm."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from httpdyno.result import CapacityRow, CellRow, Estimate, few_trials
from httpdyno.units import counted, percent, significant

MOST_NAMED = 8
"""With more arms, the table has the others."""


def capacity_answer(rows: Sequence[CellRow], spoken: Mapping[str, str]) -> str:
    """One sentence for each search of an arm, in the order of the study."""
    named = [row for row in rows if row.capacity is not None and row.arm in spoken]
    sentences = [_sentence(spoken[row.arm], row, row.capacity) for row in named if row.capacity]
    more = len(sentences) - MOST_NAMED
    noun = "more arm" if len({row.load for row in named}) == 1 else "more result"
    rest = [f"The table has {counted(more, noun)}."] if more > 0 else []
    return " ".join([*sentences[:MOST_NAMED], *rest])


def _sentence(name: str, row: CellRow, capacity: CapacityRow) -> str:
    limits = capacity.limits_in_words.replace(", ", " and ")
    if row.status == "invalid":
        why = f": {row.reasons[0].text}" if row.reasons else ""
        return f"{name}: no result at {limits}{why}."
    if capacity.capacity_per_s is None:
        if capacity.at_least_per_s is None:
            return f"{name}: no result at {limits}."
        least = significant(capacity.at_least_per_s)
        who, where = _lead(name, capacity, limits)
        sessions = _sessions(capacity, capacity.at_least_per_s)
        also = f" ({sessions})" if sessions else ""
        ended = "the search ended before the server reached its limits"
        return f"{who} holds at least {least} requests/s{also}{where}: {ended}."
    notes = "; ".join(_notes(capacity, capacity.capacity_per_s))
    value = significant(capacity.capacity_per_s.value)
    who, where = _lead(name, capacity, limits)
    return f"{who} holds {value} requests/s{where} ({notes}).{_suspect(row)}"


def _sessions(capacity: CapacityRow, requests_per_s: float) -> str:
    """The same rate in sessions: `170 sessions/s of 6 calls`; empty if the workload is none."""
    calls = capacity.calls_per_session
    if calls == 1:
        return ""
    return f"{significant(requests_per_s / calls)} sessions/s of {calls:,} calls"


def _lead(name: str, capacity: CapacityRow, limits: str) -> tuple[str, str]:
    """The cores for the rate of the study come first, if it has one."""
    cores = _cores(capacity)
    if not cores:
        return name, f" at {limits}"
    rate = f"{capacity.for_rate_per_s or 0:,.6g}"
    return f"{name} needs {cores} for {rate}/s at {limits}. It", ""


def _suspect(row: CellRow) -> str:
    return f" This result is suspect: {row.reasons[0].text}." if row.status == "suspect" else ""


def _notes(capacity: CapacityRow, found: Estimate) -> Iterator[str]:
    if found.low is None or found.high is None:
        yield few_trials(found.trials)
    else:
        least = "at least " if capacity.high_is_bound else ""
        trials = counted(found.trials, "trial")
        yield f"95 % CI {significant(found.low)} to {least}{significant(found.high)}, {trials}"
    if capacity.confirmations:
        at = significant(capacity.confirmed_at_per_s or 0.0)
        more = counted(capacity.confirmations, "further trial")
        yield f"held {at}/s in {capacity.held} of {more}"
    if sessions := _sessions(capacity, found.value):
        yield sessions


def _cores(capacity: CapacityRow) -> str:
    needed, most = capacity.cores_needed, capacity.cores_at_most
    if needed is not None:
        return cores_in_words(needed)
    if most is None:
        return ""
    count = whole(most)
    noun = "core" if count == 1 else "cores"
    return f"at most {count} {noun} ({significant(most)} or fewer)"


def cores_in_words(needed: Estimate) -> str:
    """`2 cores (1.30; 95 % CI 1.27 to 1.33)`; a range where the interval spans two numbers."""
    low, high = counts(needed)
    count = f"{low}" if low == high else f"{low} to {high}"
    interval = (
        ""
        if needed.low is None or needed.high is None
        else f"; 95 % CI {significant(needed.low)} to {significant(needed.high)}"
    )
    noun = "core" if count == "1" else "cores"
    return f"{count} {noun} ({significant(needed.value)}{interval})"


def counts(needed: Estimate) -> tuple[int, int]:
    """The fewest and the most whole cores within the interval."""
    return whole(needed.low or needed.value), whole(needed.high or needed.value)


def whole(cores: float) -> int:
    """Whole cores that give at least so many."""
    return max(1, math.ceil(cores - 1e-9))


def kept_share(capacity: CapacityRow, share: str) -> str | None:
    """The throughput under an overload as a share of the capacity: `98 %`."""
    found = share_kept(capacity, share)
    return None if found is None else percent(found)


def share_kept(capacity: CapacityRow, share: str) -> float | None:
    """The throughput under an overload ÷ the capacity; None where only a bound of it is known."""
    goodput, found = capacity.goodput_per_s.get(share), capacity.capacity_per_s
    return None if goodput is None or found is None or not found.value else goodput / found.value
