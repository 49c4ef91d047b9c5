"""The machines of a run: where its servers run, and what sends the load."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Protocol

from httpdyno import engine
from httpdyno.choices import HttpVersion
from httpdyno.engine_plan import Target
from httpdyno.host.pinning import Pinning, available, split
from httpdyno.result import MachineRow, PathRow
from httpdyno.running.machines.generator import LOCAL, Generator
from httpdyno.running.machines.watch import LocalWatch, Watch
from httpdyno.servers import (
    CheckRow,
    Conformance,
    Installation,
    Meter,
    Server,
    check_workloads,
    install,
    start_or_attach,
)
from httpdyno.servers.check.conformance import conformance
from httpdyno.workloads import Workload

__all__ = ["LiveServer", "Page", "Site", "ThisMachine", "this_machine"]

Page = tuple[str, str, bytes]
"""Path, content type and body of a reply of the reference server."""


class LiveServer(Protocol):
    """A server that runs; as a context manager it is stopped at the end."""

    @property
    def target(self) -> Target:
        """Where and how to reach it."""

    @property
    def address(self) -> str:
        """The same for people."""

    @property
    def exit_code(self) -> int | None:
        """The exit code of its first process; None while it runs."""

    @property
    def killed_because(self) -> str | None:
        """Why httpdyno killed it; None: it did not."""

    def usage_meter(self) -> Meter | None:
        """A meter of its processes; None: they cannot be seen."""

    def __enter__(self) -> LiveServer:
        """The server itself."""

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None: ...


class Site(Protocol):
    """The machines of a run. `ThisMachine` is one; `scale` has those of several."""

    @property
    def generator(self) -> Generator:
        """Sends the load."""

    @property
    def machines(self) -> Sequence[MachineRow]:
        """The machines and their facts; empty: all is on this one."""

    @property
    def paths(self) -> Sequence[PathRow]:
        """The paths between the machines; empty: all is on one."""

    def install(self, server: Server, report: Callable[[str], None]) -> Installation:
        """Installs and builds a server where it will run."""

    def pinning(self, server: Server, deployment: str) -> Pinning:
        """The cores of the server, and those of the load generator."""

    def start(
        self, installation: Installation, deployment: str, pinning: Pinning, log: Path
    ) -> LiveServer:
        """Starts a fresh server; one that runs already stays as it is."""

    def check(self, running: LiveServer, workload: Workload, http: HttpVersion) -> list[CheckRow]:
        """Compares the replies of a server with the workload's."""

    def conformance(self, installation: Installation, deployment: str) -> Conformance | None:
        """The last check of a deployment where it runs."""

    def reference(
        self, pages: Sequence[Page]
    ) -> AbstractContextManager[tuple[tuple[str, int], Pinning]]:
        """Runs the reference server in the place of the server: its host, port and cores."""

    def watch(self) -> Watch:
        """Watches the machines during one trial."""

    def wait_until_whole(self, say: Callable[[str], None]) -> None:
        """Waits for lost machines. Raises NodeFault when they do not come back in time."""


class ThisMachine:
    """Server and load generator are both here, on cores of their own where there are enough."""

    machines: Sequence[MachineRow] = ()
    paths: Sequence[PathRow] = ()

    def __init__(self, cpus: Sequence[int], generator: Generator = LOCAL) -> None:
        self._cpus = list(cpus)
        self.generator = generator

    def install(self, server: Server, report: Callable[[str], None]) -> Installation:
        """Installs and builds it here."""
        return install(server, report=report)

    def pinning(self, server: Server, deployment: str) -> Pinning:
        """The first cores for the server, the others for the load generator."""
        return split(self._cpus, server.deployment(deployment).cores)

    def start(
        self, installation: Installation, deployment: str, pinning: Pinning, log: Path
    ) -> LiveServer:
        """Starts it on 127.0.0.1."""
        return start_or_attach(installation, deployment, cpus=pinning.server, log=log)

    def check(self, running: LiveServer, workload: Workload, http: HttpVersion) -> list[CheckRow]:
        """Sends every request once."""
        at = running.target
        return check_workloads(at.host, at.port, [workload], target=at, http=http)

    def conformance(self, installation: Installation, deployment: str) -> Conformance | None:
        """The last check on this machine."""
        return conformance(installation, deployment)

    @contextmanager
    def reference(self, pages: Sequence[Page]) -> Iterator[tuple[tuple[str, int], Pinning]]:
        """The reference server on the first core."""
        pinning = split(self._cpus, 1)
        with engine.reference(pages=pages, cpus=pinning.server) as server:
            host, _, port = server.address.rpartition(":")
            yield (host, int(port)), pinning

    def watch(self) -> Watch:
        """Reads the counters of this machine at the edges of the window only."""
        return LocalWatch()

    def wait_until_whole(self, say: Callable[[str], None]) -> None:
        """Nothing of it can be lost."""


def this_machine() -> ThisMachine:
    """This machine with all cores that this process may use."""
    return ThisMachine(available())
