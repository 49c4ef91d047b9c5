"""Loads over time, made by hand."""

from __future__ import annotations

from httpdyno.measurement import TimeBin

MS = 1_000_000


def time_bin(
    second: int, *, seconds: int = 1, ok: int = 100, ms: int = 2, **failed: int
) -> TimeBin:
    """A bin whose p50 is `ms` and whose maximum is ten times that; failures by their kind."""
    ranges = [(ms * MS, ms * MS * 5 // 4, ok), (ms * 9 * MS, ms * 11 * MS, ok // 10)]
    return TimeBin(
        second=second,
        seconds=seconds,
        due=ok + sum(failed.values()),
        ok=ok,
        failures=failed,
        p50_ns=ms * MS if ok else 0,
        p90_ns=2 * ms * MS if ok else 0,
        p99_ns=5 * ms * MS if ok else 0,
        max_ns=10 * ms * MS if ok else 0,
        times=ranges if ok else [],
    )


def long_day() -> list[TimeBin]:
    """A day, as finely as the engine has it, with every range of times and kind of failure."""
    ranges = [(1 << power, 1 << (power + 1), 7 + power) for power in range(10, 37)]
    fine = [
        (low + (high - low) * part // 4, low + (high - low) * (part + 1) // 4, count * part + 1)
        for low, high, count in ranges
        for part in range(4)
    ]
    kinds = {f"kind_{number}": number + 1 for number in range(16)}
    return [
        time_bin(at * 375, seconds=375, ms=1 + at % 50, **kinds).model_copy(update={"times": fine})
        for at in range(240)
    ]
