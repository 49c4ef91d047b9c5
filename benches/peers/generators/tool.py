"""A load generator: where it comes from and how it is called."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from peers.generators.job import Command, Job

Source = Literal["ours", "apt", "cargo", "go", "npm", "pip", "path"]


@dataclass(frozen=True)
class Tool:
    """`command` takes the program's path and the job, and raises CannotError."""

    name: str
    source: Source
    package: str
    """With its version where the source lets us choose one."""
    program: str
    """The file's name once installed."""
    command: Callable[[str, Job], Command]
    version: tuple[str, ...] = ("--version",)
    """Options that make it tell its version; none: the package's name tells."""
    has_once: bool = True
    """Whether it can be told to make one request; its start-up counts as work otherwise."""
    tls: bool = False
    """Whether it is compared over TLS."""
