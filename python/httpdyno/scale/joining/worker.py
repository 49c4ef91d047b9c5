"""The process of a worker: it joins a scheduler and takes orders, until it is ended.

httpdyno worker tls://10.0.1.1:8786 --certificates certificates/a
"""

from __future__ import annotations

import asyncio
import importlib
import socket
import ssl
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from typing import Any

from httpdyno.errors import EnvironmentFault, UsageError
from httpdyno.scale.hosts_file import Role, host_of
from httpdyno.scale.joining.certificates import Pems
from httpdyno.scale.joining.dask_classes import tell_refusals, without_http_server
from httpdyno.scale.joining.place import Place, settle
from httpdyno.scale.joining.reason import reason_of
from httpdyno.scale.joining.security import foreign, security, unusable
from httpdyno.scale.joining.settings import distributed_module
from httpdyno.scale.joining.versions import versions
from httpdyno.scale.lease import LEASE

__all__ = ["REJOIN_S", "JoinSettings", "serve"]

REJOIN_S = 60.0
"""A worker looks for its scheduler for so long: at first, and whenever it has lost it."""
_PAUSE_S = 0.5
_START_S = 15.0
_CLOSE_S = 5.0


@dataclass(frozen=True)
class JoinSettings:
    """A worker to be."""

    scheduler: str
    name: str
    listen: str | None
    """The address to listen on; None: the one from which the scheduler is reached."""
    address: str | None
    """The address for load; None: a server has the one that it listens on here, and the kernel
    chooses that of a generator."""
    roles: tuple[Role, ...]
    place: Place
    pems: Pems | None
    rejoin_s: float = REJOIN_S


async def serve(joining: JoinSettings, ended: asyncio.Event, say: Callable[[str], None]) -> None:
    """Joins and serves until `ended` is set or the scheduler ends.

    Raises EnvironmentFault when the scheduler cannot be reached for `rejoin_s`, UsageError when it
    refuses the name.
    """
    settle(joining.place)
    module = distributed_module("serve")
    tell_refusals(say)
    until, waiting = monotonic() + joining.rejoin_s, False
    try:
        while not ended.is_set():
            why_not = await _unreachable(module, joining)
            if why_not is None:
                because = await _serve_once(module, joining, ended, say)
                if because == "scheduler-close":
                    return say("the scheduler has ended")
                until, waiting = monotonic() + joining.rejoin_s, False
            elif monotonic() > until:
                raise _cannot_join(joining, why_not)
            elif not waiting:
                say(f"waiting for {joining.scheduler}: {why_not}")
                waiting = True
            with suppress(TimeoutError):
                await asyncio.wait_for(ended.wait(), _PAUSE_S)
    finally:
        await asyncio.to_thread(LEASE.end)


async def _serve_once(
    module: Any, joining: JoinSettings, ended: asyncio.Event, say: Callable[[str], None]
) -> str:
    """Serves as a member of the cluster; the reason why that ended."""
    with tempfile.TemporaryDirectory(prefix="httpdyno-worker-") as folder:
        worker = _worker(module, joining, folder)
        try:
            await asyncio.wait_for(worker.start(), _START_S)
        except (OSError, RuntimeError, ValueError) as error:  # TimeoutError is an OSError
            raise _refusal(joining, error.__cause__ or error) from error
        say(_welcome(joining, worker.address))
        stop, done = (asyncio.ensure_future(one) for one in (ended.wait(), worker.finished()))
        await asyncio.wait({stop, done}, return_when=asyncio.FIRST_COMPLETED)
        if not ended.is_set() and worker.ended_because != "scheduler-close":
            say(f"the connection to {joining.scheduler} is lost; joining again")
        stop.cancel()
        with suppress(TimeoutError):
            closing = worker.close(timeout=2, executor_wait=False, reason="ended")
            await asyncio.wait_for(closing, _CLOSE_S)
        done.cancel()
        return str(worker.ended_because)


def _worker(module: Any, joining: JoinSettings, folder: str) -> Any:
    startup = {
        "versions": versions(),
        "roles": list(joining.roles),
        "address": joining.address,
    }
    host = joining.listen or local_address(joining.scheduler)
    try:
        return without_http_server(module.Worker)(
            joining.scheduler,
            name=joining.name,
            host=_in_brackets(host),
            nthreads=1,
            memory_limit=0,
            dashboard=False,
            security=security(module, joining.pems, host),
            local_directory=folder,
            startup_information={"httpdyno": lambda _worker: startup},
            metrics={},
        )
    except ssl.SSLError as error:
        raise unusable(error) from None


async def _unreachable(module: Any, joining: JoinSettings) -> str | None:
    """Knocks at the scheduler, because a worker would try in silence; why it does not answer.

    Raises EnvironmentFault when it belongs to another authority.
    """
    core: Any = importlib.import_module("distributed.comm.core")

    try:
        there = security(module, joining.pems, host_of(joining.scheduler))
        arguments = there.get_connection_args("worker")
        knock = core.connect(joining.scheduler, timeout=_CLOSE_S, **arguments)
        comm = await asyncio.wait_for(knock, 2 * _CLOSE_S)
        await comm.close()
    except ssl.SSLError as error:
        raise unusable(error) from None
    except core.FatalCommClosedError:
        raise foreign(joining.scheduler) from None
    except OSError as error:
        return reason_of(error)
    return None


def _refusal(joining: JoinSettings, error: BaseException) -> EnvironmentFault | UsageError:
    text = reason_of(error)
    if "name taken" in text:
        return UsageError(
            f"`--name {joining.name}`: a worker of this name has joined {joining.scheduler}"
            " already: expected another name",
            hint=f"give each worker a name of its own, such as `--name {joining.name}-2`",
        )
    if isinstance(error, OSError) and error.errno is not None and joining.listen is not None:
        return EnvironmentFault(
            f"`--listen {joining.listen}` cannot be used: {error.strerror or text}",
            hint="`ip address` lists the addresses of this machine",
        )
    return _cannot_join(joining, text)


def _cannot_join(joining: JoinSettings, why: str) -> EnvironmentFault:
    return EnvironmentFault(
        f"`{joining.scheduler}` cannot be joined: {why}",
        hint="check that `httpdyno scheduler` runs there, and that no firewall is between",
    )


def _welcome(joining: JoinSettings, address: str) -> str:
    roles = ", ".join(joining.roles)
    return f"joined {joining.scheduler} as `{joining.name}` ({roles}), listening on {address}"


def local_address(scheduler: str) -> str:
    """The address of this machine from which a scheduler is reached. Raises OSError."""
    host, _, port = scheduler.rpartition("://")[2].rpartition(":")
    family, _, _, _, there = socket.getaddrinfo(
        host.strip("[]"), int(port), type=socket.SOCK_DGRAM
    )[0]
    with socket.socket(family, socket.SOCK_DGRAM) as way:  # connecting it sends nothing
        way.connect(there)
        return str(way.getsockname()[0])


def _in_brackets(host: str | None) -> str | None:
    return f"[{host}]" if host is not None and ":" in host else host
