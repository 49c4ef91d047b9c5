"""The loads of a comparison, and which of them decides about which metric.

Throughput is measured at full speed: a closed loop. p99 and CPU per request are measured at a rate
that both arms can hold, because a slower server would otherwise get fewer requests.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from httpdyno.measurement import ENOUGH_CALLS
from httpdyno.metrics import ComparedBy
from httpdyno.result import LoadInfo, StudyResult
from httpdyno.study import ClosedLoad, Load, RequestsLoad, SessionsLoad
from httpdyno.study.loads import LOADS
from httpdyno.study.loads.shape import MOST_QUICK_S

FULL_SPEED = "full-speed"
SAME_RATE = "same-rate"
CONNECTIONS = 10
DURATION_S = 2.0
BLOCKS = 10
RATE_SHARE = 0.5
"""Of the slower arm's throughput: busy, with room for a slow moment."""

Loads = dict[str, Load]


def full_speed(connections: int, duration_s: float, http: Mapping[str, Any] | None = None) -> Loads:
    """A closed loop on this many connections. `http`: the keys of its version, if given."""
    load = ClosedLoad(
        kind="closed",
        title="full speed",
        connections=(connections,),
        duration=duration_s,
        **(http or {}),
    )
    return {FULL_SPEED: load}


def same_rate(
    rate: float,
    duration_s: float,
    http: Mapping[str, Any] | None = None,
    calls: int | None = None,
) -> Loads:
    """A rate for both arms, for long enough that p99 rests on enough calls. `calls`: of a session,
    if the workload is one; the rate is that of sessions then."""
    enough_s = min(MOST_QUICK_S, ENOUGH_CALLS / (rate * (calls or 1)))
    keys = {"title": "same rate", "rate": (rate,), "duration": max(duration_s, enough_s)}
    keys |= http or {}
    if calls is not None:
        return {SAME_RATE: SessionsLoad(kind="sessions", **keys)}
    return {SAME_RATE: RequestsLoad(kind="requests", **keys)}


def http_of(loads: Mapping[str, Load]) -> dict[str, Any]:
    """The keys of the version of HTTP of these loads, which is the same for all of them."""
    return next(({"http": one.http, "streams": one.streams} for one in loads.values()), {})


def rate_for(throughputs: Mapping[str, float], calls: int | None = None) -> float:
    """A share of the throughput of the slower arm, rounded to two digits. `calls`: as above."""
    share = RATE_SHARE * min(throughputs.values()) / (calls or 1)
    return max(1.0, float(f"{share:.1e}"))


def deciding_loads(loads: Mapping[str, Load | LoadInfo], *, cpu: bool) -> dict[ComparedBy, str]:
    """The load that decides about each metric. Without `cpu`, its time is not measured."""
    closed = [name for name, load in loads.items() if load.kind == "closed"]
    paced = [name for name, load in loads.items() if LOADS[load.kind].purpose == "open"]
    found: dict[ComparedBy, str] = {}
    if closed:
        found["throughput"] = closed[0]
    if paced:
        found["p99"] = paced[0]
    if cpu:
        found["server CPU per request"] = (paced or closed)[0]
    return found


def measures_cpu(result: StudyResult) -> bool:
    """True if the CPU time of some server was measured: not of one that ran already."""
    return any(
        trial.server_cpu_s_per_request is not None for cell in result.cells for trial in cell.trials
    )
