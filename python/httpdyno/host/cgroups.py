"""The limits of the control groups of this process: cgroups(7), both versions of the hierarchy."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from httpdyno.host.machine import Machine

_ROOT = "sys/fs/cgroup"
_NO_LIMIT = 1 << 60
"""Version 1 has no word for it: the limit is a number beyond any memory."""


def cpu_quota(machine: Machine) -> float | None:
    """The processors that this process and its groups may use at a time; None: all."""
    found = []
    for folder in _folders(machine, "cpu"):
        words = (machine.text(f"{folder}/cpu.max") or "").split()
        words = words or [
            machine.text(f"{folder}/cpu.cfs_{name}_us") or "" for name in ("quota", "period")
        ]
        if len(words) == 2 and all(word.isdecimal() and int(word) for word in words):
            found.append(int(words[0]) / int(words[1]))
    return min(found, default=None)


def memory_limit(machine: Machine) -> int | None:
    """The bytes of memory that this process and its groups may use; None: all."""
    files = [
        f"{folder}/{name}"
        for folder in _folders(machine, "memory")
        for name in ("memory.max", "memory.limit_in_bytes")
    ]
    texts = [machine.text(file) or "" for file in files]
    return min(
        (int(text) for text in texts if text.isdecimal() and int(text) < _NO_LIMIT), default=None
    )


def _folders(machine: Machine, controller: str) -> Iterator[str]:
    """The folders of this process's group and of those above it, and the root of a container."""
    yield _ROOT
    yield f"{_ROOT}/{controller}"
    for line in (machine.text("proc/self/cgroup") or "").splitlines():
        _, controllers, path = [*line.split(":", 2), "", ""][:3]
        if controllers and controller not in controllers.split(","):
            continue
        base = f"{_ROOT}/{controller}" if controllers else _ROOT
        inside = PurePosixPath(path.lstrip("/"))
        if ".." not in inside.parts:
            yield from (f"{base}/{group}" for group in (inside, *inside.parents))
