"""Waits for the first connection of a load, and says why there is none in words of its flags.

The engine connects once before it begins. It knows no flags, so where it fails, the same is tried
again here, to be explained.
"""

from __future__ import annotations

import os
import shlex
import socket
import time
from collections.abc import Sequence

from httpdyno.address import family_of
from httpdyno.cli.load.arguments.address import Address
from httpdyno.engine import Running
from httpdyno.engine_plan import EnginePlan, Target
from httpdyno.errors import EnvironmentFault, HttpdynoError, TargetError, UsageError

__all__ = ["wait_for_connection"]

_FAMILIES = {socket.AF_INET: "IPv4", socket.AF_INET6: "IPv6"}
_FIRST_UNPRIVILEGED = 1024
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def wait_for_connection(running: Running, plan: EnginePlan) -> None:
    """Wait until the engine has connected to the server, or to the proxy before it.

    Raises TargetError: unknown name, refused, unreachable, too slow, no TLS; EnvironmentFault: no
    permission, or a source address that this machine does not have; UsageError: a source address
    of another IP version than the server's.
    """
    timeout_s, began = plan.timeouts.connect_s or 5.0, time.monotonic()
    running.follow("warm_up")
    if not running.wait("done", 0):
        return
    try:
        running.result()
    except HttpdynoError:
        if time.monotonic() - began < timeout_s:  # one that was too slow would be so again
            _explain(plan, timeout_s)
        raise


def _explain(plan: EnginePlan, timeout_s: float) -> None:
    """Raise what hinders a connection, if anything does."""
    target, sources, proxy = plan.target, plan.source.addresses, plan.proxy
    for source in sources:
        _bind(source)
    if proxy is not None:
        target = Target(host=proxy.host, port=proxy.port)
    try:
        if target.unix is not None:
            _connect(socket.AF_UNIX, target.unix, None, timeout_s)
        else:
            # Over UDP, this tries the name, the route and the source; the engine says the rest.
            kind = socket.SOCK_DGRAM if plan.http == "3" else socket.SOCK_STREAM
            _connect_to_any(target, sources, timeout_s, kind)
    except OSError as refused:
        error = _explain_refusal(target, refused)
        if proxy is not None:
            error.hint = "start the proxy, or check --proxy"
        raise error from refused


def _connect_to_any(
    target: Target, sources: Sequence[str], timeout_s: float, kind: socket.SocketKind
) -> None:
    """Connect to the first address of the host that answers, from a source of its family."""
    found = socket.getaddrinfo(target.host, target.port, type=kind)
    ways = [
        (family, address, next((s for s in sources if family_of(s) == family), None))
        for family, _kind, _protocol, _name, address in found
    ]
    usable = [way for way in ways if not sources or way[2] is not None]
    if not usable:
        raise UsageError(
            f"`--source {sources[0]}` is {_FAMILIES[family_of(sources[0])]}, but `{target.host}`"
            f" has only {_FAMILIES[ways[0][0]]} addresses: expected both of one IP version"
        )
    for family, address, source in usable:
        try:
            return _connect(family, address, source, timeout_s, kind)
        except OSError as refused:
            last = refused
    raise last


def _connect(
    family: int,
    address: str | tuple[object, ...],
    source: str | None,
    timeout_s: float,
    kind: socket.SocketKind = socket.SOCK_STREAM,
) -> None:
    with socket.socket(family, kind) as connection:
        connection.settimeout(timeout_s)
        if source is not None:
            connection.bind((source, 0))
        connection.connect(address)


def _bind(source: str) -> None:
    try:
        with socket.socket(family_of(source)) as connection:
            connection.bind((source, 0))
    except OSError as refused:
        raise EnvironmentFault(
            f"`--source {source}` cannot be used: {refused.strerror}",
            hint="`ip address` lists the addresses of this machine",
        ) from refused


def _explain_refusal(target: Target, refused: OSError) -> HttpdynoError:
    tls = target.tls is not None
    where = target.unix or Address(target.host, target.port, "/", tls).authority
    if isinstance(refused, socket.gaierror):
        return TargetError(
            f"`{target.host}` cannot be resolved: expected the name or address of a host",
            hint="check the spelling, or use the address",
        )
    if isinstance(refused, PermissionError):
        return EnvironmentFault(f"no permission to connect to `{where}`: {refused.strerror}")
    if isinstance(refused, FileNotFoundError):
        return TargetError(
            f"`{where}` does not exist: expected the socket of a server", hint=_start_hint(target)
        )
    if isinstance(refused, ConnectionRefusedError):
        return TargetError(
            f"`{where}` refused the connection: expected a server to listen there",
            hint=_start_hint(target),
        )
    return TargetError(f"`{where}` cannot be reached: {refused.strerror or refused}")


def _start_hint(target: Target) -> str:
    """A hint for starting a server there, or at least a server."""
    if target.unix is not None:
        return "start the server, or check the path"
    permitted = target.port >= _FIRST_UNPRIVILEGED or os.geteuid() == 0
    if target.tls is not None or target.host not in _LOOPBACK or not permitted:
        return "start the server, or check the port"
    host = f"[{target.host}]" if ":" in target.host else target.host
    command = f"httpdyno reference --listen {shlex.quote(f'{host}:{target.port}')}"
    return f"start the server, or start the reference server there: `{command}`"
