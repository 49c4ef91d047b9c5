"""Install, check and start one server for `httpdyno servers`."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from httpdyno.servers import Conformance, Installation, RunningServer, Server

__all__ = ["check_deployments", "interruptible", "started", "tell", "until_asked_to_end"]

ALL = "all"


def tell(text: str) -> None:
    """Talk, which goes to stderr."""
    typer.echo(text, err=True)


def check_deployments(
    server: Server, wanted: str | None, *, system: bool, found: Callable[[Conformance], None]
) -> bool:
    """Check the first deployment, a named one or `all`; whether every required answer was right."""
    from httpdyno.servers import examine, reap_leftovers

    for told in reap_leftovers():
        tell(told)
    if wanted not in (None, ALL):
        server.deployment(wanted)
    installation = _installed(server, system=system)
    names = list(server.deployments) if wanted == ALL else [wanted or server.default_deployment]
    right = True
    for name in names:
        one = examine(installation, name, _log(server, name))
        found(one)
        right = right and one.ok
    return right


@contextmanager
def started(
    server: Server, deployment: str, port: int | None, cpus: list[int] | None
) -> Iterator[RunningServer]:
    """A server, installed if need be, started, and ended at the end."""
    from httpdyno.servers import reap_leftovers
    from httpdyno.servers import start as start_server

    for told in reap_leftovers():
        tell(told)
    server.deployment(deployment)
    installation = _installed(server, system=False)
    log = _log(server, deployment)
    with start_server(installation, deployment, cpus=cpus, port=port, log=log) as running:
        yield running


def until_asked_to_end(running: RunningServer) -> int | None:
    """Wait for Ctrl-C or SIGTERM (None), or for the server's own end (its exit code)."""
    try:
        with interruptible():
            while running.exit_code is None:
                sleep(0.2)
            return running.exit_code
    except KeyboardInterrupt:
        return None


@contextmanager
def interruptible() -> Iterator[None]:
    """SIGTERM ends what is done here as Ctrl-C does: with everything put away."""

    def ask(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, ask)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _installed(server: Server, *, system: bool) -> Installation:
    from httpdyno.servers import install

    return install(server, system=system, report=tell)


def _log(server: Server, deployment: str) -> Path:
    from httpdyno.servers.folders import cache_folder

    log = cache_folder() / "logs" / f"{server.name}-{deployment}.log"
    log.unlink(missing_ok=True)
    return log
