"""The commands that work for this user on this machine: with sudo, or in a container."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Literal, NamedTuple

from httpdyno.host.machine import Machine

__all__ = ["Place", "Remedy", "place_of"]

Container = Literal["docker", "podman", "container"]
"""`container`: of another program, such as Kubernetes or LXC."""
_MARKS = ("docker", "kubepods", "containerd", "lxc", "libpod")
"""Words in the control groups of containers."""


class Remedy(NamedTuple):
    """A command, and the place or the moment for it. None: there is no command, or here and now."""

    command: str | None
    where: str | None = None


@dataclass(frozen=True)
class Place:
    """Where a command would run."""

    root: bool
    container: Container | None = None

    def setting(self, command: str) -> Remedy:
        """A command that changes the kernel's settings, which a container shares with its host."""
        if self.container:
            return Remedy(f"sudo {command}", "on the host of this container")
        return Remedy(self.as_root(command))

    def limit(self, command: str, flag: str, where: str | None = None) -> Remedy:
        """A command of root; in a container, the flag of `docker run` that has the same effect."""
        return self.start(flag) if self.container else Remedy(self.as_root(command), where)

    def start(self, flag: str) -> Remedy:
        """A flag with which the container is to be started."""
        when = "when you start this container"
        if self.container == "container":
            return Remedy(None, f"{when}, set what `docker run {flag}` sets")
        return Remedy(f"{self.container} run {flag}", when)

    def as_root(self, command: str) -> str:
        """A command as root runs it."""
        return command if self.root else f"sudo {command}"


def place_of(machine: Machine) -> Place:
    """The user and the container of this process."""
    return Place(os.geteuid() == 0, _container(machine))


def _container(machine: Machine) -> Container | None:
    if machine.exists(".dockerenv"):
        return "docker"
    if machine.exists("run/.containerenv"):
        return "podman"
    groups = machine.text("proc/1/cgroup") or ""
    named = machine.exists("run/systemd/container") or machine.exists(
        "var/run/secrets/kubernetes.io"
    )
    return "container" if named or any(mark in groups for mark in _MARKS) else None
