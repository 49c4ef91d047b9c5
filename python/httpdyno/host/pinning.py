"""Splits the cores between server and generator, so that neither takes the other's CPU time."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Pinning:
    """The cores of each, by number. `shared`: they have one in common, as `note` explains."""

    server: list[int]
    generator: list[int]
    shared: bool
    note: str


def available() -> list[int]:
    """The cores that this process may use, ascending."""
    return sorted(os.sched_getaffinity(0))


def split(cpus: Sequence[int], server_cores: int | Literal["all"]) -> Pinning:
    """The first cores for the server, the rest for the generator, which has at least the last.

    When the server can use more cores than that leaves, it gets as many as there are and shares the
    last one with the generator.
    """
    cores = sorted(cpus)
    if not cores:
        raise ValueError("no cores to split")
    count = len(cores) if server_cores == "all" else server_cores
    server = cores[:count]
    if count < len(cores):
        generator = cores[count:]
        return Pinning(
            server,
            generator,
            False,
            f"server on {cores_in_words(server)}, generator on {cores_in_words(generator)}",
        )
    generator = cores[-1:]
    used = "all cores" if server_cores == "all" else f"{count} cores"
    return Pinning(
        server,
        generator,
        True,
        f"the server uses {used} and the machine has {len(cores)}: "
        f"the generator takes CPU time from it on core {generator[0]}",
    )


def beside(cpus: Sequence[int], count: int) -> tuple[list[int], list[int]]:
    """The cores of a service, and those that are left for server and load generator.

    It has the last ones if at least two are left; otherwise the first, which is the server's, too.
    """
    cores = sorted(cpus)
    own = min(count, len(cores) - 2)
    return (cores[-own:], cores[:-own]) if own > 0 else (cores[:1], cores)


def cores_in_words(cores: Sequence[int]) -> str:
    """`core 0`, or `cores 1, 2`."""
    return f"core {cores[0]}" if len(cores) == 1 else f"cores {', '.join(map(str, cores))}"
