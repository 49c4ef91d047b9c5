"""Installs, checks and starts one server for `httpdyno servers`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING

from httpdyno.output.echo import echo
from httpdyno.output.printable import printable

if TYPE_CHECKING:
    from httpdyno.servers import Conformance, Installation, RunningServer, Server

__all__ = ["announce", "check_deployments", "end_leftovers", "log_of", "report", "start_server"]

ALL = "all"


def report(text: str) -> None:
    """Show a line of progress, which goes to stderr."""
    echo(printable(text), err=True)


def check_deployments(
    server: Server, deployment: str | None, *, system: bool, found: Callable[[Conformance], None]
) -> bool:
    """Check the first deployment, a named one, or `all`. True when every required answer was right.

    `found` gets the result of each as it is ready.
    """
    from httpdyno.running.beside import with_world
    from httpdyno.servers import examine

    end_leftovers()
    if deployment not in (None, ALL):
        server.deployment(deployment)
    installation = _install(server, system=system)
    names = (
        list(server.deployments) if deployment == ALL else [deployment or server.default_deployment]
    )
    right = True
    for name in names:
        log = log_of(server, name)
        with with_world(installation, name, log.with_suffix(".db.log"), report) as serving:
            one = examine(serving, name, log)
        found(one)
        right = right and one.ok
    return right


@contextmanager
def start_server(
    server: Server, deployment: str, port: int | None, cpus: list[int] | None
) -> Iterator[RunningServer]:
    """A running server, installed if need be, which is stopped at the end."""
    from httpdyno.servers import start

    end_leftovers()
    server.deployment(deployment)
    installation = _install(server, system=False)
    log = log_of(server, deployment)
    with start(installation, deployment, cpus=cpus, port=port, log=log) as running:
        yield running


def announce(running: RunningServer) -> int | None:
    """Print the server's address, and wait until it exits by itself (its exit code) or the user
    stops it (None)."""
    try:
        echo(f"http://{running.address}{running.installation.server.ready.path}")
        report(f"log: {running.log}; Ctrl-C stops the server")
        while running.exit_code is None:
            sleep(0.2)
        return running.exit_code
    except KeyboardInterrupt:
        return None


def end_leftovers() -> None:
    """End the servers that a killed run left, and say so."""
    from httpdyno.servers import reap_leftovers

    for sentence in reap_leftovers():
        report(sentence)


def _install(server: Server, *, system: bool) -> Installation:
    from httpdyno.servers import install

    return install(server, system=system, report=report)


def log_of(server: Server, deployment: str) -> Path:
    """The log of this start, without what earlier starts wrote."""
    from httpdyno.servers.folders import cache_folder

    log = cache_folder() / "logs" / f"{server.name}-{deployment}.log"
    log.unlink(missing_ok=True)
    return log
