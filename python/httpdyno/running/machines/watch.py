"""Watches the machines of a run while a trial is measured."""

from __future__ import annotations

from typing import Protocol

from httpdyno.host.activity import activity, load_average
from httpdyno.host.machine import Machine
from httpdyno.host.use import use_between
from httpdyno.outcome import MachineUse

__all__ = ["LocalWatch", "Watch"]


class Watch(Protocol):
    """Watches the machines of a run while a trial is measured."""

    def begin(self) -> None:
        """The measured window begins; called again, it begins anew."""

    def end(self) -> tuple[MachineUse, ...]:
        """The window has ended: what the machines did in it, that of the server first."""


class LocalWatch:
    """Two readings of the counters of this machine, which cost a millisecond each."""

    def __init__(self) -> None:
        self._machine = Machine()
        self._load_before = load_average(self._machine)
        self._before = activity(self._machine, "lo")

    def begin(self) -> None:
        """Reads the counters."""
        self._before = activity(self._machine, "lo")

    def end(self) -> tuple[MachineUse, ...]:
        """The use of this machine since."""
        use = use_between(
            self._before,
            activity(self._machine, "lo"),
            roles=("server", "generator"),
            interface="lo",
            load_before=self._load_before,
        )
        return (use,)
