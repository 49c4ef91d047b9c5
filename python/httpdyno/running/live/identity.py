"""The process of a run, distinct from every later one that gets the same pid."""

from __future__ import annotations

import os
import re
import signal
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_KEY = re.compile(r"([1-9][0-9]{0,9})-([0-9]{1,20})")
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True)
class Identity:
    """A process by its pid and its start time, in clock ticks since the machine started."""

    pid: int
    started: int
    boot: str = ""
    """Identifies the start of the machine; empty: the present one."""

    @classmethod
    def own(cls) -> Identity:
        """This process."""
        return cls.of(os.getpid())

    @classmethod
    def of(cls, pid: int) -> Identity:
        """The process that has this pid now."""
        return cls(pid, _start_time(pid) or 0, boot_id())

    @classmethod
    def from_key(cls, key: str) -> Identity | None:
        """The process with this key; None: it is no key."""
        match = _KEY.fullmatch(key)
        return None if match is None else cls(int(match[1]), int(match[2]))

    @property
    def key(self) -> str:
        """Its name in paths: `4711-123456`."""
        return f"{self.pid}-{self.started}"

    def alive(self) -> bool:
        """True while the process exists."""
        return self.boot in ("", boot_id()) and _start_time(self.pid) == self.started

    def interrupt(self) -> bool:
        """Sends SIGINT, as Ctrl-C does; False if the process is gone.

        The descriptor is opened first and checked then, so no other process can be hit.
        """
        with suppress(OSError):
            descriptor = os.pidfd_open(self.pid)
            try:
                if self.alive():
                    signal.pidfd_send_signal(descriptor, signal.SIGINT)
                    return True
            finally:
                os.close(descriptor)
        return False


@cache
def boot_id() -> str:
    """Differs after each start of the machine."""
    try:
        return _BOOT_ID.read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _start_time(pid: int) -> int | None:
    """The start time of a living process; None: there is none, or it has ended."""
    try:
        line = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return None
    # The name, between the parentheses, may itself hold spaces and parentheses.
    fields = line[line.rindex(b")") + 2 :].split()
    return None if fields[0] in (b"Z", b"X") else int(fields[19])
