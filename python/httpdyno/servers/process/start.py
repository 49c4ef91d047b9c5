"""Start a server on its cores, in a session of its own, and wait until it answers."""

from __future__ import annotations

import contextlib
import grp
import http.client
import os
import pwd
import resource
import shutil
import socket
import subprocess
import tempfile
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from time import monotonic, sleep

from httpdyno.errors import EnvironmentFault
from httpdyno.servers.declaration.placeholders import fill, fill_all
from httpdyno.servers.declaration.tables import Deployment
from httpdyno.servers.failure import ServerFailure, last_words
from httpdyno.servers.installation.installation import Installation
from httpdyno.servers.process import leftovers
from httpdyno.servers.process.processes import TOKEN_VARIABLE, process
from httpdyno.servers.process.running import HOST, RunningServer, port_is_free
from httpdyno.workloads import write_files


def start(
    installation: Installation,
    deployment: str,
    *,
    cpus: Sequence[int] | None,
    port: int | None = None,
    log: Path,
) -> RunningServer:
    """Start a deployment on 127.0.0.1 and return once it answers; a context manager that stops it.

    `cpus` are the cores it may use, None for all. `port` None takes a free one. Its output goes to
    `log`. Raises EnvironmentFault when the port is taken, ServerFailure when it exits or does not
    get ready.
    """
    chosen = installation.server.deployment(deployment)
    _require_linux()
    _require_cores(cpus)
    port = _free_port() if port is None else _require_free(port)
    run_folder = _scratch_folder()
    values = _placeholders(installation, chosen, cpus, port, run_folder)
    command = fill_all(chosen.command, values)
    entry = leftovers.new_entry(uuid.uuid4().hex, command, run_folder)
    try:
        leftovers.write(entry)
        _write_files(installation, values, run_folder, log)
        child = _spawn(installation, chosen, values, cpus, log, entry)
    except BaseException:
        leftovers.forget(entry)
        shutil.rmtree(run_folder, ignore_errors=True)
        raise
    first = process(child.pid)
    entry = replace(entry, pid=child.pid, started=first.started if first else 0)
    running = RunningServer(installation, child, port, log, entry)
    try:
        leftovers.write(entry)
        running.watch()
        _wait_until_ready(running)
    except BaseException:
        running.stop()
        raise
    return running


def _require_linux() -> None:
    if not Path("/proc/self/stat").exists():
        raise EnvironmentFault(
            "servers are watched through `/proc`, which this system lacks: expected Linux",
            hint="`httpdyno load URL` takes a server that you started yourself",
        )


def _require_cores(cpus: Sequence[int] | None) -> None:
    usable = os.sched_getaffinity(0)
    if cpus is not None and not usable.issuperset(cpus):
        given, here = (", ".join(map(str, sorted(cores))) for cores in (cpus, usable))
        raise EnvironmentFault(f"cores `{given}` cannot be used: expected some of {here}")


def _placeholders(
    installation: Installation,
    deployment: Deployment,
    cpus: Sequence[int] | None,
    port: int,
    run_folder: Path,
) -> dict[str, str]:
    cores = len(cpus) if cpus is not None else len(os.sched_getaffinity(0))
    values = {
        **installation.placeholders,
        "host": HOST,
        "port": str(port),
        "run": str(run_folder),
        "files": str(run_folder / "files"),
        "cores": str(cores),
        "user": _user(),
        "group": _group(),
    }
    own = {name: fill(value, values) for name, value in deployment.values.items()}
    return {**values, **own}


def _user() -> str:
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())


def _group() -> str:
    try:
        return grp.getgrgid(os.getgid()).gr_name
    except KeyError:
        return str(os.getgid())


def _scratch_folder() -> Path:
    try:
        folder = Path(tempfile.mkdtemp(prefix=leftovers.RUN_FOLDER_PREFIX))
    except OSError as error:
        raise _not_written(Path(tempfile.gettempdir()), error) from None
    folder.chmod(0o755)
    return folder


def _write_files(
    installation: Installation, values: dict[str, str], run_folder: Path, log: Path
) -> None:
    """All that the server finds in its scratch folder, and its log, still empty or as it was."""
    try:
        write_files(run_folder / "files")
        for name, target in installation.server.files.items():
            text = (installation.source / name).read_text(encoding="utf-8")
            Path(fill(target, values)).write_text(fill(text, values), encoding="utf-8")
        log.parent.mkdir(parents=True, exist_ok=True)
        log.touch()
    except OSError as error:
        raise _not_written(run_folder, error) from None


def _not_written(where: Path, error: OSError) -> EnvironmentFault:
    return EnvironmentFault(
        f"`{error.filename or where}` cannot be written: {error.strerror}",
        hint="`TMPDIR` names another folder for the scratch files of servers",
    )


def _spawn(
    installation: Installation,
    deployment: Deployment,
    values: dict[str, str],
    cpus: Sequence[int] | None,
    log: Path,
    entry: leftovers.Entry,
) -> subprocess.Popen[bytes]:
    own = {name: fill(value, values) for name, value in deployment.env.items()}
    environment = {**installation.environment(), **own, TOKEN_VARIABLE: entry.token}
    try:
        with log.open("ab") as output, _inherited(cpus):
            return subprocess.Popen(
                entry.command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=installation.source,
                env=environment,
                start_new_session=True,
            )
    except OSError as error:
        raise ServerFailure(
            f"`{installation.server.name}` failed to start: `{entry.command[0]}`: {error.strerror}",
            stage="start",
            log=log,
        ) from None


@contextlib.contextmanager
def _inherited(cpus: Sequence[int] | None) -> Iterator[None]:
    """What a child takes from this thread and process: its cores, and the highest descriptor limit.

    Set here and put back, rather than between fork and exec, where little is safe.
    """
    cores = os.sched_getaffinity(0)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        if cpus is not None:
            os.sched_setaffinity(0, cpus)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        os.sched_setaffinity(0, cores)


def _wait_until_ready(running: RunningServer) -> None:
    server = running.installation.server
    deadline = monotonic() + server.ready.timeout_s
    pause = 0.005
    seen = "no connection"
    while monotonic() < deadline:
        if running.exit_code is not None:
            raise _died(running)
        seen = _ask(running.port, server.ready.path)
        if seen == "200":
            return
        sleep(pause)
        pause = min(pause * 1.5, 0.1)
    raise ServerFailure(
        f"`{server.name}` was not ready after {server.ready.timeout_s:g} s: expected 200 for "
        f"`{server.ready.path}`, got {seen}; its log ends: {last_words(running.log, 3)}",
        stage="start",
        log=running.log,
    )


def _ask(port: int, path: str) -> str:
    """The status of one GET, or what went wrong, in words."""
    connection = http.client.HTTPConnection(HOST, port, timeout=1.0)
    try:
        connection.request("GET", path, headers={"Connection": "close"})
        return str(connection.getresponse().status)
    except (OSError, http.client.HTTPException) as error:
        return str(error) or type(error).__name__
    finally:
        connection.close()


def _died(running: RunningServer) -> EnvironmentFault | ServerFailure:
    name = running.installation.server.name
    if running.killed_because is not None:
        message = f"`{name}` was ended before it was ready: {running.killed_because}"
        return ServerFailure(message, stage="start", log=running.log)
    if not port_is_free(running.port):
        return _taken(running.port)
    said = last_words(running.log, 3)
    return ServerFailure(
        f"`{name}` exited with code {running.exit_code} before it was ready; its log ends: {said}",
        stage="start",
        log=running.log,
    )


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


def _require_free(port: int) -> int:
    if not port_is_free(port):
        raise _taken(port)
    return port


def _taken(port: int) -> EnvironmentFault:
    return EnvironmentFault(
        f"port `{port}` is taken by another program",
        hint=f"`ss -ltnp 'sport = :{port}'` shows by which; without a port a free one is chosen",
    )
