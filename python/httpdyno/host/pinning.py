"""Which cores the server gets and which the generator, so that neither takes the other's time."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Pinning:
    """Cores by number. `shared`: server and generator have one in common, and `note` says so."""

    server: list[int]
    generator: list[int]
    shared: bool
    note: str


def available() -> list[int]:
    """The cores this process may use, ascending."""
    return sorted(os.sched_getaffinity(0))


def split(cpus: Sequence[int], server_cores: int | Literal["all"]) -> Pinning:
    """The first cores to the server, the rest to the generator, which has at least the last one.

    A server that wants every core, or more than there are besides the generator's, shares: it gets
    what it wants as far as the machine has it, and the generator runs on the last core.
    """
    cores = sorted(cpus)
    if not cores:
        raise ValueError("no cores to split")
    wanted = len(cores) if server_cores == "all" else server_cores
    server = cores[:wanted]
    if wanted < len(cores):
        generator = cores[wanted:]
        return Pinning(
            server,
            generator,
            False,
            f"server on {_named(server)}, generator on {_named(generator)}",
        )
    generator = cores[-1:]
    asked = "all cores" if server_cores == "all" else f"{wanted} cores"
    return Pinning(
        server,
        generator,
        True,
        f"the server wants {asked} and the machine has {len(cores)}: core {generator[0]} "
        "serves the generator too, and its share is missing from the server",
    )


def _named(cores: Sequence[int]) -> str:
    return f"core {cores[0]}" if len(cores) == 1 else f"cores {', '.join(map(str, cores))}"
