"""Debian packages: which are missing, and their installation, one at a time on this machine.

Nothing here runs unless a person asked for it (`httpdyno servers install`). Services are kept from
starting while packages are installed (policy-rc.d, as Debian Policy §9.3.3.1 describes it): a web
server that starts itself would take a port and cores from those under test.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from httpdyno.errors import EnvironmentFault
from httpdyno.servers.failure import ServerFailure, first_error
from httpdyno.servers.installation.execute import execute

LIMIT_S = 1800.0
"""No apt command runs longer than this."""

APT = ("-y", "-q", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=600")
POLICY = Path("/usr/sbin/policy-rc.d")
_MARK = "# put here by httpdyno for the time of an installation"
_PACKAGES_OF_PROGRAMS = {
    "cargo": "cargo",
    "mvn": "maven",
    "java": "default-jdk-headless",
    "javac": "default-jdk-headless",
    "cc": "gcc",
    "ghc": "ghc",
    "erl": "erlang-base",
}

Report = Callable[[str], None]


def has_dpkg() -> bool:
    """Whether this machine's packages are Debian's."""
    return shutil.which("dpkg-query") is not None and shutil.which("apt-get") is not None


def missing(packages: Sequence[str]) -> list[str]:
    """Those of the packages that are not installed; none where dpkg is not there to ask."""
    if not packages or not has_dpkg():
        return []
    asked = ["dpkg-query", "--show", "--showformat=${Package} ${db:Status-Abbrev}\n", *packages]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    pairs = (line.split() for line in done.stdout.splitlines())
    there = {words[0] for words in pairs if len(words) == 2 and words[1].endswith("i")}
    return [name for name in dict.fromkeys(packages) if name.partition(":")[0] not in there]


def package_of(tool: str) -> str | None:
    """The package that brings a program, where that is known."""
    return _PACKAGES_OF_PROGRAMS.get(tool)


def command_for(packages: Sequence[str]) -> str:
    """The one command that installs them, for a person to run."""
    return f"sudo apt-get install -y --no-install-recommends {' '.join(packages)}"


def install_packages(packages: Sequence[str], log: Path, say: Report) -> None:
    """Install them in one transaction; a failed one is tried again after `apt-get update`.

    Raises EnvironmentFault where that is not allowed, ServerFailure with apt's words when it fails.
    """
    as_root = _as_root(packages)
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text("", encoding="utf-8")
    say(f"installing {len(packages)} Debian packages: {' '.join(packages)}")
    apt = [*as_root, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]
    wanted = [*apt, "install", *APT, *packages]
    with _one_at_a_time(say), _services_stay_down(as_root):
        if _run(wanted, log) == 0:
            return
        _run([*as_root, "dpkg", "--configure", "-a"], log)
        _run([*apt, "update", "-q"], log)
        if _run(wanted, log) != 0:
            raise ServerFailure(
                f"`apt-get install` of {_some(packages)} failed: {first_error(log)}",
                stage="install",
                log=log,
            )


def know(packages: Sequence[str], log: Path, say: Report) -> None:
    """See that apt knows where to get these packages; asks the archive anew when it does not."""
    asked = ["apt-cache", "show", "--no-all-versions", *packages]
    if subprocess.run(asked, capture_output=True, check=False).returncode == 0:
        return
    as_root = _as_root(packages)
    with _one_at_a_time(say):
        _run([*as_root, "apt-get", "update", "-q"], log)


def _run(command: list[str], log: Path) -> int | None:
    """Run to the end, output into the log. An interrupt is passed to apt alone, which ends at a
    safe place: dpkg is never killed half way."""
    return execute(command, log, cwd=Path("/"), limit_s=LIMIT_S, gently=True)


def _some(packages: Sequence[str]) -> str:
    shown = ", ".join(f"`{name}`" for name in packages[:3])
    return shown if len(packages) <= 3 else f"{shown} and {len(packages) - 3} more"


def _as_root(packages: Sequence[str]) -> list[str]:
    """What goes before a command to run it as root. Raises EnvironmentFault without the right."""
    if not has_dpkg():
        raise EnvironmentFault(
            f"{_some(packages)} cannot be installed: this system has no `apt-get`",
            hint="install what the server needs by hand; its `server.toml` names it",
        )
    if os.geteuid() == 0:
        return []
    sudo = ["sudo", "-n"]
    if shutil.which("sudo"):
        asked = subprocess.run([*sudo, "true"], check=False, capture_output=True)
        if asked.returncode == 0:
            return sudo
    raise EnvironmentFault(
        f"{_some(packages)} cannot be installed: that takes root, or `sudo` without a password",
        hint=f"`{command_for(packages)}`",
    )


@contextlib.contextmanager
def _one_at_a_time(say: Report) -> Iterator[None]:
    """One lock for the whole machine; the kernel frees it when its holder dies."""
    shared = Path("/run/lock")
    file = (shared if shared.is_dir() else Path(tempfile.gettempdir())) / "httpdyno-apt.lock"
    try:
        lock = os.open(file, os.O_RDWR | os.O_CREAT, 0o666)
    except PermissionError:
        lock = os.open(file, os.O_RDONLY)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another process installs Debian packages; waiting")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


@contextlib.contextmanager
def _services_stay_down(as_root: list[str]) -> Iterator[None]:
    """No service is started meanwhile. A policy that the machine already has is left as it is."""
    ours = not POLICY.exists() or _MARK in POLICY.read_text(encoding="utf-8", errors="replace")
    if not ours:
        yield
        return
    with tempfile.NamedTemporaryFile("w", suffix=".policy", encoding="utf-8") as script:
        script.write(f"#!/bin/sh\n{_MARK}\nexit 101\n")
        script.flush()
        copy = [*as_root, "install", "-m", "755", script.name, str(POLICY)]
        subprocess.run(copy, check=False, capture_output=True)
    try:
        yield
    finally:
        subprocess.run([*as_root, "rm", "-f", str(POLICY)], check=False, capture_output=True)
