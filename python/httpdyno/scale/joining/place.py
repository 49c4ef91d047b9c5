"""The cores of one machine of a cluster: those of the engine, and those of the agent beside it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from httpdyno.host.pinning import available

__all__ = ["Place", "boot", "divide_cores", "here", "on_all_cores", "settle"]


@dataclass(frozen=True)
class Place:
    """The cores of a machine by number."""

    engine: tuple[int, ...]
    """Those of the load generator, or of the server."""
    agent: tuple[int, ...]
    """Those of the process that takes orders."""

    @property
    def shared(self) -> bool:
        """The agent takes time from the engine."""
        return not set(self.engine).isdisjoint(self.agent)

    @property
    def all(self) -> tuple[int, ...]:
        """Every core of both."""
        return tuple(sorted({*self.engine, *self.agent}))


def divide_cores(cores: Sequence[int], engine: Sequence[int] | None = None) -> Place:
    """The cores of a machine, divided; without `engine`, the first one is the agent's."""
    ordered = tuple(sorted(cores))
    if engine is None:
        return Place(ordered[1:] or ordered, ordered[:1])
    rest = tuple(core for core in ordered if core not in engine)
    return Place(tuple(engine), rest or tuple(engine))


_place_of_process: Place | None = None


def settle(place: Place) -> None:
    """Keeps this process to the agent's cores; before it starts any thread."""
    global _place_of_process  # noqa: PLW0603 - one place a process
    _place_of_process = place
    os.sched_setaffinity(0, place.agent)


def here() -> Place:
    """The place of this process; of one that never settled, its cores as `divided` does it."""
    return _place_of_process or divide_cores(available())


def boot() -> str:
    """An identifier that is the same for all workers of one machine, until it starts again."""
    file = Path("/proc/sys/kernel/random/boot_id")
    return file.read_text(encoding="ascii").strip() if file.exists() else ""


@contextmanager
def on_all_cores() -> Iterator[None]:
    """Lets this thread, and what it starts, use every core of the machine within the block."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, here().all)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
