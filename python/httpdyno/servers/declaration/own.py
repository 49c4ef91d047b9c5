"""Servers without a `server.toml`: a command of the user's own, and a server that runs already.

Both run outside the cache: the command in the user's own folder, without a copy of it.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from httpdyno.engine_plan import Target, Tls
from httpdyno.errors import UsageError
from httpdyno.output.printable import printable
from httpdyno.output.slugs import server_name
from httpdyno.servers.declaration.server import Server
from httpdyno.servers.declaration.tables import Command, Deployment, Limits, Ready
from httpdyno.study.own.arms import COMMAND, RUNNING
from httpdyno.workloads import WORKLOADS

READY_WITHIN_S = 60.0
_SHELL = {"&&", "||", ";", "|", "&", ">", ">>", "<", "2>&1"}
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")


def server_from_command(
    name: str,
    start: str,
    *,
    build: str | None = None,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    ready: str | None = None,
    cores: int | Literal["all"] = 1,
    tls: Tls | None = None,
) -> Server:
    """A server that `start` starts in the folder `cwd` (None: the current one), where it stays.

    `{port}` in the command, and PORT in its environment, say where to listen on 127.0.0.1. `build`
    runs before, in the same folder. The server is ready when the path `ready` answers 200; without
    one, as soon as it answers anything at all. `tls`: it gets `{certificate}` and `{key}`, and the
    load speaks TLS with these settings. Raises UsageError.
    """
    folder = (cwd or Path.cwd()).absolute()
    if not folder.is_dir():
        raise UsageError(f"`cwd` of `{name}` is `{folder}`: expected a folder that exists")
    try:
        return Server(
            name=server_name(name),
            title=name,
            workloads=tuple(WORKLOADS),
            build=None if build is None else Command(command=words("build", build)),
            deployments={COMMAND: _deployment(start, env or {}, cores, tls)},
            ready=_ready(ready),
            limits=Limits(memory_mb=_most_mb()),
            folder=folder,
            in_place=True,
            client_tls=tls,
        )
    except ValidationError as error:
        raise UsageError(f"`{name}`: {_first(error)}") from None


def server_at(name: str, target: Target) -> Server:
    """A server that runs already: nothing is installed, started or stopped."""
    return Server(
        name=server_name(name),
        title=name,
        workloads=tuple(WORKLOADS),
        deployments={RUNNING: Deployment(command=("(already running)",), tls=False)},
        folder=Path("/"),
        in_place=True,
        running_at=target,
    )


def words(key: str, command: str) -> tuple[str, ...]:
    """The words of a command, split as a shell splits them. Raises UsageError for one that needs a
    shell to run it."""
    try:
        found = tuple(shlex.split(command))
    except ValueError as error:
        raise UsageError(
            f"`{key}` is `{command}`: {str(error).lower()}: expected a command",
            hint="close each quotation mark, or put a backslash before it",
        ) from None
    if not found:
        raise UsageError(f"`{key}` is empty: expected a command")
    _refuse_shell(key, found)
    return found


def without_port(key: str, start: str, env: Mapping[str, str]) -> str | None:
    """A warning about a command that does not say on which port to listen; None: it does.

    It is no error: a program may read PORT from its environment.
    """
    if any("{port}" in text or "PORT" in text for text in (start, *env.values())):
        return None
    return (
        f"`{key}` is `{printable(start)}`, without `{{port}}`: httpdyno finds the server only if it"
        " reads its port from the environment variable PORT; otherwise add `{port}` to it"
    )


def _refuse_shell(key: str, given: Sequence[str]) -> None:
    operator = next((word for word in given if word in _SHELL), None)
    if operator is not None:
        raise UsageError(
            f"`{key}` has `{operator}`, but runs without a shell: expected one command,"
            f" or `sh -c '…'` around it"
        )
    if _ASSIGNMENT.match(given[0]):
        raise UsageError(
            f"`{key}` begins with `{given[0]}`, but runs without a shell: expected a program first,"
            " and variables in `env`"
        )


def _deployment(
    start: str, env: Mapping[str, str], cores: int | Literal["all"], tls: Tls | None
) -> Deployment:
    command = words("start", start)
    if tls is not None and not any("{certificate}" in word for word in (*command, *env.values())):
        raise UsageError(
            "`tls` is true, but nothing tells the server its certificate: expected `{certificate}`"
            " and `{key}` in `start` or `env`"
        )
    return Deployment(
        command=command,
        description=start,
        cores=cores,
        env={"PORT": "{port}", **env},
        tls=tls is not None,
    )


def _ready(path: str | None) -> Ready:
    if path is None:
        return Ready(path="/", timeout_s=READY_WITHIN_S, any_status=True)
    return Ready(path=path, timeout_s=READY_WITHIN_S)


def _most_mb() -> int:
    """Three quarters of this machine's memory: a limit against accidents, not a rule."""
    return max(16, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 1024**2 * 3 // 4)


def _first(error: ValidationError) -> str:
    """The first fault, in words."""
    fault = error.errors(include_url=False)[0]
    cause = fault.get("ctx", {}).get("error")
    if cause is not None:
        return str(cause)
    key = ".".join(str(part) for part in fault["loc"])
    return f"`{key}` is `{fault['input']}`: {fault['msg']}"
