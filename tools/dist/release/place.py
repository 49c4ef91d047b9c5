"""Where a release is built, and what it is a release of."""

from __future__ import annotations

import os
import subprocess
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

__all__ = ["Place", "ReleaseError", "output", "run"]

SHOWN = 40
"""Lines of a failed command's output that are shown; all of it is in the log."""


class ReleaseError(Exception):
    """A release cannot be built, or a part of it is not as it must be."""


@dataclass(frozen=True)
class Place:
    """A checkout, and the folder in which its release is built."""

    root: Path
    work: Path

    @property
    def out(self) -> Path:
        """The files that are published."""
        return self.work / "out"

    @property
    def source(self) -> Path:
        """The committed files, as they are packed."""
        return self.work / "source"

    @cached_property
    def project(self) -> dict[str, Any]:
        """The table `project` of pyproject.toml."""
        document = tomllib.loads((self.root / "pyproject.toml").read_text(encoding="utf-8"))
        project: dict[str, Any] = document["project"]
        return project

    @cached_property
    def version(self) -> str:
        """The version of every part."""
        cargo = tomllib.loads((self.root / "Cargo.toml").read_text(encoding="utf-8"))
        return str(cargo["workspace"]["package"]["version"])

    @cached_property
    def epoch(self) -> str:
        """The time of the commit, which is the time of every file (SOURCE_DATE_EPOCH)."""
        return output("git", "log", "-1", "--format=%ct", cwd=self.root).strip()

    def wheel(self, tag: str) -> Path:
        """The wheel of a platform, such as `manylinux_2_28_x86_64`."""
        return self.out / f"httpdyno-{self.version}-cp311-abi3-{tag}.whl"

    def bom(self, kind: str) -> Path:
        """The list of the components of a kind, `rust` or `python`."""
        return self.out / f"httpdyno-{self.version}-{kind}.cdx.json"

    @property
    def sdist(self) -> Path:
        """The source distribution."""
        return self.out / f"httpdyno-{self.version}.tar.gz"


def run(*command: str | Path, cwd: Path, env: Mapping[str, str] | None = None) -> str:
    """Runs a command to its end, and returns what it wrote."""
    ended = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env={**os.environ, **(env or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        errors="replace",
        check=False,
    )
    if ended.returncode != 0:
        tail = "\n".join(ended.stdout.splitlines()[-SHOWN:])
        raise ReleaseError(
            f"`{' '.join(map(str, command))}` ended with {ended.returncode}:\n{tail}"
        )
    return ended.stdout


def output(*command: str | Path, cwd: Path) -> str:
    """The standard output of a command that must succeed."""
    ended = subprocess.run(
        [str(word) for word in command], cwd=cwd, capture_output=True, text=True, check=False
    )
    if ended.returncode != 0:
        raise ReleaseError(f"`{' '.join(map(str, command))}` failed: {ended.stderr.strip()}")
    return ended.stdout
