"""A load generator: its source and its command."""

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
    """With its version, if the source allows to choose one."""
    program: str
    """File name of the installed program."""
    command: Callable[[str, Job], Command]
    version: tuple[str, ...] = ("--version",)
    """Options that print its version; empty: taken from the package."""
    has_once: bool = True
    """True if it can make a single request. Otherwise its start counts as work."""
    tls: bool = False
    """True if it is compared over TLS."""
    http2: bool = False
    """True if it is compared over HTTP/2."""
