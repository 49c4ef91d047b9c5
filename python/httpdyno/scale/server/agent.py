"""A Dask actor that installs, starts, checks and ends servers on its machine, for one coordinator.

It calls what a run on one machine calls. Work that takes long is a job on a thread: `begin` starts
it and `poll` asks for its end, so that a machine that is lost is noticed within seconds. Nothing
runs here but the servers that the coordinator's study or the catalogue declares.
"""

from __future__ import annotations

import asyncio
import math
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from httpdyno import engine
from httpdyno.choices import HttpVersion
from httpdyno.engine_plan import Target
from httpdyno.errors import (
    EnvironmentFault,
    HttpdynoError,
    InternalFault,
    NodeFault,
    TargetError,
    UsageError,
)
from httpdyno.scale.joining.place import on_all_cores
from httpdyno.scale.lease import LEASE
from httpdyno.scale.server.machine import ip_address
from httpdyno.scale.server.parcel import sent_folder, unpack
from httpdyno.servers import (
    CheckRow,
    Conformance,
    Installation,
    RunningServer,
    Server,
    ServerFailure,
    Usage,
    UsageMeter,
    check_workloads,
    install,
    load_server,
    reap_leftovers,
    start,
)
from httpdyno.servers.check.conformance import conformance
from httpdyno.servers.declaration.load import CATALOGUE
from httpdyno.servers.failure import Stage
from httpdyno.servers.installation.cancellation import Cancellation
from httpdyno.servers.process.leftovers import end_own
from httpdyno.servers.process.listening_process import listens_everywhere
from httpdyno.servers.process.running_server import INTERRUPTED_GRACE_S
from httpdyno.workloads import Workload

__all__ = ["Fault", "JobState", "ServerAgent", "ServerState", "Setup", "StartedServer"]

MOST_LOG = 512 * 1024
"""Of a server's log so many bytes are sent back: half from its beginning, half from its end."""
MOST_POLL_S = 2.0
JOBS_END_S = 1.0
"""The end of a lease waits so long for the job under way, whose processes are killed."""
Page = tuple[str, str, bytes]
_ENDED: Future[Any] = Future()
_ENDED.set_result(None)


@dataclass(frozen=True)
class Fault:
    """An error of a job. `kind` names its class; `log` is that of the failure, bounded."""

    kind: str
    message: str
    hint: str | None
    stage: Stage | None = None
    log: bytes | None = None


@dataclass(frozen=True)
class JobState:
    """A job at one moment. `notes`: its sentences since the last time."""

    done: bool
    notes: tuple[str, ...]
    value: Any = None
    fault: Fault | None = None


@dataclass(frozen=True)
class Setup:
    """An installed server."""

    key: str
    version: str
    prefix: Path


@dataclass(frozen=True)
class StartedServer:
    """A server that runs. `authority`: the PEM of the certificate that signed its own."""

    target: Target
    pids: tuple[int, int]
    """Its first process, and its supervisor."""
    authority: bytes | None


@dataclass(frozen=True)
class ServerState:
    """The running server at one moment."""

    exit_code: int | None
    killed_because: str | None
    usage: Usage | None


@dataclass
class _Job:
    future: Future[Any]
    notes: list[str] = field(default_factory=list)


class ServerAgent:
    """Holds at most one running server, which ends with the coordinator's lease."""

    def __init__(self, name: str, address: str) -> None:
        self._name = name
        self._address = ip_address(address)
        self._installed: dict[str, Installation] = {}
        self._jobs: dict[int, _Job] = {}
        self._threads = ThreadPoolExecutor(1, thread_name_prefix="server agent")
        self._one = threading.Lock()
        """Held while a server is started or stopped."""
        self._over = False
        self._commands = Cancellation()
        self._logs = Path(tempfile.mkdtemp(prefix="httpdyno-logs-"))
        self._running: RunningServer | None = None
        self._meter: UsageMeter | None = None
        self._reference = ExitStack()
        LEASE.on_end(self.end)

    async def begin(self, job: str, *args: Any) -> int:
        """Starts a job; returns its number."""
        jobs: dict[str, Callable[..., Any]] = {
            "welcome": self._welcome,
            "receive": self._receive,
            "install": self._install,
            "start": self._start,
            "check": self._check,
            "stop": self._stop,
            "conformance": self._conformance,
            "start reference": self._start_reference,
            "stop reference": self._stop_reference,
        }
        number = len(self._jobs) + 1
        notes: list[str] = []
        more = (notes.append,) if job == "install" else ()
        self._jobs[number] = _Job(
            self._threads.submit(self._do_job, jobs[job], *args, *more), notes
        )
        return number

    async def poll(self, number: int, within_s: float) -> JobState:
        """The end of a job, if it comes within so many seconds."""
        job = self._jobs[number]
        await asyncio.to_thread(wait, [job.future], min(within_s, MOST_POLL_S))
        notes = tuple(job.notes)
        del job.notes[: len(notes)]
        if not job.future.done():
            return JobState(False, notes)
        self._jobs[number] = _Job(_ENDED)  # its result may be long
        error = job.future.exception()
        if error is not None:
            return JobState(True, notes, fault=_fault(error))
        return JobState(True, notes, job.future.result())

    async def has(self, digest: str) -> bool:
        """True if the files of a server are here."""
        return sent_folder(digest).is_dir()

    async def look(self) -> ServerState:
        """The running server now."""
        return await asyncio.to_thread(self._look)

    def _do_job(self, work: Callable[..., Any], *args: Any) -> Any:
        """Does a job, on all cores of the machine: the process itself is kept to the agent's."""
        if self._over:
            raise NodeFault(self._name, "nothing was heard of the coordinator for too long")
        with on_all_cores(), self._commands.watch():
            return work(*args)

    @staticmethod
    def _welcome() -> list[str]:
        """Ends what a killed run has left."""
        return reap_leftovers()

    @staticmethod
    def _receive(content: bytes, digest: str) -> None:
        unpack(content, digest)

    def _install(
        self, server: Server, digest: str | None, as_it_is: bool, say: Callable[[str], None]
    ) -> Setup:
        """Installs a server: of the catalogue, or with the files that were sent before.

        `as_it_is`: its folder is on this machine.
        """
        here = server if as_it_is else _here(server, digest)
        done = install(here, report=say)
        key = str(done.prefix)
        self._installed[key] = done
        return Setup(key, done.version, done.prefix)

    def _start(self, key: str, deployment: str, cpus: Sequence[int]) -> StartedServer:
        with self._one:
            if self._over or self._running is not None:
                raise EnvironmentFault("a server runs there already")
            log = self._logs / f"{len(self._jobs)}.log"
            running = start(
                self._installed[key], deployment, cpus=cpus, host=self._address, log=log
            )
            try:
                _demand_one_address(running)
                tls = running.target.tls
                authority = Path(tls.ca).read_bytes() if tls is not None and tls.ca else None
            except BaseException:
                running.stop()
                raise
            self._running, self._meter = running, running.usage_meter()
        return StartedServer(running.target, (running.pid, running.supervisor_pid), authority)

    def _check(self, workload: Workload, http: HttpVersion) -> list[CheckRow]:
        if self._running is None:
            raise InternalFault("no server runs there to check")
        at = self._running.target
        return check_workloads(at.host, at.port, [workload], target=at, http=http)

    def _look(self) -> ServerState:
        running, meter = self._running, self._meter
        if running is None:
            return ServerState(None, None, None)
        usage = None if meter is None else meter.snapshot()
        return ServerState(running.exit_code, running.killed_because, usage)

    def _stop(self, most_grace_s: float = math.inf) -> bytes:
        """Stops the server; the log of this start."""
        with self._one:
            running, self._running, self._meter = self._running, None, None
            if running is None:
                return b""
            try:
                running.stop(most_grace_s=most_grace_s)
                return _short_log(running.log)
            finally:
                running.log.unlink(missing_ok=True)

    def _conformance(self, key: str, deployment: str) -> Conformance | None:
        return conformance(self._installed[key], deployment)

    def _start_reference(self, pages: Sequence[Page], cpus: Sequence[int]) -> tuple[str, int]:
        host = f"[{self._address}]" if ":" in self._address else self._address
        server = self._reference.enter_context(
            engine.reference(listen=f"{host}:0", pages=list(pages), cpus=list(cpus))
        )
        _, _, port = server.address.rpartition(":")
        return self._address, int(port)

    def _stop_reference(self) -> None:
        self._reference.close()

    def end(self) -> None:
        """Ends everything of the coordinator's, whose lease has ended."""
        self._over = True
        self._commands.cancel()
        while not self._one.acquire(timeout=0.2):
            end_own()  # a server that is not ready yet keeps its start waiting
        self._one.release()
        with suppress(HttpdynoError):
            self._stop(INTERRUPTED_GRACE_S)
        with suppress(HttpdynoError):
            self._stop_reference()
        self._threads.shutdown(wait=False, cancel_futures=True)
        wait([job.future for job in self._jobs.values()], JOBS_END_S)
        shutil.rmtree(self._logs, ignore_errors=True)


def _here(server: Server, digest: str | None) -> Server:
    """The server with its folder on this machine: what was sent, or that of the catalogue."""
    if digest is not None:
        return _with_sent_folder(server, digest)
    here = load_server(CATALOGUE / server.name)
    if here.model_dump(exclude={"folder"}) != server.model_dump(exclude={"folder"}):
        raise EnvironmentFault(
            f"its catalogue declares `{server.name}` in another way: expected the same httpdyno"
            " on every machine"
        )
    return here


def _with_sent_folder(server: Server, digest: str) -> Server:
    folder = sent_folder(digest)
    if not folder.is_dir():
        raise InternalFault(f"the files of `{server.name}` were not sent")
    return server.model_copy(update={"folder": folder})


def _demand_one_address(running: RunningServer) -> None:
    """Raises ServerFailure for a server that other addresses than that of the load reach too."""
    if listens_everywhere(running.port):
        raise ServerFailure(
            f"`{running.installation.server.name}` listens on all addresses of its machine:"
            f" expected only `{running.host}`, the address of the load",
            stage="start",
            log=running.log,
            hint="use `{host}` and `{port}` in its command or its files",
        )


def _fault(error: BaseException) -> Fault:
    """An error as plain values, for another process."""
    if not isinstance(error, HttpdynoError):
        return Fault("InternalFault", f"{type(error).__name__}: {error}", None)
    if isinstance(error, NodeFault):
        return Fault("NodeFault", error.reason, error.hint)
    kinds = (ServerFailure, EnvironmentFault, UsageError, TargetError)
    kind = next((one.__name__ for one in kinds if isinstance(error, one)), "InternalFault")
    if not isinstance(error, ServerFailure):
        return Fault(kind, error.message, error.hint)
    hint = None if error.hint and str(error.log) in error.hint else error.hint
    return Fault(kind, error.message, hint, error.stage, _short_log(error.log))


def _short_log(log: Path) -> bytes:
    """A log, without its middle if it is long."""
    try:
        with log.open("rb") as file:
            length = os.fstat(file.fileno()).st_size
            if length <= MOST_LOG:
                return file.read(MOST_LOG)
            begin = file.read(MOST_LOG // 2)
            file.seek(length - MOST_LOG // 2)
            return begin + b"\n[the middle of this log was not sent]\n" + file.read(MOST_LOG // 2)
    except OSError:
        return b""
