"""The load generator's ceiling in words."""

from __future__ import annotations

from httpdyno.units import rate

BUSY = "the machine was busy"
"""Why only a lower bound of a ceiling is known: other programs can only lower it."""


def in_words(per_s: float, *, is_bound: bool) -> str:
    """`56,600/s`; or `at least 56,600/s (the machine was busy)`."""
    return f"at least {rate(per_s)} ({BUSY})" if is_bound else rate(per_s)
