"""Installs a server once, in a folder named by a digest of everything it is made from.

    cache/servers/NAME/DIGEST/           source/ (the copy), git/, venv/ or the build's output
    cache/servers/NAME/DIGEST/.complete  written last; a folder without it is made again
    cache/servers/NAME/DIGEST.log        the output of the commands
    cache/servers/NAME/DIGEST.lock       held by the process that installs

The folder is built where it will stay, because a venv cannot be moved; the marker makes that as
safe as a rename.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from httpdyno.errors import EnvironmentFault
from httpdyno.servers.declaration.placeholders import fill_all
from httpdyno.servers.declaration.server import Server
from httpdyno.servers.failure import ServerFailure, Stage, first_error, quote_log
from httpdyno.servers.folders import cache_folder
from httpdyno.servers.installation import debian, toolchains
from httpdyno.servers.installation.digest import copy_sources, digest_of
from httpdyno.servers.installation.execute import execute
from httpdyno.servers.installation.installation import Installation
from httpdyno.servers.installation.lock import hold_lock
from httpdyno.servers.installation.repositories import copy_repository, fetch_commands
from httpdyno.servers.installation.requirements import lacking_toolchains, missing_packages, require
from httpdyno.servers.installation.version import version_of

LIMIT_S = 1800.0
"""No command of an installation runs longer than this."""

_UNPACK = (
    'mkdir -p "$1" && cd "$1" && shift && apt-get download -q "$@" && '
    'for deb in *.deb; do dpkg-deb -x "$deb" . && rm "$deb" || exit 1; done'
)
"""apt-get download writes into the current folder, under a name that it chooses."""

Report = Callable[[str], None]


def install(
    server: Server,
    *,
    system: bool = False,
    dry_run: bool = False,
    report: Report | None = None,
) -> Installation:
    """Install a server unless it is installed; `dry_run` only reports the commands.

    `system` permits it to install missing Debian packages; nothing else outside the cache folder is
    changed. Raises EnvironmentFault (something is missing, no space, no permission) or
    ServerFailure (a command failed, or the server is unavailable).
    """
    say = report or (lambda _: None)
    plan = _plan(server)
    _require_available(plan)
    if dry_run:
        for step in _all_steps(plan):
            say(" ".join(step.command))
        return plan
    try:
        if server.in_place:
            return _built_in_place(plan, say)
        if (done := _find(plan, system=system)) is not None:
            return done
        _prepare_machine(plan, say, system=system)
        with _lock(plan, say):
            return _find_finished(plan) or _make(plan, say)
    except OSError as error:
        raise EnvironmentFault(
            f"`{server.name}` cannot be installed into `{plan.prefix}`: {error.strerror}",
            hint="set `HTTPDYNO_CACHE` to another folder",
        ) from None


def _built_in_place(plan: Installation, say: Report) -> Installation:
    """Runs the build command of a server that stays in its own folder; it knows what is new."""
    plan.prefix.mkdir(parents=True, exist_ok=True)
    with _lock(plan, say):
        plan.log.write_text("", encoding="utf-8")
        for step in _steps(plan):
            say(f"{plan.server.name}: {' '.join(step.command)}")
            try:
                _execute(plan, step)
            except OSError as error:
                text = (
                    f"`{plan.server.name}` failed to build: `{step.command[0]}`: {error.strerror}"
                )
                raise ServerFailure(text, stage="build", log=plan.log) from None
    return plan


def find_installation(server: Server) -> Installation | None:
    """The finished installation of a server, or None; it installs nothing."""
    try:
        return _find_finished(_plan(server))
    except (EnvironmentFault, ServerFailure):
        return None


@dataclass(frozen=True)
class _Step:
    stage: Stage
    command: list[str]


def _require_available(plan: Installation) -> None:
    if plan.server.unavailable is not None:
        message = f"`{plan.server.name}` is unavailable: {plan.server.unavailable}"
        raise ServerFailure(message, stage="install", log=plan.log, hint=plan.server.homepage)


def _plan(server: Server) -> Installation:
    home = cache_folder() / "servers" / server.name
    digest = digest_of(server)
    return Installation(server, home / digest, "", home / f"{digest}.log")


def _find(plan: Installation, *, system: bool) -> Installation | None:
    """The finished installation. One whose packages were removed is None where `system` permits to
    install them again."""
    try:
        return _find_finished(plan)
    except EnvironmentFault:
        if system:
            return None
        raise


def _prepare_machine(plan: Installation, say: Report, *, system: bool) -> None:
    """Install toolchains and, where permitted, Debian packages; then require everything else."""
    if system and (packages := missing_packages(plan.server)):
        debian.install_packages(packages, plan.log.with_suffix(".apt.log"), say)
    for toolchain in lacking_toolchains(plan.server):
        toolchains.provide(toolchain, plan.log.with_suffix(f".{toolchain.name}.log"), say)
    require(plan.server)
    if system and plan.server.install.unpack:
        debian.update_lists_for(plan.server.install.unpack, plan.log.with_suffix(".apt.log"), say)


def _all_steps(plan: Installation) -> Iterator[_Step]:
    """The steps of a dry run: missing packages, toolchains and repositories first."""
    if packages := missing_packages(plan.server):
        yield _Step("install", debian.command_for(packages).split())
    for toolchain in lacking_toolchains(plan.server):
        yield from (_Step("install", command) for command in toolchain.commands)
    for repository in plan.server.install.repositories.values():
        yield from (_Step("install", command) for command in fetch_commands(repository))
    yield from _steps(plan)


def _steps(plan: Installation) -> Iterator[_Step]:
    """The commands that install and build, in order."""
    rules = plan.server.install
    python = str(plan.python)
    if rules.unpack:
        yield _Step("install", ["sh", "-c", _UNPACK, "sh", str(plan.unpacked), *rules.unpack])
    match rules.kind:
        case "pip":
            requirements = str(plan.source / (rules.requirements or ""))
            yield _Step("install", [sys.executable, "-m", "venv", str(plan.prefix / "venv")])
            quiet = ["--no-input", "--disable-pip-version-check", "--quiet"]
            yield _Step("install", [python, "-m", "pip", "install", *quiet, "-r", requirements])
        case "npm":
            yield _Step("install", ["npm", "ci", "--omit=dev", "--no-audit", "--no-fund"])
        case _:
            pass
    if plan.server.build is not None:
        yield _Step("build", fill_all(plan.server.build.command, plan.placeholders))


def _find_finished(plan: Installation) -> Installation | None:
    try:
        version = json.loads((plan.prefix / ".complete").read_text(encoding="utf-8"))["version"]
    except (OSError, ValueError, KeyError):
        return None
    if plan.server.install.kind in ("none", "apt", "git"):
        # The program belongs to the machine and may have been upgraded or removed since.
        require(plan.server)
        version = version_of(plan)
    return Installation(plan.server, plan.prefix, version, plan.log)


def _make(plan: Installation, say: Report) -> Installation:
    shutil.rmtree(plan.prefix, ignore_errors=True)
    plan.prefix.mkdir(parents=True)
    plan.log.write_text("", encoding="utf-8")
    copy_sources(plan.server, plan.source)
    for name, repository in plan.server.install.repositories.items():
        copy_repository(plan.server.name, repository, plan.repositories / name, say)
    with _alone(plan, say):
        for step in _steps(plan):
            say(f"{plan.server.name}: {' '.join(step.command)}")
            _execute(plan, step)
    version = version_of(plan)
    scratch = plan.prefix / ".complete.tmp"
    scratch.write_text(json.dumps({"version": version}), encoding="utf-8")
    scratch.replace(plan.prefix / ".complete")
    return Installation(plan.server, plan.prefix, version, plan.log)


def _execute(plan: Installation, step: _Step) -> None:
    code = execute(
        step.command,
        plan.log,
        cwd=plan.source,
        limit_s=LIMIT_S,
        environment=plan.environment(),
    )
    if code == 0:
        return
    why = f"took more than {LIMIT_S:.0f} s" if code is None else quote_log(first_error(plan.log))
    raise ServerFailure(
        f"`{plan.server.name}` failed to {step.stage}: {why}", stage=step.stage, log=plan.log
    )


@contextlib.contextmanager
def _lock(plan: Installation, say: Report) -> Iterator[None]:
    """Holds the lock of this installation."""
    plan.prefix.parent.mkdir(parents=True, exist_ok=True)
    file = plan.prefix.with_suffix(".lock")
    with hold_lock(
        file, lambda: say(f"{plan.server.name}: waiting for another process to install it")
    ):
        yield


@contextlib.contextmanager
def _alone(plan: Installation, say: Report) -> Iterator[None]:
    """Holds the lock of Maven builds: its local repository is not safe for two at once."""
    if plan.server.install.kind != "maven":
        yield
        return
    file = cache_folder() / "servers" / ".maven.lock"
    with hold_lock(file, lambda: say(f"{plan.server.name}: waiting for another Maven build")):
        yield
