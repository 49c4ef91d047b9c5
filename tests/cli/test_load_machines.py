"""The summary of a load from several machines."""

from __future__ import annotations

from httpdyno.cli.load.machines import server_here
from httpdyno.engine import Running
from httpdyno.engine_plan import ClosedLoad, EnginePlan, Request, Stop, Target
from httpdyno.running.machines.generator import LOCAL

from .measurements import MS, measurement
from .plans import plan
from .test_load_summary import shown


def test_a_clock_that_is_not_known_well_is_told_beside_its_machine() -> None:
    node = {"ok": 5, "p99_ns": MS, "lag_p99_ns": 0, "busy_share": 0.1, "started_at_ns": 0}
    offsets = {"a": MS, "b": MS + 1}
    nodes = [{"name": name, "offset_error_ns": error} | node for name, error in offsets.items()]
    text = " ".join(shown(plan(), measurement(nodes=nodes), width=160).split())
    assert "clock ±1.00 ms b: " in text
    assert "clock ±1.00 ms (its seconds may be shifted by as much)" in text


class Elsewhere:
    """Load generators on other machines."""

    is_here = False

    def start(self, plan: EnginePlan) -> Running:
        raise NotImplementedError


def test_a_loopback_address_of_other_machines_is_no_server_of_this_one() -> None:
    def at(host: str) -> EnginePlan:
        target, load = Target(host=host, port=1), ClosedLoad(connections=1)
        return EnginePlan(
            target=target, requests=[Request(path="/")], load=load, stop=Stop(count=1)
        )

    for host in ("127.0.0.1", "localhost", "::1"):
        assert server_here(Elsewhere(), at(host)) is None
        assert server_here(LOCAL, at(host)) is not None
    assert server_here(Elsewhere(), at("192.0.2.1")) is not None
