"""The share of a server's processors that others took, from readings of the machine."""

from __future__ import annotations

import pytest
from httpdyno.outcome import CoreUse, MachineUse
from httpdyno.running.measuring.processors import Processors
from httpdyno.servers import Usage


def used(*busy: float, window_s: float = 5.0) -> MachineUse:
    cores = [
        CoreUse(core=n, busy_share=share, softirq_share=0.0, steal_share=0.0)
        for n, share in enumerate(busy)
    ]
    return MachineUse(
        roles=("server", "generator"),
        window_s=window_s,
        cores=tuple(cores),
        memory_bytes=0,
        memory_total_bytes=0,
    )


class Reading:
    """A watch of a machine that did this without load."""

    def __init__(self, use: MachineUse) -> None:
        self.use = use

    def begin(self) -> None: ...

    def end(self) -> tuple[MachineUse, ...]:
        return (self.use,)


def share(
    during: MachineUse, idle: MachineUse, server_s: float | None, cores: int = 1, spare: int = 0
) -> float:
    """The share that others took of these cores, beside a load generator on others."""
    generator = list(range(cores, cores + 1 + spare))
    processors = Processors(list(range(cores)), generator, lambda: Reading(idle), Idle)
    return processors.share((during,), server_s, 0.0, 1000.0).share


class Idle:
    """A meter of a server that does nothing."""

    def snapshot(self) -> Usage:
        return Usage(0.0, 0.0, 0, 0, 1, 1, 0, 0)

    def quick(self) -> None: ...


def test_programs_that_run_without_load_too_took_what_the_server_did_not_use() -> None:
    assert share(used(1.0), used(1.0, window_s=0.4), server_s=2.0) == pytest.approx(0.6)


def test_programs_count_that_were_on_the_load_generators_processor_without_load() -> None:
    """The kernel moves them to the server's when the generator needs its own."""
    moved = share(used(1.0, 0.9), used(0.0, 1.0, window_s=0.4), server_s=2.0)
    assert moved == pytest.approx(0.6)
    free = share(used(1.0, 0.9, 0.0), used(0.0, 1.0, 0.0, window_s=0.4), server_s=2.0, spare=1)
    assert free == pytest.approx(0.0)


def test_work_that_is_there_only_with_the_load_may_be_the_servers_own() -> None:
    """A container, or a database, which are no processes of the server."""
    assert share(used(1.0), used(0.0, window_s=0.4), server_s=2.0) == pytest.approx(0.0)


def test_others_take_nothing_from_a_server_that_has_a_processor_to_spare() -> None:
    idle = used(1.0, 0.0, 0.0, 0.0, window_s=0.4)
    assert share(used(1.0, 0.9, 0.0, 1.0), idle, server_s=4.5, cores=3) == 0.0
    assert share(used(1.0, 0.9, 0.9, 1.0), idle, server_s=4.5, cores=3) == pytest.approx(1 / 3)


def test_nothing_is_told_of_a_server_whose_processes_cannot_be_seen() -> None:
    assert share(used(1.0), used(1.0), server_s=None) == 0.0
