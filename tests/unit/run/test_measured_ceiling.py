"""The ceiling of the load generator, measured while other programs take the processors."""

from __future__ import annotations

from pathlib import Path

from httpdyno.host.pinning import available
from httpdyno.outcome import CoreUse, MachineUse
from httpdyno.plan import Plan
from httpdyno.running.machines.site import ThisMachine
from httpdyno.running.machines.watch import Watch
from httpdyno.running.measuring.ceiling import measure_ceiling
from httpdyno.study.read import parse_study
from httpdyno.workloads import WORKLOADS

STUDY = """
title = "x"
warm_up = 0
[[arms]]
server = "a"
deployments = ["1"]
[loads.one]
kind = "closed"
duration = 0.2
"""


class Readings:
    """Every processor is busy, with load and without."""

    def begin(self) -> None: ...

    def end(self) -> tuple[MachineUse, ...]:
        use = MachineUse(
            roles=("server", "generator"),
            window_s=5.0,
            cores=tuple(
                CoreUse(core=core, busy_share=1.0, softirq_share=0.0, steal_share=0.0)
                for core in available()
            ),
            memory_bytes=0,
            memory_total_bytes=0,
        )
        return (use,)


class BusyMachine(ThisMachine):
    """This machine, which other programs keep busy."""

    watched = 0

    def watch(self) -> Watch:
        self.watched += 1
        return Readings()


def test_a_busy_machine_gives_a_lower_bound_after_one_more_try() -> None:
    (cell,) = Plan(parse_study(STUDY, Path("x.toml"))).cells
    site = BusyMachine(available())
    found = measure_ceiling(cell, WORKLOADS["hello"], site)
    assert found is not None
    assert found.per_s > 0
    assert found.is_bound
    # Each of three tries, with and without load.
    assert site.watched == 6
