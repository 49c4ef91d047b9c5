"""The sentences that a reader needs to understand the numbers of a load."""

from __future__ import annotations

from collections.abc import Iterator

from httpdyno.cli.load.output.words import (
    CLOSED_NOTE,
    RATES_NOTE,
    few_connections,
    redirects_note,
    rows_used,
)
from httpdyno.engine_plan import EnginePlan
from httpdyno.measurement import Measurement
from httpdyno.measurement.delayed_ack import delayed_ack
from httpdyno.verdict import Verdict

__all__ = ["notes"]


def notes(
    plan: EnginePlan, m: Measurement, verdict: Verdict, server_cpus: float | None
) -> Iterator[str]:
    """The sentences, some of them empty. `server_cpus`: as of `few_connections`."""
    if censored := m.times.response.censored:
        calls = "1 call" if censored == 1 else f"{censored:,} calls"
        yield f"≥ lower bound: {calls} never finished; counted at their age when given up"
    yield redirects_note(m)
    yield delayed_ack((m,))
    if not m.is_open:
        yield CLOSED_NOTE
    if plan.load.schedule is not None and not plan.load.schedule.has_one_rate:
        yield RATES_NOTE
    yield rows_used(plan, m)
    yield few_connections(plan, m, verdict, server_cpus)
