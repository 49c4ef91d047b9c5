"""A coordinator's hold on the machines of a cluster.

with connect("hosts.toml") as cluster:
    for node in cluster.generators: …
"""

from __future__ import annotations

import asyncio
import os
import re
import ssl
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

from httpdyno.errors import EnvironmentFault, HttpdynoError, NodeFault, UsageError
from httpdyno.output.places import expanded, quoted_path
from httpdyno.output.printable import printable
from httpdyno.running.machines.machine_lock import ours
from httpdyno.scale.hosts_file import ROLES, Hosts, Role, host_of, read, scheduler_address
from httpdyno.scale.joining.certificates import COORDINATOR, Pems
from httpdyno.scale.joining.reason import reason_of
from httpdyno.scale.joining.security import foreign, pems_for, security, unusable
from httpdyno.scale.joining.settings import distributed_module
from httpdyno.scale.joining.versions import check, versions
from httpdyno.scale.lease import RENEW_S, SILENT_S, Holder
from httpdyno.scale.node import ANSWER_S, Clock, JoinedWorker, Node, clock_of, new_agent, together

__all__ = ["BusyFault", "Cluster", "Place", "connect", "place_of", "workers_of"]

CONNECT_S = 10.0
JOIN_S = 3.0
"""The longest wait for machines of a hosts.toml that have not joined yet."""
RELEASE_S = 10.0
PINGS = 20
PINGS_AGAIN = 5
_FARTHEST_OFFSET_S = 5.0
"""Offsets are measured and subtracted. A clock that is farther off is set wrong."""
_RETRY_S = 0.2
_BUSY_S = 3.0
"""A coordinator that has just ended may take so long to give its machines back."""
_ADDRESS = re.compile(r"\w+://")
_MOST_TEXT = 300

Say = Callable[[str], None]


class Place:
    """The way to a cluster: its scheduler, the certificates, and the machines of a file."""

    def __init__(self, scheduler: str, pems: Pems | None, hosts: Hosts | None) -> None:
        self.scheduler = scheduler
        self.pems = pems
        self.hosts = hosts

    @property
    def shown(self) -> str:
        """The command that tells what stands in the way."""
        given = quoted_path(self.hosts.file) if self.hosts else self.scheduler
        return f"httpdyno hosts check {given}"

    def worker_command(self, name: str = "NAME") -> str:
        """The command that joins a machine, to type there."""
        machines = self.hosts.machines if self.hosts else ()
        machine = next((one for one in machines if one.name == name), None)
        words = f"{machine.command if machine else 'httpdyno'} worker {self.scheduler}"
        words += f" --name {name}"
        if machine and machine.cores:
            words += f" --cores {','.join(map(str, machine.cores))}"
        return words + (f" --certificates certificates/{name}" if self.pems else "")


def place_of(on: str, certificates: Path | None = None) -> Place:
    """The cluster of `--on`: a hosts.toml, or the address of a scheduler.

    Raises UsageError, EnvironmentFault when it or its certificates cannot be read.
    """
    if not on:
        raise UsageError(
            "`--on` is empty: expected a hosts.toml, or the address of a scheduler",
            hint="`httpdyno hosts init hosts.toml` writes one to begin with",
        )
    if _ADDRESS.match(on):
        try:
            address = scheduler_address(on)
        except ValueError as wrong:
            raise UsageError(f"`--on {on}`: {wrong}") from None
        default = Path("certificates") / COORDINATOR
        folder = certificates or (default if default.is_dir() else None)
        return Place(address, pems_for(address, folder), None)
    hosts = read(expanded(on))
    folder = certificates or hosts.folder / COORDINATOR
    return Place(hosts.scheduler, pems_for(hosts.scheduler, folder), hosts)


def connect(
    on: str,
    *,
    certificates: Path | None = None,
    wait: bool = False,
    say: Say = lambda _text: None,
    command: str = "",
) -> Cluster:
    """Takes the machines of a cluster. `wait`: until another coordinator gives them back.

    `command` is shown to coordinators that find a machine busy; without credentials.

    Raises UsageError, EnvironmentFault; NodeFault for a machine that has not joined, is busy, has
    other versions, or a clock that is far off.
    """
    place = place_of(on, certificates)
    cluster = Cluster(place, client_of(place), say, command)
    try:
        cluster.take(wait=wait)
    except BaseException:
        cluster.close()
        raise
    return cluster


def client_of(place: Place) -> Any:
    """A client of the scheduler."""
    module = distributed_module("use")
    try:
        return module.Client(
            place.scheduler,
            timeout=CONNECT_S,
            security=security(module, place.pems, host_of(place.scheduler)),
            direct_to_workers=True,
        )
    except ssl.SSLError as error:
        raise unusable(error) from None
    except (OSError, RuntimeError) as error:
        if isinstance(error.__cause__, ssl.SSLError):
            raise foreign(place.scheduler) from error
        raise EnvironmentFault(
            f"the scheduler `{place.scheduler}` cannot be reached: {reason_of(error)}",
            hint="start it: `httpdyno hosts up hosts.toml`, or `httpdyno scheduler` on its machine",
        ) from error


def workers_of(client: Any, hosts: Hosts | None) -> list[JoinedWorker]:
    """The workers that have joined, by name; with the roles and addresses of the file."""
    workers = client.sync(client.scheduler.identity, n_workers=-1)["workers"]
    found = []
    for worker, known in workers.items():
        startup = known.get("httpdyno") if isinstance(known.get("httpdyno"), dict) else {}
        name = printable(str(known.get("name", worker)))
        machine = next((m for m in hosts.machines if m.name == name), None) if hosts else None
        if hosts is not None and machine is None:
            continue
        roles = tuple(role for role in ROLES if role in startup.get("roles", ["generator"]))
        address = startup.get("address")
        found.append(
            JoinedWorker(
                name=name,
                worker=str(worker),
                address=machine.address if machine else str(address) if address else None,
                roles=machine.roles if machine else roles,
                versions=startup.get("versions"),
            )
        )
    return sorted(found, key=lambda one: one.name)


class BusyFault(NodeFault):
    """Another coordinator uses the machine."""

    patience_s = _BUSY_S
    """So long it is worth waiting, even unasked."""


class Cluster:
    """The machines that this process has taken; as a context manager, given back at its end."""

    def __init__(self, place: Place, client: Any, say: Say, command: str = "") -> None:
        self.place = place
        self.client = client
        """Dask's client of the scheduler."""
        self._say = say
        self._nodes: dict[str, Node] = {}
        self._holder = Holder.here(os.getpid(), time.time(), uuid4().hex, command)
        ours(self._holder.token)
        self._closed = False
        self._renewals: list[Future[None]] = []

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def nodes(self) -> tuple[Node, ...]:
        """All machines, by name."""
        return tuple(self._nodes[name] for name in sorted(self._nodes))

    @property
    def generators(self) -> tuple[Node, ...]:
        """Those that send load."""
        return self._with_role("generator")

    @property
    def server(self) -> Node | None:
        """The one that runs the server under test."""
        return next(iter(self._with_role("server")), None)

    def _with_role(self, role: Role) -> tuple[Node, ...]:
        return tuple(node for node in self.nodes if role in node.roles)

    def take(self, *, wait: bool) -> None:
        """Takes every machine, in the order of their names, or none."""
        reported = None
        began = time.monotonic()
        while (busy := self._take(self._complete())) is not None:
            if not wait and time.monotonic() - began > busy.patience_s:
                raise busy
            if wait and busy.message != reported:
                self._say(f"waiting: {busy.message}")
                reported = busy.message
            time.sleep(_RETRY_S)
        self.measure_clocks(PINGS)
        if not self.generators:
            raise EnvironmentFault(
                f"no load generator has joined `{self.place.scheduler}`",
                hint=f"on each machine: `{self.place.worker_command()}`",
            )

    def wait_for(self, names: Sequence[str], within_s: float) -> None:
        """Takes machines again that were lost, once their workers have joined again.

        Raises NodeFault, with the last reason, when that takes longer than `within_s`.
        """
        deadline, reported = time.monotonic() + within_s, ""
        while True:
            try:
                there = {one.name: one for one in workers_of(self.client, self.place.hosts)}
                for name in names:
                    self._take_again(name, there.get(name))
                self.measure_clocks(PINGS)
                return
            except NodeFault as fault:
                if time.monotonic() > deadline:
                    raise
                if str(fault) != reported:
                    reported = str(fault)
                    self._say(reported)
                time.sleep(max(RENEW_S, _RETRY_S))

    def measure_clocks(self, pings: int = PINGS_AGAIN) -> None:
        """Measures the clocks of all machines. Raises NodeFault for one that is far off."""
        for fault in self.faults_of_clocks(pings):
            raise fault

    def faults_of_clocks(self, pings: int) -> list[NodeFault]:
        """Measures the clocks of all machines: a fault for each that is far off or silent."""
        faults = []
        for node, clock in zip(self.nodes, self.client.sync(self._clocks, pings), strict=True):
            if isinstance(clock, NodeFault):
                faults.append(clock)
                continue
            node.clock = clock
            seconds = clock.offset_ns * 1e-9
            if abs(seconds) > _FARTHEST_OFFSET_S:
                way = "ahead of" if seconds > 0 else "behind"
                fault = NodeFault(
                    node.name,
                    f"its clock is {abs(seconds):.1f} s {way} that of this machine: expected within"
                    f" {_FARTHEST_OFFSET_S:g} s",
                    hint="set both by NTP: `chronyc tracking` or `timedatectl` shows the state",
                )
                faults.append(fault)
        return faults

    def close(self) -> None:
        """Ends what runs on the machines, and gives them back."""
        if self._closed:
            return
        self._closed = True
        there = [node for node in self.nodes if not node.agent.lost]
        with suppress(HttpdynoError):
            together(there, "release", lambda _: (), RELEASE_S)
        for renewal in self._renewals:
            renewal.cancel()
        with suppress(Exception):
            self.client.close(timeout=2)

    def _complete(self) -> list[JoinedWorker]:
        """The workers, once every machine of the file has joined."""
        hosts, deadline = self.place.hosts, time.monotonic() + JOIN_S
        while True:
            there = workers_of(self.client, hosts)
            names = {one.name for one in there}
            absent = [m for m in hosts.machines if m.name not in names] if hosts else []
            if not absent:
                return there
            if time.monotonic() > deadline:
                others = ", ".join(f"`{one.name}`" for one in absent[1:])
                raise NodeFault(
                    absent[0].name,
                    f"it has not joined `{self.place.scheduler}`"
                    + (f"; nor have {others}" if others else ""),
                    hint=f"there: `{self.place.worker_command(absent[0].name)}`,"
                    f" or `httpdyno hosts up {quoted_path(hosts.file) if hosts else ''}` here",
                )
            time.sleep(_RETRY_S)

    def take_one(self, one: JoinedWorker) -> None:
        """Takes one machine. Raises NodeFault when it has other versions, or is busy."""
        node = self._agent_of(one)
        other = node.call("take")
        if other is not None:
            busy = BusyFault(
                one.name,
                f"it is busy: {other} uses it",
                hint="wait for its end, or let `--wait` do so",
            )
            if isinstance(other, Holder) and other.has_ended:
                busy.patience_s += SILENT_S
            raise busy
        self._nodes[one.name] = node
        renewing = self._renew(node)
        loop = self.client.loop.asyncio_loop
        self._renewals.append(asyncio.run_coroutine_threadsafe(renewing, loop))

    def _take(self, there: Sequence[JoinedWorker]) -> BusyFault | None:
        """Takes all workers; if one is busy, gives the others back and returns the fault."""
        try:
            for one in there:
                self.take_one(one)
        except BusyFault as busy:
            nodes, self._nodes = self.nodes, {}
            with suppress(HttpdynoError):
                together(nodes, "release", lambda _: (), RELEASE_S)
            return busy
        return None

    def _take_again(self, name: str, there: JoinedWorker | None) -> None:
        if there is None:
            raise NodeFault(name, "it has not joined again")
        before = self._nodes.get(name)
        if before is not None and before.worker == there.worker:
            with suppress(HttpdynoError):
                if before.call("renew"):
                    return
        self.take_one(there)

    def _agent_of(self, one: JoinedWorker) -> Node:
        """A node with an agent of this coordinator."""
        theirs = one.versions
        if theirs is None:  # a plain worker of Dask
            theirs = self._versions_of(one)
        check(one.name, theirs)
        return new_agent(self.client, one, self._holder)

    def _versions_of(self, one: JoinedWorker) -> Any:
        future = self.client.submit(
            versions,
            workers=[one.worker],
            allow_other_workers=False,
            retries=0,
            pure=False,
            key=f"httpdyno-versions-{uuid4().hex}",
        )
        try:
            return future.result(timeout=ANSWER_S)
        except Exception as error:
            why = f"{type(error).__name__}: {error}"[:_MOST_TEXT]
            raise NodeFault(
                one.name,
                f"its worker has no httpdyno of this version ({printable(why)})",
                hint=f"there: `{self.place.worker_command(one.name)}`, with the same httpdyno",
            ) from error

    async def _clocks(self, pings: int) -> list[Clock | NodeFault]:
        return list(await asyncio.gather(*(clock_of(node, pings) for node in self.nodes)))

    async def _renew(self, node: Node) -> None:
        """Keeps the lease of a node, until it is replaced or the cluster is closed."""
        while not self._closed and self._nodes.get(node.name) is node:
            with suppress(Exception):
                await asyncio.wait_for(node.agent.actor.renew(), ANSWER_S)
            await asyncio.sleep(RENEW_S)
