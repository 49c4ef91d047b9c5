"""Checks of what a server cost."""

from __future__ import annotations

from httpdyno.measurement import Measurement
from httpdyno.units import duration
from httpdyno.verdict.checks.words import Words, at_most, beside
from httpdyno.verdict.context import Context

TICK_S = 0.01
"""The kernel shows the CPU time of a process in steps of this (`USER_HZ` of time(7))."""


def coarse_cpu(_: Measurement, context: Context, limit: float) -> Words | None:
    """The server used so much CPU time that the kernel's step is a small part of it."""
    used_s = context.server_cpu_s
    if used_s is None or limit * used_s >= TICK_S:
        return None
    share = f"{beside(TICK_S / used_s, limit)}, " if used_s > 0 else ""
    used = duration(used_s) if used_s > 0 else f"under {duration(TICK_S)}"
    return {"used": used, "step": duration(TICK_S), "share": f"{share}limit {at_most(limit)}"}
