"""Plans of loads, as the engine reads them."""

from __future__ import annotations

from httpdyno.engine_plan import EnginePlan
from httpdyno.engine_plan.reading import read

__all__ = ["OPEN", "plan"]

OPEN = {
    "kind": "requests",
    "arrivals": {"spacing": "exponential", "segments": [{"from_per_s": 500, "to_per_s": 500}]},
    "connections": 100,
}


def plan(**changed: object) -> EnginePlan:
    """A plan of ten seconds."""
    plain = {"target": {"host": "h", "port": 80}, "load": OPEN, "stop": {"duration_s": 10}}
    return read(plain | changed)
