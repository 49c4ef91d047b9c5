"""Debian packages: finds the missing ones and installs them, one transaction at a time.

Packages are installed only when the user asks for it (`httpdyno servers install`). Meanwhile no
service may start (policy-rc.d, Debian Policy §9.3.3.1): a web server that starts by itself would
take a port and CPU time from the servers under test.
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
from httpdyno.servers.failure import ServerFailure, first_error, quote_log
from httpdyno.servers.installation.execute import execute

LIMIT_S = 1800.0
"""No apt command runs longer than this."""

APT = ("-y", "-q", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=600")
POLICY = Path("/usr/sbin/policy-rc.d")
LOCK = Path("/run/lock/httpdyno-apt.lock")
_MARK = "# put here by httpdyno for the time of an installation"
_PACKAGES_OF_PROGRAMS = {
    "cargo": "cargo",
    "mvn": "maven",
    "java": "default-jdk-headless",
    "javac": "default-jdk-headless",
    "cc": "gcc",
    "ghc": "ghc",
    "erl": "erlang-base",
    "git": "git",
}

Report = Callable[[str], None]


def has_dpkg() -> bool:
    """True on Debian and its derivatives."""
    return shutil.which("dpkg-query") is not None and shutil.which("apt-get") is not None


def missing(packages: Sequence[str]) -> list[str]:
    """The packages that are not installed; none on a system without dpkg."""
    if not packages or not has_dpkg():
        return []
    query = ["dpkg-query", "--show", "--showformat=${Package} ${db:Status-Abbrev}\n", *packages]
    done = subprocess.run(query, capture_output=True, text=True, check=False)
    pairs = (line.split() for line in done.stdout.splitlines())
    there = {words[0] for words in pairs if len(words) == 2 and words[1].endswith("i")}
    return [name for name in dict.fromkeys(packages) if name.partition(":")[0] not in there]


def package_of(tool: str) -> str | None:
    """The package that contains a program, where that is known."""
    return _PACKAGES_OF_PROGRAMS.get(tool)


def command_for(packages: Sequence[str]) -> str:
    """The command that installs them, for the user to paste."""
    return f"sudo apt-get install -y --no-install-recommends {' '.join(packages)}"


def install_packages(packages: Sequence[str], log: Path, say: Report) -> None:
    """Install them in one transaction; if it fails, retry once after `apt-get update`.

    Raises EnvironmentFault without the permission, ServerFailure with apt's error when it fails.
    """
    as_root = _as_root(packages)
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text("", encoding="utf-8")
    say(f"installing {len(packages)} Debian packages: {' '.join(packages)}")
    apt = [*as_root, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]
    command = [*apt, "install", *APT, *packages]
    with _one_at_a_time(say), _services_stay_down(as_root):
        if _run(command, log, say) == 0:
            return
        _run([*as_root, "dpkg", "--configure", "-a"], log, say)
        _run([*apt, "update", "-q"], log, say)
        if _run(command, log, say) != 0:
            raise ServerFailure(
                f"`apt-get install` of {_some(packages)} failed: {quote_log(first_error(log))}",
                stage="install",
                log=log,
            )


def update_lists_for(packages: Sequence[str], log: Path, say: Report) -> None:
    """Update the package lists unless apt knows all of these packages."""
    query = ["apt-cache", "show", "--no-all-versions", *packages]
    if subprocess.run(query, capture_output=True, check=False).returncode == 0:
        return
    as_root = _as_root(packages)
    with _one_at_a_time(say):
        _run([*as_root, "apt-get", "update", "-q"], log, say)


def _run(command: list[str], log: Path, say: Report) -> int | None:
    """Run to the end, with the output in the log. An interrupt goes to apt alone, which exits at a
    safe point: killing dpkg half way would break the system."""
    return execute(
        command,
        log,
        cwd=Path("/"),
        limit_s=LIMIT_S,
        still_waiting=lambda: say("still waiting: killing apt half way would break the system"),
    )


def _some(packages: Sequence[str]) -> str:
    shown = ", ".join(f"`{name}`" for name in packages[:3])
    return shown if len(packages) <= 3 else f"{shown} and {len(packages) - 3} more"


def _as_root(packages: Sequence[str]) -> list[str]:
    """The words before a command that is to run as root. Raises EnvironmentFault without root."""
    if not has_dpkg():
        raise EnvironmentFault(
            f"{_some(packages)} cannot be installed: this system has no `apt-get`",
            hint="install the programs that `tools` in its `server.toml` names",
        )
    if os.geteuid() == 0:
        return []
    sudo = ["sudo", "-n"]
    if shutil.which("sudo"):
        check = subprocess.run([*sudo, "true"], check=False, capture_output=True)
        if check.returncode == 0:
            return sudo
    raise EnvironmentFault(
        f"{_some(packages)} cannot be installed: expected root, or `sudo` without a password",
        hint=f"`{command_for(packages)}`",
    )


@contextlib.contextmanager
def _one_at_a_time(say: Report) -> Iterator[None]:
    """Holds the machine-wide lock, which the kernel frees when its holder dies."""
    file = LOCK if LOCK.parent.is_dir() else Path(tempfile.gettempdir()) / LOCK.name
    try:
        lock = os.open(file, os.O_RDWR | os.O_CREAT, 0o666)
    except PermissionError:
        lock = os.open(file, os.O_RDONLY)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting for another process to install Debian packages")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


@contextlib.contextmanager
def _services_stay_down(as_root: list[str]) -> Iterator[None]:
    """Lets no service start meanwhile. A policy that the machine already has is left unchanged."""
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
