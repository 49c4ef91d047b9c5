"""Starts a server on its cores, in a session of its own, and waits until it answers."""

from __future__ import annotations

import contextlib
import grp
import os
import pwd
import re
import shutil
import tempfile
import uuid
from collections.abc import Sequence
from dataclasses import replace
from http import client
from pathlib import Path
from time import monotonic, sleep

from httpdyno.choices import HttpVersion
from httpdyno.engine_plan import Request, Target, Tls
from httpdyno.errors import EnvironmentFault
from httpdyno.output.printable import printable
from httpdyno.servers.declaration.placeholders import fill, fill_all
from httpdyno.servers.declaration.tables import Deployment
from httpdyno.servers.failure import ServerFailure, last_words, quote_log
from httpdyno.servers.installation.installation import Installation
from httpdyno.servers.process import leftovers
from httpdyno.servers.process.engine_calls import called_in_order
from httpdyno.servers.process.port import (
    HOST,
    OtherPortTaken,
    PortTaken,
    free_port,
    is_free,
    require_free,
)
from httpdyno.servers.process.processes import TOKEN_VARIABLE
from httpdyno.servers.process.run_folders import new_run_folder
from httpdyno.servers.process.running_server import RunningServer
from httpdyno.servers.process.supervisor import Supervisor
from httpdyno.servers.process.tls import CERTIFICATE, KEY, client_context, make_certificate
from httpdyno.workloads import write_files

_PORTS_TRIED = 3
ASK_LIMIT_S = 1.0
NEVER_HTTP = 20
"""As many answers in a row that are not HTTP end the wait for a server."""
RESET = "a reset stream"
"""An answer of servers that speak gRPC only to any other request."""
_IN_USE = re.compile(r"address (already )?in use|eaddrinuse", re.IGNORECASE)


def start(
    installation: Installation,
    deployment: str,
    *,
    cpus: Sequence[int] | None,
    port: int | None = None,
    host: str = HOST,
    log: Path,
) -> RunningServer:
    """Start a deployment on `host` and return once it answers; a context manager that stops it.

    `cpus` are the cores it may use, None for all. `port` None takes a free one. Its output goes to
    `log`. Raises EnvironmentFault when the port cannot be used, ServerFailure when it exits or does
    not get ready.
    """
    chosen = installation.server.deployment(deployment)
    _require_linux()
    _require_cores(cpus)
    if port is not None:
        require_free(port, host)
        return _start(installation, chosen, cpus, (host, port), log)
    for _ in range(_PORTS_TRIED - 1):
        # Another program may take the port before the server does.
        with contextlib.suppress(PortTaken):
            return _start(installation, chosen, cpus, (host, free_port(host)), log)
    return _start(installation, chosen, cpus, (host, free_port(host)), log)


def _start(
    installation: Installation,
    chosen: Deployment,
    cpus: Sequence[int] | None,
    at: tuple[str, int],
    log: Path,
) -> RunningServer:
    token = uuid.uuid4().hex
    run_folder = _scratch_folder(token)
    values = _placeholders(installation, chosen, cpus, at, run_folder)
    command = fill_all(chosen.command, values)
    record = leftovers.new_record(token, command, run_folder)
    try:
        tls = _client_tls(installation, run_folder, at[0]) if chosen.tls else None
        leftovers.write(record)
        _write_files(installation, values, run_folder, log)
        supervisor = _spawn(installation, chosen, values, cpus, log, record)
    except BaseException:
        leftovers.forget(record)
        shutil.rmtree(run_folder, ignore_errors=True)
        raise
    record = record.with_processes(supervisor.server_pid, supervisor.pid)
    running = RunningServer(installation, supervisor, at, log, record, tls, chosen.http[0])
    try:
        leftovers.write(record)
        running.enforce_limits()
        _wait_until_ready(running)
    except BaseException as error:
        running.__exit__(type(error), error, None)
        raise
    return running


def _require_linux() -> None:
    if not Path("/proc/self/stat").exists():
        raise EnvironmentFault(
            "servers can be started on Linux only: this system has no `/proc`",
            hint="`httpdyno load URL` measures a server that you started yourself",
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
    at: tuple[str, int],
    run_folder: Path,
) -> dict[str, str]:
    cores = len(cpus) if cpus is not None else len(os.sched_getaffinity(0))
    values = {
        **installation.placeholders,
        "host": at[0],
        "port": str(at[1]),
        "run": str(run_folder),
        "files": str(run_folder / "files"),
        "cores": str(cores),
        "user": _user(),
        "group": _group(),
        "certificate": str(run_folder / CERTIFICATE),
        "key": str(run_folder / KEY),
    }
    own = {name: fill(value, values) for name, value in deployment.values.items()}
    return {**values, **own}


def _client_tls(installation: Installation, run_folder: Path, host: str) -> Tls:
    """Makes the certificate of this start; the client's settings that trust it."""
    made = make_certificate(run_folder, host)
    tls = installation.server.client_tls
    return made if tls is None else replace(tls, ca=made.ca)


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


def _scratch_folder(token: str) -> Path:
    try:
        return new_run_folder(token)
    except OSError as error:
        raise _not_written(Path(tempfile.gettempdir()), error) from None


def _write_files(
    installation: Installation, values: dict[str, str], run_folder: Path, log: Path
) -> None:
    """Write the files of the scratch folder, and create the log if there is none."""
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
        hint="set `TMPDIR` to another folder for the scratch files of servers",
    )


def _spawn(
    installation: Installation,
    deployment: Deployment,
    values: dict[str, str],
    cpus: Sequence[int] | None,
    log: Path,
    record: leftovers.Record,
) -> Supervisor:
    own = {name: fill(value, values) for name, value in deployment.env.items()}
    supervisor = Supervisor(log)
    try:
        supervisor.start(
            record.command,
            folder=installation.source,
            environment={**installation.environment(), **own, TOKEN_VARIABLE: record.token},
            cpus=cpus,
        )
    except BaseException as error:
        supervisor.close()
        if not isinstance(error, OSError):
            raise
        name, program = installation.server.name, record.command[0]
        absent = isinstance(error, FileNotFoundError) and "/" not in program
        expected = ": expected a program on the PATH, or its whole path" if absent else ""
        raise ServerFailure(
            f"`{name}` failed to start: `{program}`: {error.strerror}{expected}",
            stage="start",
            log=log,
        ) from None
    return supervisor


def _wait_until_ready(running: RunningServer) -> None:
    server = running.installation.server
    ready = server.ready
    deadline = monotonic() + ready.timeout_s
    pause = 0.005
    seen, strange = "no connection", 0
    while monotonic() < deadline and strange < NEVER_HTTP:
        if running.exit_code is not None:
            raise _explain_death(running)
        seen, is_http = _ask(running.target, ready.path, running.http)
        if seen == "200" or (ready.any_status and (seen.isdigit() or seen == RESET)):
            running.was_ready = True
            return
        strange = 0 if is_http else strange + 1
        sleep(pause)
        pause = min(pause * 1.5, 0.1)
    if strange:
        raise ServerFailure(
            f"`{server.name}` does not speak HTTP: it answers `{ready.path}` with {seen}; "
            f"its log ends: {quote_log(last_words(running.log, 3))}",
            stage="start",
            log=running.log,
        )
    expected = "an answer to" if ready.any_status else "200 for"
    raise ServerFailure(
        f"`{server.name}` was not ready after {ready.timeout_s:g} s: expected {expected} "
        f"`{ready.path}`, got {seen}{'' if seen.isdigit() else _where_to_listen(running)}; "
        f"its log ends: {quote_log(last_words(running.log, 3))}",
        stage="start",
        log=running.log,
    )


def _where_to_listen(running: RunningServer) -> str:
    """For a command of the user's own, which may listen elsewhere."""
    if not running.installation.server.in_place:
        return ""
    if running.host != HOST:
        return (
            f" (it has to listen on {running.host}, another machine measures it: use `{{host}}` and"
            " `{port}` in its command)"
        )
    return " (it has to listen on `{port}` of 127.0.0.1, which is also PORT in its environment)"


def _ask(target: Target, path: str, http: HttpVersion) -> tuple[str, bool]:
    """The status of one GET, or the error in words; false if other bytes than HTTP arrived."""
    if http == "2":
        (one,) = called_in_order(target, [Request(path=path)], http=http, within_s=ASK_LIMIT_S)
        if one.outcome == "stream_reset":
            return RESET, True
        return (str(one.status) if one.status else one.fault), True
    connection = _connection(target)
    try:
        connection.request("GET", path, headers={"Connection": "close"})
        return str(connection.getresponse().status), True
    except (OSError, client.HTTPException) as error:
        is_http = isinstance(error, OSError) or not isinstance(error, client.BadStatusLine)
        return printable(str(error).rstrip()) or type(error).__name__, is_http
    finally:
        connection.close()


def _connection(target: Target) -> client.HTTPConnection:
    if target.tls is None:
        return client.HTTPConnection(target.host, target.port, timeout=ASK_LIMIT_S)
    context = client_context(target.tls)
    return client.HTTPSConnection(target.host, target.port, timeout=ASK_LIMIT_S, context=context)


def _explain_death(running: RunningServer) -> EnvironmentFault | ServerFailure:
    name = running.installation.server.name
    if running.killed_because is not None:
        message = f"`{name}` was killed before it was ready: {running.killed_because}"
        return ServerFailure(message, stage="start", log=running.log)
    words = last_words(running.log, 3)
    if not is_free(running.port, running.host):
        return PortTaken(running.port)
    if _IN_USE.search(words):
        return OtherPortTaken(running.port, name, quote_log(words))
    return ServerFailure(
        f"`{name}` exited with code {running.exit_code} before it was ready; its log ends:"
        f" {quote_log(words)}",
        stage="start",
        log=running.log,
    )
