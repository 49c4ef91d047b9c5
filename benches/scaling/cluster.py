"""A cluster on loopback: a scheduler and workers as processes of their own, over TLS."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from httpdyno.scale.joining.certificates import COORDINATOR, SCHEDULER, make

PROGRAM = (sys.executable, "-m", "httpdyno")
TICKS_PER_S = os.sysconf("SC_CLK_TCK")
AT_ONCE = 4
"""Workers that are started together: each takes a second of CPU time until it has joined."""


class Workers:
    """A context manager: `count` workers that have joined a scheduler."""

    def __init__(self, count: int, folder: Path, cores: Sequence[int]) -> None:
        self.names = [f"node-{number + 1:02d}" for number in range(count)]
        self.hosts = folder / "hosts.toml"
        self._certificates = folder / "certificates"
        self._cores = ",".join(map(str, cores))
        self._processes: list[subprocess.Popen[str]] = []

    def __enter__(self) -> Workers:
        make(self._certificates, dict.fromkeys([COORDINATOR, SCHEDULER, *self.names], ()))
        try:
            line = self._until(self._started("scheduler", SCHEDULER, "--listen", "127.0.0.1:0"))
            scheduler = line.rpartition(" ")[2]
            named = [("worker", name, scheduler, "--name", name) for name in self.names]
            for first in range(0, len(named), AT_ONCE):
                joining = named[first : first + AT_ONCE]
                for process in [self._started(*words, "--cores", self._cores) for words in joining]:
                    self._until(process)
        except BaseException:
            self.__exit__(None, None, None)
            raise
        machines = [f'[[machines]]\nname = "{name}"\naddress = "127.0.0.1"' for name in self.names]
        text = "\n\n".join([f'scheduler = "{scheduler}"', *machines])
        self.hosts.write_text(f"{text}\n", encoding="utf-8")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for process in reversed(self._processes):
            process.terminate()
        for process in self._processes:
            process.communicate()

    def cpu_s(self) -> float:
        """Processor time that the workers have taken so far."""
        return sum(_cpu_s(process.pid) for process in self._processes[1:])

    def _started(self, verb: str, name: str, *words: str) -> subprocess.Popen[str]:
        folder = str(self._certificates / name)
        command = [*PROGRAM, verb, *words, "--certificates", folder]
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        self._processes.append(process)
        return process

    @staticmethod
    def _until(process: subprocess.Popen[str]) -> str:
        """The line that a process prints when it is ready."""
        assert process.stdout is not None
        seen = []
        for line in process.stdout:
            if line.startswith(("scheduler on ", "joined ")):
                return line.strip()
            seen.append(line)
        raise SystemExit("".join(seen))


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_S
