"""A Dask actor that watches one machine of a run, and measures the path from it."""

from __future__ import annotations

import asyncio
import socket
import threading
from contextlib import suppress
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from httpdyno.address import family_of, ip_of
from httpdyno.errors import EnvironmentFault
from httpdyno.host.activity import Activity, activity, load_average
from httpdyno.host.link import Link, link_of
from httpdyno.host.machine import Machine
from httpdyno.host.sampler import Sampler
from httpdyno.host.use import use_between
from httpdyno.outcome import MachineUse
from httpdyno.scale.joining.place import boot
from httpdyno.scale.lease import LEASE
from httpdyno.servers import QuickUsage, UsageMeter

__all__ = ["MachineAgent", "MachineIdentity", "RoundTrips"]

_MTU = {socket.AF_INET: (socket.IPPROTO_IP, 14), socket.AF_INET6: (socket.IPPROTO_IPV6, 24)}
"""The options that tell the largest packet of a path: ip(7), ipv6(7)."""
_ANSWER_S = 2.0
PINGS = 40


@dataclass(frozen=True)
class MachineIdentity:
    """The machine of an agent."""

    boot: str
    """As `place.boot`."""
    link: Link
    address: str
    """Its load address."""


@dataclass(frozen=True)
class RoundTrips:
    """A path as its beginning sees it."""

    seconds: tuple[float, ...]
    mtu: int | None


class MachineAgent:
    """Reads the counters of its machine, and answers or sends pings."""

    def __init__(self, name: str, address: str, roles: tuple[Any, ...]) -> None:
        self._name = name
        self._address = ip_address(address)
        self._roles = roles
        self._machine = Machine()
        self._link = link_of(self._address)
        self._sampler: Sampler | None = None
        self._load_before: float | None = None
        self._server: UsageMeter | None = None
        self._quick: QuickUsage | None = None
        self._echo: socket.socket | None = None
        LEASE.on_end(self.end)

    async def identity(self) -> MachineIdentity:
        """The machine and its link."""
        return MachineIdentity(boot(), self._link, self._address)

    async def settle(self) -> None:
        """A trial is about to begin: notes the load average before it."""
        self._load_before = load_average(self._machine)

    async def watch(self) -> None:
        """Begins to sample; what was sampled before is dropped."""
        await asyncio.to_thread(self._begin)

    async def attend(self, pid: int, supervisor_pid: int) -> None:
        """Also samples the processes of a server, until the sampling ends."""
        await asyncio.to_thread(self._attend, pid, supervisor_pid)

    async def quick(self) -> QuickUsage | None:
        """The latest sample of the server that is attended; it reads nothing."""
        return self._quick

    async def end_sampling(self) -> MachineUse | None:
        """Ends the sampling; None when there was none."""
        return await asyncio.to_thread(self._end_sampling)

    async def answer_pings(self) -> int:
        """The port on which each byte that comes is sent back, until `end_pings`."""
        if self._echo is None:
            try:
                family = family_of(self._address)
                self._echo = socket.create_server((self._address, 0), family=family)
            except OSError as error:
                raise EnvironmentFault(
                    f"its load address `{self._address}` cannot be used: {error.strerror}",
                    hint="`ip address` there shows its addresses",
                ) from None
            threading.Thread(target=_answer_all, args=(self._echo,), daemon=True).start()
        port: int = self._echo.getsockname()[1]
        return port

    async def end_pings(self) -> None:
        """Listens no more."""
        echo, self._echo = self._echo, None
        if echo is not None:
            with suppress(OSError):
                echo.shutdown(socket.SHUT_RDWR)
            echo.close()

    async def ping(self, host: str, port: int) -> RoundTrips:
        """Round trips of one byte to another agent."""
        return await asyncio.to_thread(_ping, self._address, host, port)

    def _begin(self) -> None:
        if self._sampler is not None:
            self._sampler.stop()
        if self._server is not None:
            self._server.snapshot()  # finds processes that began in the warm-up
        self._sampler = Sampler(self._read)

    def _read(self) -> Activity:
        server = self._server
        if server is not None:
            self._quick = server.quick()
        return activity(self._machine, self._link.interface)

    def _attend(self, pid: int, supervisor_pid: int) -> None:
        server = UsageMeter(pid, supervisor_pid)
        server.snapshot()
        self._server, self._quick = server, None

    def _end_sampling(self) -> MachineUse | None:
        sampler, self._sampler, self._server = self._sampler, None, None
        if sampler is None:
            return None
        before, after, samples, cost_s = sampler.stop()
        return use_between(
            before,
            after,
            roles=self._roles,
            name=self._name,
            interface=self._link.interface,
            load_before=self._load_before,
            samples=samples,
            sampling_cpu_s=cost_s,
        )

    def end(self) -> None:
        """Ends the sampling, and answers no more pings."""
        self._end_sampling()
        asyncio.run(self.end_pings())


def ip_address(host: str) -> str:
    """The address of a host, IPv4 if it has one. Raises EnvironmentFault for none, and for all."""
    try:
        found = ip_of(host)
    except OSError:
        found = ""
    if found in {"", "0.0.0.0", "::"}:  # noqa: S104 - refused, not bound
        raise EnvironmentFault(
            f"the load address is `{host}`: expected one address of that machine",
            hint="`address` of the machine in hosts.toml",
        )
    return found


def _answer_all(listener: socket.socket) -> None:
    """Answers one connection at a time, until the listener is closed."""
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        with connection, suppress(OSError):
            connection.settimeout(_ANSWER_S)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while byte := connection.recv(1):
                connection.sendall(byte)


def _ping(address: str, host: str, port: int) -> RoundTrips:
    """From our load address, so that the pings take the path of the load."""
    try:
        with socket.create_connection(
            (host, port), timeout=_ANSWER_S, source_address=(address, 0)
        ) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            taken = [_round_trip(connection) for _ in range(PINGS + 1)]
            mtu = connection.getsockopt(*_MTU[connection.family])
    except OSError as error:
        raise EnvironmentFault(
            f"`{host}` cannot be reached from `{address}`: {error.strerror or error}: expected the"
            " load addresses to reach each other",
            hint="check `address` in hosts.toml, routes and firewalls",
        ) from None
    return RoundTrips(tuple(sorted(taken[1:])), mtu)


def _round_trip(connection: socket.socket) -> float:
    begun = perf_counter()
    connection.sendall(b".")
    if not connection.recv(1):
        raise ConnectionResetError("the connection was closed")
    return perf_counter() - begun
