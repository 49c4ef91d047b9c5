"""Install a server once, in a folder of its own, keyed by everything that went into it.

    cache/servers/NAME/DIGEST/           source/ (what was installed), venv/ or what the build made
    cache/servers/NAME/DIGEST/.complete  written last: without it the folder is worth nothing and is
    made again cache/servers/NAME/DIGEST.log .lock

The folder is built where it will stay, because a venv cannot be moved; the marker makes that as
safe as a rename.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from httpdyno.errors import EnvironmentFault
from httpdyno.servers.command import fill_all
from httpdyno.servers.digest import copy_sources, digest_of
from httpdyno.servers.failure import ServerFailure, Stage, last_words
from httpdyno.servers.folders import cache_folder
from httpdyno.servers.server import Server

LIMIT_S = 1800.0
"""No command of an installation runs longer than this."""

VERSION_LIMIT_S = 30.0

_TOOLS = {"pip": (), "npm": ("node", "npm"), "go": ("go",), "cargo": ("cargo",)}
_PACKAGES = {"node": "nodejs", "npm": "npm", "go": "golang-go", "cargo": "cargo"}

Report = Callable[[str], None]


@dataclass(frozen=True)
class Installation:
    """A server that can be started. `version` is what it says of itself; empty after a dry run."""

    server: Server
    prefix: Path
    version: str
    log: Path

    @property
    def source(self) -> Path:
        """The copy of the server's folder that was installed."""
        return self.prefix / "source"

    @property
    def python(self) -> Path:
        """The server's own Python, or, for a server without one, ours."""
        if self.server.install.kind == "pip":
            return self.prefix / "venv" / "bin" / "python"
        return Path(sys.executable)

    @property
    def placeholders(self) -> dict[str, str]:
        """What is known without a start."""
        return {"python": str(self.python), "prefix": str(self.prefix), "source": str(self.source)}

    def environment(self) -> dict[str, str]:
        """The environment of the server's commands; one with its own Python sees only that."""
        ours = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "PYTHONSTARTUP"}
        inherited = {key: value for key, value in os.environ.items() if key not in ours}
        inherited["PATH"] = _search_path()
        folders = list(filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep)))
        if folders and self.server.install.kind != "pip":
            # Commands run in another folder: what is found from here must be found from there.
            absolute = (str(Path(folder).absolute()) for folder in folders)
            inherited["PYTHONPATH"] = os.pathsep.join(absolute)
        return inherited


def install(server: Server, *, dry_run: bool = False, report: Report | None = None) -> Installation:
    """Install a server, or find it installed; `dry_run` only reports the commands.

    Raises EnvironmentFault (a tool is missing, no room, no permission) or ServerFailure (a command
    failed).
    """
    say = report or (lambda _: None)
    plan = _planned(server)
    _require_available(plan)
    if dry_run:
        for step in _steps(plan):
            say(" ".join(step.command))
        return plan
    if (done := _finished(plan)) is not None:
        return done
    _require_tools(server)
    try:
        with _locked(plan, say):
            return _finished(plan) or _make(plan, say)
    except OSError as error:
        raise EnvironmentFault(
            f"`{server.name}` cannot be installed into `{plan.prefix}`: {error.strerror}",
            hint="`HTTPDYNO_CACHE` names another folder",
        ) from None


def installed(server: Server) -> Installation | None:
    """The finished installation of a server, or None; installs nothing."""
    try:
        return _finished(_planned(server))
    except EnvironmentFault:
        return None


@dataclass(frozen=True)
class _Step:
    stage: Stage
    command: list[str]


def _require_available(plan: Installation) -> None:
    if plan.server.unavailable is not None:
        message = f"`{plan.server.name}` cannot be had: {plan.server.unavailable}"
        raise ServerFailure(message, stage="install", log=plan.log, hint=plan.server.homepage)


def _planned(server: Server) -> Installation:
    home = cache_folder() / "servers" / server.name
    digest = digest_of(server)
    return Installation(server, home / digest, "", home / f"{digest}.log")


def _steps(plan: Installation) -> Iterator[_Step]:
    """The commands that install and build, in order."""
    python = str(plan.python)
    match plan.server.install.kind:
        case "pip":
            wanted = str(plan.source / (plan.server.install.requirements or ""))
            yield _Step("install", [sys.executable, "-m", "venv", str(plan.prefix / "venv")])
            quiet = ["--no-input", "--disable-pip-version-check", "--quiet"]
            yield _Step("install", [python, "-m", "pip", "install", *quiet, "-r", wanted])
        case "npm":
            yield _Step("install", ["npm", "ci", "--omit=dev", "--no-audit", "--no-fund"])
        case _:
            pass
    if plan.server.build is not None:
        yield _Step("build", fill_all(plan.server.build.command, plan.placeholders))


def _finished(plan: Installation) -> Installation | None:
    try:
        version = json.loads((plan.prefix / ".complete").read_text(encoding="utf-8"))["version"]
    except (OSError, ValueError, KeyError):
        return None
    if plan.server.install.kind in ("none", "apt"):
        # Its program is the machine's: it may have been upgraded, or removed, since.
        _require_tools(plan.server)
        version = _version(plan)
    return Installation(plan.server, plan.prefix, version, plan.log)


def _make(plan: Installation, say: Report) -> Installation:
    shutil.rmtree(plan.prefix, ignore_errors=True)
    plan.prefix.mkdir(parents=True)
    plan.log.write_text("", encoding="utf-8")
    copy_sources(plan.server, plan.source)
    for step in _steps(plan):
        say(f"{plan.server.name}: {' '.join(step.command)}")
        _execute(plan, step)
    version = _version(plan)
    scratch = plan.prefix / ".complete.tmp"
    scratch.write_text(json.dumps({"version": version}), encoding="utf-8")
    scratch.replace(plan.prefix / ".complete")
    return Installation(plan.server, plan.prefix, version, plan.log)


def _execute(plan: Installation, step: _Step) -> None:
    """Run one command to its end, its output in the log; its whole group ends with it."""
    with plan.log.open("ab") as log:
        log.write(f"$ {' '.join(step.command)}\n".encode())
        log.flush()
        child = subprocess.Popen(
            step.command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            cwd=plan.source,
            env=plan.environment(),
            start_new_session=True,
        )
        try:
            code = child.wait(timeout=LIMIT_S)
        except BaseException as interrupted:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
            if not isinstance(interrupted, subprocess.TimeoutExpired):
                raise
            code = None
    if code != 0:
        why = f"took more than {LIMIT_S:.0f} s" if code is None else last_words(plan.log)
        raise ServerFailure(
            f"`{plan.server.name}` failed to {step.stage}: {why}", stage=step.stage, log=plan.log
        )


def _version(plan: Installation) -> str:
    """The first line of the version command from its first digit on: `1.22.1` of `nginx/1.22.1`."""
    command = fill_all(plan.server.version.command, plan.placeholders)
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=plan.source,
            env=plan.environment(),
            timeout=VERSION_LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _no_version(plan, command, str(error)) from None
    said = done.stdout.decode(errors="replace").strip()
    if done.returncode != 0 or not said:
        raise _no_version(plan, command, said)
    line = said.splitlines()[0].strip()
    digit = next((place for place, sign in enumerate(line) if sign.isdigit()), 0)
    return line[digit:]


def _no_version(plan: Installation, command: list[str], said: str) -> ServerFailure:
    with plan.log.open("a", encoding="utf-8") as log:
        log.write(f"$ {' '.join(command)}\n{said}\n")
    last = said.splitlines()[-1] if said else "it says nothing"
    message = f"`{plan.server.name}` does not tell its version: {last}"
    return ServerFailure(message, stage="install", log=plan.log)


def _search_path() -> str:
    """PATH, and the folders where Debian puts servers and a plain user's PATH does not look."""
    return os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/local/sbin", "/usr/sbin"])


def _require_tools(server: Server) -> None:
    wanted = dict.fromkeys((*_TOOLS.get(server.install.kind, ()), *server.install.tools))
    missing = [tool for tool in wanted if shutil.which(tool, path=_search_path()) is None]
    if not missing:
        return
    packages = server.install.packages or tuple(_PACKAGES.get(tool, tool) for tool in missing)
    named = ", ".join(f"`{tool}`" for tool in missing)
    raise EnvironmentFault(
        f"{named} not found on PATH: `{server.name}` needs it",
        hint=f"on Debian and Ubuntu: `sudo apt-get install -y {' '.join(packages)}`",
    )


@contextlib.contextmanager
def _locked(plan: Installation, say: Report) -> Iterator[None]:
    """One installation of a server at a time; the kernel frees the lock when its holder dies."""
    plan.prefix.parent.mkdir(parents=True, exist_ok=True)
    with plan.prefix.with_suffix(".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"{plan.server.name}: another process installs it; waiting")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
