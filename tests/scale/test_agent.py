"""The agent of a machine: it starts each run once, in time or not at all."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from httpdyno import engine
from httpdyno.engine_plan import ClosedLoad, EnginePlan, Request, Stop, Target, to_json
from httpdyno.errors import EnvironmentFault, UsageError
from httpdyno.scale.agent import Agent, Refusal, _ceiling, _in_time
from httpdyno.scale.joining.place import Place, divide_cores
from httpdyno.scale.lease import LEASE, Holder

if TYPE_CHECKING:
    from httpdyno import _engine


@pytest.fixture
def agent() -> Iterator[Agent]:
    """The agent of this process, which is taken."""
    taken = Agent(Holder.here(os.getpid(), time.time(), "token"))
    assert asyncio.run(taken.take()) is None
    yield taken
    LEASE.end()


def plan_for(server: _engine.Reference) -> str:
    host, _, port = server.address.rpartition(":")
    plan = EnginePlan(
        target=Target(host=host, port=int(port)),
        requests=[Request(path="/hello")],
        load=ClosedLoad(connections=1),
        stop=Stop(count=5, duration_s=30),
    )
    return to_json(plan)


def test_a_machine_that_learns_of_the_start_too_late_refuses_and_sends_nothing(
    agent: Agent, server: _engine.Reference
) -> None:
    async def late() -> None:
        await agent.prepare("late", plan_for(server), {})
        await agent.start("late", time.time_ns() - 1_000_000)

    with pytest.raises(Refusal, match=r"it learned of the start 0\.\d+ s too late"):
        asyncio.run(late())
    assert server.requests == 0


def test_a_start_that_arrives_twice_sends_one_load(agent: Agent, server: _engine.Reference) -> None:
    async def twice() -> int:
        await agent.prepare("twice", plan_for(server), {})
        at_ns = time.time_ns() + 5_000_000_000
        await agent.start("twice", at_ns)
        with pytest.raises(UsageError, match="expected to start each run once"):
            await agent.start("twice", at_ns)
        with pytest.raises(UsageError, match="was started already"):
            await agent.prepare("twice", plan_for(server), {})
        await agent.result("twice")
        return server.requests

    assert asyncio.run(twice()) in {5, 6}  # a connection to try the server may count


def test_a_machine_that_is_ready_too_late_is_at_fault_and_not_the_command_line() -> None:
    plan = EnginePlan(target=Target(), load=ClosedLoad(connections=1), stop=Stop(duration_s=1))
    with pytest.raises(EnvironmentFault, match="it was not ready in time") as refused:
        _in_time(engine.start, plan, at=1)
    assert refused.value.hint == "another program may keep its processors busy: measure again"


def test_the_agent_keeps_to_a_core_that_the_engine_does_not_use() -> None:
    assert (divide_cores([0, 1, 2, 3]).engine, divide_cores([0, 1, 2, 3]).agent) == (
        (1, 2, 3),
        (0,),
    )
    assert divide_cores([0, 1, 2, 3], [0, 1]).agent == (2, 3)
    assert divide_cores([5]).shared


def test_a_ceiling_beside_another_program_on_the_same_core_is_a_lower_bound() -> None:
    """The other program takes the core in turn with the engine, whatever else runs here."""
    core = min(os.sched_getaffinity(0))
    spin = (
        "import os, sys; os.sched_setaffinity(0, {int(sys.argv[1])}); print(flush=True)\n"
        "while True: pass"
    )
    command = [sys.executable, "-c", spin, str(core)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as neighbour:
        assert neighbour.stdout is not None
        neighbour.stdout.readline()
        try:
            found = _ceiling(Place((core,), (core,)))
        finally:
            neighbour.kill()
    assert found.per_s > 0
    assert found.is_bound
