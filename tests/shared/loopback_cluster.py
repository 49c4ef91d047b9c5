"""A cluster of real processes on this machine: a scheduler, and a worker for each machine.

Each machine has a loopback address of its own for load (127.0.0.0/8 are all this machine's).
"""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Mapping
from types import TracebackType

from study_place import Place

ADDRESSES = {"a": "127.0.1.1", "b": "127.0.1.2", "s": "127.0.1.9"}
ROLES = {"a": "generator", "b": "generator", "s": "server"}


class LoopbackCluster:
    """A context manager: the processes run inside it, with the folders of `place`."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self._processes: dict[str, subprocess.Popen[str]] = {}
        self.scheduler = ""

    @property
    def hosts(self) -> str:
        """The path of a hosts.toml with all machines."""
        return self._file("hosts.toml", ROLES)

    @property
    def generators(self) -> str:
        """The path of one with the load generators only."""
        return self._file("generators.toml", {"a": "generator", "b": "generator"})

    def __enter__(self) -> LoopbackCluster:
        try:
            said = self._start("scheduler", "scheduler", "--listen", "127.0.0.1:0")
            self.scheduler = said.rpartition(" ")[2].strip()
            self.join_all()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for name in list(self._processes):
            self.kill(name)

    def join_all(self) -> None:
        """Start the workers that do not run."""
        for name in ROLES.keys() - self._processes.keys():
            self.join(name)

    def join(self, name: str) -> None:
        """Start the worker of a machine, and wait until it has joined."""
        role = ("--role", ROLES[name])
        self._start(name, "worker", self.scheduler, "--name", name, *role, until="joined")

    def kill(self, name: str) -> None:
        """Kill the process of a machine, which cannot say goodbye."""
        process = self._processes.pop(name)
        process.send_signal(signal.SIGKILL)
        process.communicate()

    def _file(self, name: str, roles: Mapping[str, str]) -> str:
        machines = "".join(
            f'[[machines]]\nname = "{name}"\nroles = ["{role}"]\n'
            f'address = "{ADDRESSES[name]}"\ncontrol = "127.0.0.1"\n'
            for name, role in roles.items()
        )
        file = self.place.home / name
        file.write_text(f'scheduler = "{self.scheduler}"\n{machines}')
        return str(file)

    def _start(self, name: str, *words: str, until: str = "scheduler on") -> str:
        process = subprocess.Popen(
            self.place.program(*words),
            env=self.place.environment,
            cwd=self.place.home,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._processes[name] = process
        assert process.stdout is not None
        said = []
        for line in process.stdout:
            said.append(line)
            if line.startswith(until):
                return line
        raise AssertionError(f"`{name}` did not start: {said}")
