"""The agent of a machine: a Dask actor that runs the engine for a coordinator.

Every method returns soon and leaves the worker's event loop free: the engine works on its own
threads, and whatever waits for it waits on another one.
"""

from __future__ import annotations

import asyncio
import errno
import os
import resource
import shutil
import socket
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from httpdyno import engine
from httpdyno.choices import PHASES, Phase
from httpdyno.engine_plan import ClosedLoad, EnginePlan, Stop, Target
from httpdyno.engine_plan.reading import read_json
from httpdyno.errors import EnvironmentFault, UsageError
from httpdyno.host.facts import machine_facts
from httpdyno.running.measuring.ceiling import DISTURBANCES, Ceiling
from httpdyno.scale.joining.place import Place, boot, here, on_all_cores
from httpdyno.scale.lease import LEASE, Holder
from httpdyno.verdict import Context, judge

__all__ = ["Agent", "Facts", "Refusal", "RunSnapshot"]

P = ParamSpec("P")
T = TypeVar("T")

_STARTED: set[str] = set()
"""Every run that this process has started: a run is never started twice."""
CEILING_S = 1.0
CONNECT_S = 2.0
_NO_WAY = {errno.EADDRNOTAVAIL, errno.EINVAL, errno.ENETUNREACH, socket.EAI_ADDRFAMILY}
"""Of an address: not of this machine, on loopback only, without a route, another IP version."""
CEILING_CONNECTIONS = 64


class Refusal(EnvironmentFault):
    """The agent cannot carry out a call; the coordinator adds the name of the machine."""


@dataclass(frozen=True)
class Facts:
    """A machine as its agent sees it."""

    place: Place
    pid: int
    user: int
    open_files: tuple[int, int]
    """The soft and the hard limit."""
    driver: str
    """The one that the engine would choose, and why."""
    doubts: tuple[str, ...]
    """Reasons why results of this machine are less reliable, each with what to do."""
    facts: tuple[dict[str, Any], ...]
    """The rows of the table of the machine."""
    boot: str
    """As `place.boot`."""


@dataclass(frozen=True)
class RunSnapshot:
    """A run at one moment."""

    phase: Phase
    progress: engine.Progress


class Agent:
    """Runs the engine for one coordinator."""

    def __init__(self, holder: Holder) -> None:
        self._holder = holder
        self._prepared: tuple[str, EnginePlan, Mapping[str, bytes]] | None = None
        self._run: tuple[str, engine.Running] | None = None

    async def take(self) -> Holder | str | None:
        """Takes the machine for the coordinator; returns who has it instead, if another one."""
        other = await asyncio.to_thread(LEASE.take, self._holder)
        if other is None:
            LEASE.on_end(self._end)
        return other

    async def renew(self) -> bool:
        """The coordinator is alive. False: the machine is not its own any more."""
        return LEASE.renew(self._holder.token)

    async def release(self) -> None:
        """Ends what the coordinator has started here, and gives the machine back."""
        await asyncio.to_thread(LEASE.give_back, self._holder.token)

    async def clock(self) -> int:
        """The wall clock, nanoseconds since 1970."""
        return time.time_ns()

    async def facts(self) -> Facts:
        """The machine; without the fact that an agent is pinned."""
        return await asyncio.to_thread(_facts)

    async def ceiling(self) -> Ceiling:
        """Requests/s of the engine against a reference server, both on this machine."""
        return await asyncio.to_thread(_ceiling, here())

    async def prepare(self, run: str, plan: str, files: Mapping[str, bytes]) -> None:
        """Takes the plan of a run, and the files that it names, as they are on the coordinator.

        It connects to the server once, so that its time shows how long the engine will take.
        """
        self._demand_lease()
        if run in _STARTED:
            raise UsageError(f"run {run} was started already: expected a new one")
        await asyncio.to_thread(self._end)
        understood = read_json(plan)
        self._prepared = run, understood, files
        await asyncio.to_thread(_connect, understood)

    async def start(self, run: str, at_ns: int) -> None:
        """Starts the prepared run at an instant of this machine's wall clock, in the future."""
        self._demand_lease()
        prepared, self._prepared = self._prepared, None
        if prepared is None or prepared[0] != run or run in _STARTED:
            raise UsageError(f"run {run} is not prepared: expected to start each run once")
        _STARTED.add(run)
        late_ns = time.time_ns() - at_ns
        if late_ns >= 0:
            raise Refusal(f"it learned of the start {late_ns * 1e-9:.3f} s too late")
        running = await asyncio.to_thread(_in_time, _start, prepared[1], prepared[2], at_ns)
        if not LEASE.renew(self._holder.token):
            await asyncio.to_thread(running.abandon)
            self._demand_lease()
        self._run = run, running

    async def wait(self, run: str, phase: Phase, within_s: float) -> RunSnapshot:
        """Waits for a phase, at most `within_s`; the run as it is then."""
        running = self._running(run)
        await asyncio.to_thread(running.wait, phase, within_s)
        now = next(p for p in reversed(PHASES) if p == "connecting" or running.wait(p, 0))
        return RunSnapshot(now, running.progress())

    async def stop(self, run: str) -> None:
        """Stops a run: no new calls. A second time: no more waiting for replies."""
        with suppress(EnvironmentFault):
            self._running(run).stop()

    async def result(self, run: str) -> bytes:
        """The whole result of a run that is done, for `engine.merge`. Raises what made it fail."""
        return await asyncio.to_thread(_whole, self._running(run))

    async def call_log(self, run: str) -> bytes:
        """The records of a run's calls, as the engine writes them."""
        log = await asyncio.to_thread(self._running(run).call_log)
        return log.records

    def _running(self, run: str) -> engine.Running:
        self._demand_lease()
        if self._run is None or self._run[0] != run:
            raise Refusal("the run is not under way there")
        return self._run[1]

    def _demand_lease(self) -> None:
        if not LEASE.renew(self._holder.token):
            raise Refusal("it heard nothing of this coordinator for 8 s, so it ended the run")

    def _end(self) -> None:
        """Ends the run under way, if there is one."""
        run, self._run = self._run, None
        if run is not None:
            run[1].abandon()


def _connect(plan: EnginePlan) -> None:
    """Connects to the server once, from the address of the load. If the server does not answer, the
    engine will say why. Raises EnvironmentFault where there is no way from that address."""
    first = plan.proxy or plan.target
    address = next(iter(plan.source.addresses), None)
    source = (address, 0) if address else None
    try:
        socket.create_connection((first.host, first.port), CONNECT_S, source).close()
    except OSError as error:
        if address is not None and error.errno in _NO_WAY:
            raise EnvironmentFault(
                f"`{first.host}:{first.port}` cannot be reached from the load address `{address}`:"
                f" {error.strerror}",
                hint="`address` in hosts.toml (`--address` of its worker) has to be an address of"
                " this machine, on the network of the server; `ip address` there lists them",
            ) from None


def _start(plan: EnginePlan, files: Mapping[str, bytes], at_ns: int) -> engine.Running:
    """Starts the engine, which reads its files now: they are there only for this moment."""
    folder = Path(tempfile.mkdtemp(prefix="httpdyno-"))  # of mode 0700
    try:
        places = {}
        for number, (name, content) in enumerate(files.items()):
            # Its own name is in the engine's words.
            places[name] = folder / str(number) / Path(name).name
            places[name].parent.mkdir()
            places[name].write_bytes(content)
        return engine.start(_with_files(plan, places), at=at_ns)
    except OSError as error:
        raise EnvironmentFault(f"`{error.filename or folder}`: {error.strerror}") from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _with_files(plan: EnginePlan, places: Mapping[str, Path]) -> EnginePlan:
    """The plan with the files of the coordinator where they are here."""
    data = [replace(one, file=str(places[one.file])) for one in plan.data]
    plan, tls = replace(plan, data=data), plan.target.tls
    if tls is None or not places:
        return plan

    def place(name: str | None) -> str | None:
        return None if name is None else str(places[name])

    ca, certificate, key = map(place, (tls.ca, tls.certificate, tls.key))
    here_ = replace(tls, ca=ca, certificate=certificate, key=key)
    return replace(plan, target=replace(plan.target, tls=here_))


def _whole(running: engine.Running) -> bytes:
    _in_time(running.result)  # raises what made the run fail
    return running.whole()


def _in_time(do: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
    """Calls the engine. Raises Refusal when the start has passed: connecting took too long."""
    try:
        return do(*args, **named)
    except UsageError as error:
        if "in the past" in error.message:
            raise Refusal(
                f"it was not ready in time: {error.message}",
                hint="another program may keep its processors busy: measure again",
            ) from None
        raise


def _facts() -> Facts:
    with on_all_cores():
        facts = machine_facts()
    probe = engine.probe()
    return Facts(
        place=here(),
        pid=os.getpid(),
        user=os.geteuid(),
        open_files=resource.getrlimit(resource.RLIMIT_NOFILE),
        driver=f"{probe.chosen} ({probe.reason})",
        doubts=tuple(f"{fact.label}: {fact.doubt}" for fact in facts if fact.doubt),
        facts=tuple(fact.model_dump() for fact in facts),
        boot=boot(),
    )


def _ceiling(place: Place) -> Ceiling:
    cores = list(place.engine)
    with engine.reference(pages=[("/", "text/plain", b"x" * 12)], cpus=cores[:1]) as server:
        host, _, port = server.address.rpartition(":")
        used = cores[1:] or cores
        plan = EnginePlan(
            target=Target(host=host, port=int(port)),
            load=ClosedLoad(connections=CEILING_CONNECTIONS),
            stop=Stop(duration_s=CEILING_S, drain_s=1.0),
            warm_up_s=0.2,
            threads=len(used),
            cpus=used,
            shared_cpus=len(cores) == 1,
        )
        found = engine.measure(plan)
    codes = {reason.code for reason in judge(found, Context(plan)).reasons}
    return Ceiling(found.throughput_per_s, is_bound=not DISTURBANCES.isdisjoint(codes))
