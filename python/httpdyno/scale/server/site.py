"""The machines of a study: its servers on one of them, its load from others."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from httpdyno.address import family_of
from httpdyno.choices import HttpVersion
from httpdyno.errors import NodeFault, UsageError
from httpdyno.host.facts import machine_facts
from httpdyno.host.pinning import Pinning, available, cores_in_words
from httpdyno.outcome import MachineUse
from httpdyno.result import Fact, MachineRow, PathRow, Role
from httpdyno.running.machines.generator import Generator
from httpdyno.running.machines.site import LiveServer, Page
from httpdyno.scale.cluster import Cluster
from httpdyno.scale.generator import Generators
from httpdyno.scale.node import Node
from httpdyno.scale.server.agent import ServerAgent, Setup
from httpdyno.scale.server.callers import Caller, LocalCaller, all_at_once, run_job
from httpdyno.scale.server.machine import MachineAgent, MachineIdentity, RoundTrips, ip_address
from httpdyno.scale.server.parcel import Parcel, is_sent, pack
from httpdyno.scale.server.path import carried_bits_per_s, path_row, reports_no_speed
from httpdyno.scale.server.remote_server import RemoteServer
from httpdyno.servers import (
    CheckRow,
    Conformance,
    Installation,
    Server,
    check_workloads,
    install,
    start_or_attach,
)
from httpdyno.servers.declaration.load import CATALOGUE
from httpdyno.servers.folders import cache_folder
from httpdyno.workloads import Workload

__all__ = ["ClusterSite"]

NODE_WAIT_S = 60.0
PING_S = 60.0
_ADDRESS = re.compile(r"\b[0-9]+(\.[0-9]+){3}\b")
HERE = "coordinator"
"""The name of this machine, if no worker runs on it."""


class ClusterSite:
    """The machines that a coordinator has taken.

    Without one of the role `server`, the servers run on this machine. Agents that were lost are
    replaced when they are used next, once `wait_until_whole` has found their machines again.
    """

    def __init__(self, cluster: Cluster, node_wait_s: float = NODE_WAIT_S) -> None:
        self._cluster = cluster
        self._node_wait_s = node_wait_s
        self._names = [node.name for node in cluster.nodes]
        self._server_agent: tuple[Node | None, Caller] | None = None
        self._watchers: dict[str, tuple[Node | None, Caller]] = {}
        self._servers: dict[str, tuple[Server, Setup]] = {}
        """By the prefix of their installation; with what the present agent has of them."""
        self._overlap = False
        self.generator: Generator = Generators(cluster)
        self.machines: Sequence[MachineRow] = ()
        self.paths: Sequence[PathRow] = ()

    # The machines

    def survey(self, say: Callable[[str], None]) -> None:
        """Gathers the facts of all machines, and measures the path from each load generator."""
        for sentence in run_job(self._agent(), None, "welcome"):
            say(f"{self._server_name}: {sentence}")
        self.machines = self._rows()
        identities = {name: self._watcher(name).call("identity") for name in self._watched}
        server = identities[self._server_name]
        self._overlap = self._shares_cores(identities)
        there = self._watcher(self._server_name)
        port = there.call("answer_pings")
        try:
            self.paths = [
                self._path(node.name, identities[node.name], server, port)
                for node in self._cluster.generators
                if node.name != self._server_name
            ]
        finally:
            with suppress(NodeFault):
                there.call("end_pings")
        if self.paths and reports_no_speed(server):
            say("measuring how much the network carries, because its speed is not reported")
            carried = carried_bits_per_s(self, [path.generator for path in self.paths])
            update = {"carried_bits_per_s": carried}
            self.paths = [path.model_copy(update=update) for path in self.paths]
        for row in self.machines:
            say(f"{row.name}: {row.text}")
        for path in self.paths:
            say(f"path {path.generator} → {path.server}: {path.text}")

    def wait_until_whole(self, say: Callable[[str], None]) -> None:
        """Waits for lost machines, at most `node_wait_s`."""
        say(f"waiting at most {self._node_wait_s:g} s for the lost machine")
        try:
            self._cluster.wait_for(self._names, self._node_wait_s)
        except NodeFault as fault:
            hint = fault.hint or f"start the worker of `{fault.node}` again"
            raise NodeFault(fault.node, fault.reason, hint=hint) from fault
        say("all machines are back")

    def close(self) -> None:
        """Ends the agents in this process; those of other machines end with their lease."""
        known = [*self._watchers.values(), *([self._server_agent] if self._server_agent else [])]
        for _, caller in known:
            if isinstance(caller, LocalCaller):
                caller.agent.end()

    # Servers

    def install(self, server: Server, report: Callable[[str], None]) -> Installation:
        """Sends what is not of the catalogue, and installs it on the server's machine."""
        if server.running_at is not None:
            return install(server, report=report)
        if server.client_tls is not None and server.client_tls.certificate is not None:
            raise UsageError(
                f"`{server.name}` demands a client certificate (`cert`), and runs on another"
                " machine: expected a server without, or one that runs already (`url`)"
            )
        _demand_host(server, self._server_name)
        setup = self._set_up(server, report)
        log = self._install_log(server)
        return Installation(server, setup.prefix, setup.version, log)

    def pinning(self, server: Server, deployment: str) -> Pinning:
        """Cores of the server's machine; for the load, as many as the smallest generator has."""
        least = min((node.cores for node in self._cluster.generators), key=len)
        count = server.deployment(deployment).cores
        cores = sorted(self._server_cores)
        used = cores if count == "all" else cores[:count]
        short = count != "all" and count > len(cores)
        note = f"server on {cores_in_words(used)} of {self._server_name}"
        if short:
            note += f", which has {len(cores)} instead of the {count} that it uses"
        if self._overlap:
            note += ": a load generator on the same machine takes CPU time from it"
        return Pinning(used, list(least), self._overlap, note)

    def start(
        self, installation: Installation, deployment: str, pinning: Pinning, log: Path
    ) -> LiveServer:
        """Starts a fresh server on its machine, at the address of the load."""
        server = installation.server
        if server.running_at is not None:
            return start_or_attach(installation, deployment, cpus=None, log=log)
        for caller in self._every_watcher():
            with suppress(NodeFault):
                caller.call("settle")
        setup = self._set_up(server, None)
        agent = self._agent()
        up = run_job(agent, log, "start", setup.key, deployment, tuple(pinning.server))
        return RemoteServer(agent, self._watcher(self._server_name), up, log)

    def check(self, running: LiveServer, workload: Workload, http: HttpVersion) -> list[CheckRow]:
        """Sends every request once, from the server's machine."""
        if isinstance(running, RemoteServer):
            rows: list[CheckRow] = run_job(self._agent(), None, "check", workload, http)
            return rows
        at = running.target
        return check_workloads(at.host, at.port, [workload], target=at, http=http)

    def conformance(self, installation: Installation, deployment: str) -> Conformance | None:
        """The last check on the server's machine."""
        if installation.server.running_at is not None:
            return None
        key = self._set_up(installation.server, None).key
        found: Conformance | None = run_job(self._agent(), None, "conformance", key, deployment)
        return found

    @contextmanager
    def reference(self, pages: Sequence[Page]) -> Iterator[tuple[tuple[str, int], Pinning]]:
        """The reference server on the server's machine, on one core."""
        least = min((node.cores for node in self._cluster.generators), key=len)
        cpus = sorted(self._server_cores)[:1]
        at = run_job(self._agent(), None, "start reference", list(pages), cpus)
        try:
            yield at, Pinning(cpus, list(least), self._overlap, "")
        finally:
            with suppress(NodeFault):
                run_job(self._agent(), None, "stop reference")

    def watch(self) -> _Watch:
        """Samples all machines."""
        return _Watch(self._every_watcher())

    # Within

    @property
    def _server_name(self) -> str:
        node = self._cluster.server
        return HERE if node is None else node.name

    @property
    def _server_cores(self) -> Sequence[int]:
        node = self._cluster.server
        return available() if node is None else node.cores

    @property
    def _watched(self) -> list[str]:
        """The machines with load, that of the server first."""
        generators = [node.name for node in self._cluster.generators]
        return list(dict.fromkeys([self._server_name, *generators]))

    def _every_watcher(self) -> list[Caller]:
        return [self._watcher(name) for name in self._watched]

    def _watcher(self, name: str) -> Caller:
        node = next((one for one in self._cluster.nodes if one.name == name), None)
        known = self._watchers.get(name)
        if known is None or known[0] is not node:
            known = node, self._new(node, MachineAgent, self._roles(node))
            self._watchers[name] = known
        return known[1]

    def _agent(self) -> Caller:
        """The agent of the server's machine; a new one has installed nothing yet."""
        node = self._cluster.server
        known = self._server_agent
        if known is None or known[0] is not node:
            self._servers.clear()
            known = self._server_agent = node, self._new(node, ServerAgent)
        return known[1]

    def _new(self, node: Node | None, kind: type, *more: object) -> Caller:
        if node is None:
            address = self._own_address()
            return LocalCaller(HERE, kind(HERE, address, *more))
        caller: Caller = node.actor(kind, node.name, node.address, *more)
        return caller

    def _own_address(self) -> str:
        """The address of this machine on the way to the first load generator."""
        generator = ip_address(self._cluster.generators[0].address)
        with socket.socket(family_of(generator), socket.SOCK_DGRAM) as probe:
            probe.connect((generator, 9))  # sends nothing
            address: str = probe.getsockname()[0]
            return address

    def _set_up(self, server: Server, report: Callable[[str], None] | None) -> Setup:
        """The installation of a server with the present agent."""
        agent = self._agent()
        name = f"{server.name} {server.folder}"
        known = self._servers.get(name)
        if known is not None and known[0] == server:
            return known[1]
        parcel = pack(server) if self._is_sent(server) else None
        if parcel is not None:
            self._send(agent, server.name, parcel, report)
        digest = None if parcel is None else parcel.digest
        local = self._cluster.server is None
        log = self._install_log(server)
        log.unlink(missing_ok=True)
        setup: Setup = run_job(agent, log, "install", server, digest, local, say=report)
        self._servers[name] = server, setup
        return setup

    def _is_sent(self, server: Server) -> bool:
        return self._cluster.server is not None and is_sent(server, CATALOGUE)

    @staticmethod
    def _send(
        agent: Caller, name: str, parcel: Parcel, report: Callable[[str], None] | None
    ) -> None:
        if agent.call("has", parcel.digest):
            return
        if report is not None:
            report(f"{name}: sending {parcel.text}, to {agent.node}")
        run_job(agent, None, "receive", parcel.content, parcel.digest)

    @staticmethod
    def _install_log(server: Server) -> Path:
        return cache_folder() / "servers" / server.name / "remote.log"

    def _rows(self) -> list[MachineRow]:
        rows = [MachineRow(name=HERE, roles=["coordinator"], address="", facts=machine_facts())]
        if self._cluster.server is None:
            update = {"roles": ["coordinator", "server"], "address": self._own_address()}
            rows = [rows[0].model_copy(update=update)]
        for node in self._cluster.nodes:
            facts = [Fact.model_validate(one) for one in _facts(node)]
            roles = list(self._roles(node))
            rows.append(MachineRow(name=node.name, roles=roles, address=node.address, facts=facts))
        return rows

    def _roles(self, node: Node | None) -> tuple[Role, ...]:
        """Its roles in this run: of several machines for servers, one is used."""
        if node is None:
            return ("coordinator", "server")
        return tuple(
            role for role in node.roles if role != "server" or node.name == self._server_name
        )

    def _shares_cores(self, identities: dict[str, MachineIdentity]) -> bool:
        """The server and a load generator are on the same machine, and on the same core of it."""
        server, cores = identities[self._server_name], set(self._server_cores)
        return any(
            identities[node.name].boot == server.boot and not cores.isdisjoint(node.cores)
            for node in self._cluster.generators
        )

    def _path(
        self, name: str, identity: MachineIdentity, server: MachineIdentity, port: int
    ) -> PathRow:
        found: RoundTrips = self._watcher(name).call("ping", server.address, port, within_s=PING_S)
        return path_row((name, identity), (self._server_name, server), found)


class _Watch:
    """Samples the machines of a trial at most twice a second."""

    def __init__(self, callers: Sequence[Caller]) -> None:
        self._callers = callers
        self.begin()

    def begin(self) -> None:
        """Begins anew on all machines."""
        all_at_once(self._callers, "watch")

    def end(self) -> tuple[MachineUse, ...]:
        """Ends the samples of all machines."""
        found = all_at_once(self._callers, "end_sampling")
        return tuple(one for one in found if one is not None)


def _demand_host(server: Server, machine: str) -> None:
    """Raises UsageError for a command that cannot know the address to listen on.

    Without this, it would be waited for until it is not ready in time.
    """
    texts = [
        text
        for one in server.deployments.values()
        for text in (*one.command, *one.env.values(), *one.values.values())
    ]
    if server.in_place and not any("{host}" in text or _ADDRESS.search(text) for text in texts):
        raise UsageError(
            f"`{server.name}` starts without `{{host}}`: expected it in `start` or `env`, because"
            f" the server has to listen on the load address of `{machine}`"
        )


def _facts(node: Node) -> Sequence[object]:
    if node.facts is None:
        _ = node.place  # asks for them
    return node.facts.facts if node.facts is not None else ()
