"""A cluster on the machines of a test: a scheduler, load generators, and a server to load."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import sleep
from types import TracebackType
from typing import IO

from httpdyno.errors import ExitCode
from namespaces import COORDINATOR, GENERATOR_1, GENERATOR_2, SERVER, Namespaces

GENERATORS = (GENERATOR_1, GENERATOR_2)
PORT = 8786
PROGRAM = (sys.executable, "-m", "httpdyno")
ESTABLISHED = "01"
FAKETIME = next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)
"""Gives a process another wall clock; its package is `faketime`."""


class MachineCluster:
    """A context manager: the cluster runs inside it. Everything ends with the machines."""

    def __init__(
        self,
        machines: Namespaces,
        home: Path,
        *,
        studies: bool = False,
        clocks: Mapping[str, float] | None = None,
        ipv6: bool = False,
    ) -> None:
        self.machines = machines
        self.home = home
        self.hosts = home / "hosts.toml"
        self.address = machines.ipv6_address if ipv6 else machines.address
        """The addresses of the machines for load."""
        self.workers: dict[str, subprocess.Popen[str]] = {}
        self.url = ""
        self.names = (*GENERATORS, SERVER) if studies else GENERATORS
        """The machines with a worker; for studies, that of the server has one, too."""
        self.clocks = dict(clocks or {})
        """Machines whose wall clocks are wrong, and by how many seconds."""
        self._scheduler_pid = 0
        self._scheduler = f"tls://{machines.address(COORDINATOR, 'control')}:{PORT}"

    def __enter__(self) -> MachineCluster:
        self.hosts.write_text(self._text(), encoding="utf-8")
        self.httpdyno("hosts", "certificates", str(self.hosts), check=True)
        listen = self._scheduler.removeprefix("tls://")
        folder = str(self.home / "certificates" / "scheduler")
        argv = [*PROGRAM, "scheduler", "--listen", listen, "--certificates", folder]
        scheduler = self.start(COORDINATOR, argv)
        self._scheduler_pid = scheduler.pid
        read_until(scheduler, "scheduler on ")
        for name in self.names:
            self.join(name)
        if SERVER in self.names:
            return self
        host = self.address(SERVER)
        listen = f"[{host}]:0" if ":" in host else f"{host}:0"
        argv = [*PROGRAM, "reference", "--listen", listen]
        line = read_until(self.start(SERVER, argv), "listening on ")
        self.url = f"{line.split()[2]}hello"
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for process in self.workers.values():
            process.kill()
            process.communicate()

    def join(self, name: str, before: Sequence[str] = ()) -> None:
        """Start the worker of a load generator; `before`: a command that starts commands."""
        argv = [*before, *PROGRAM, *self.worker(name)]
        self.workers[name] = self.start(name, argv)
        read_until(self.workers[name], "joined ")

    def worker(self, name: str) -> list[str]:
        """The arguments of a worker."""
        folder = self.home / "certificates" / name
        listen = ["--listen", self.machines.address(name, "control")]
        load = ["--address", self.address(name)]
        named = ["--name", name, "--certificates", str(folder)]
        role = ["--role", "server" if name == SERVER else "generator"]
        return ["worker", self._scheduler, *named, *listen, *load, *role]

    def leave(self, name: str) -> None:
        """End the worker of a load generator, and wait for it."""
        process = self.workers.pop(name)
        process.terminate()
        process.communicate()

    def repair(self) -> None:
        """Undo what a test has done: no run is left, links are up, and all workers are there."""
        for pid in {*self.machines.processes(COORDINATOR)} - {self._scheduler_pid}:
            os.kill(pid, signal.SIGKILL)
        whole = not self.machines.cuts
        for name in self.machines.machines:
            self.machines.restore(name)
        for name in self.names:
            worker = self.workers.get(name)
            if worker is not None and worker.poll() is None:
                continue
            if worker is not None:
                worker.communicate()
            self.join(name)
            whole = False
        while not whole:  # a worker that was cut off joins again by itself
            done = self.httpdyno("hosts", "check", str(self.hosts))
            assert done.returncode in (ExitCode.OK, ExitCode.ENVIRONMENT), done.stderr
            whole = done.returncode == ExitCode.OK

    def httpdyno(
        self, *arguments: str, check: bool = False, machine: str = COORDINATOR
    ) -> subprocess.CompletedProcess[str]:
        """The program, run to its end on a machine."""
        argv = [*PROGRAM, *arguments]
        done = self.machines.run(machine, argv, env=self._environment(machine), cwd=self.home)
        assert not check or done.returncode == 0, done.stdout + done.stderr
        return done

    def start(self, machine: str, argv: Sequence[str]) -> subprocess.Popen[str]:
        """A program, started on a machine; its output is kept."""
        return self.machines.start(
            machine,
            argv,
            env=self._environment(machine),
            cwd=self.home,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if machine != COORDINATOR else subprocess.PIPE,
        )

    def load(self, *arguments: str, url: str | None = None) -> subprocess.CompletedProcess[str]:
        """A load from both generators, to its end."""
        return self.httpdyno(*self._load(arguments, url))

    def start_load(self, *arguments: str, url: str | None = None) -> subprocess.Popen[str]:
        """A load from both generators, started."""
        return self.start(COORDINATOR, [*PROGRAM, *self._load(arguments, url)])

    def connections(self, name: str) -> int:
        """The connections of a load generator to the machine of the server."""
        host = self.machines.address(SERVER)
        remote = socket.inet_aton(host)[::-1].hex().upper()
        try:
            text = Path(f"/proc/{self.workers[name].pid}/net/tcp").read_text(encoding="ascii")
        except OSError:
            return 0
        rows = [line.split() for line in text.splitlines()[1:]]
        return sum(row[2].startswith(remote) and row[3] == ESTABLISHED for row in rows)

    def wait_for_connections(self, run: subprocess.Popen[str], most: int | None = None) -> None:
        """Wait until both generators send load; `most`: until they have as many connections."""
        while True:
            found = [self.connections(name) for name in GENERATORS]
            if sum(found) == most or (most is None and all(found)):
                return
            assert run.poll() is None, run.communicate()
            sleep(0.01)

    def wait_for_silence(self, *names: str) -> None:
        """Wait until load generators have no connection to the server; the test's own time limit
        ends the wait."""
        while any(self.connections(name) for name in names):
            sleep(0.01)

    def _load(self, arguments: Sequence[str], url: str | None) -> list[str]:
        return ["load", url or self.url, "--on", str(self.hosts), *arguments]

    def _environment(self, machine: str) -> dict[str, str]:
        own = {
            f"HTTPDYNO_{name}": str(self.home / machine / name.lower())
            for name in ("CACHE", "STATE", "DATA")
        }
        paths = {"PYTHONPATH": os.pathsep.join(sys.path)}
        return {**os.environ, **own, **paths, **self._clock(machine), "NO_COLOR": "1"}

    def _clock(self, machine: str) -> dict[str, str]:
        """The variables that give the programs of a machine a wall clock of their own."""
        if machine not in self.clocks:
            return {}
        assert FAKETIME is not None, "the caller skips its tests"
        ahead = f"{self.clocks[machine]:+g}"
        return {"LD_PRELOAD": str(FAKETIME), "FAKETIME": ahead, "DONT_FAKE_MONOTONIC": "1"}

    def _text(self) -> str:
        rows = [f'scheduler = "{self._scheduler}"\n']
        for name in self.names:
            role = "server" if name == SERVER else "generator"
            rows.append(
                f'[[machines]]\nname = "{name}"\nroles = ["{role}"]\n'
                f'address = "{self.address(name)}"\n'
                f'control = "{self.machines.address(name, "control")}"\n'
            )
        return "\n".join(rows)


def read_until(process: subprocess.Popen[str], sign: str, stream: IO[str] | None = None) -> str:
    """Read the output of a process up to the line that begins with `sign`; that line."""
    stream = stream or process.stdout
    assert stream is not None
    seen = []
    for line in stream:
        seen.append(line)
        if line.startswith(sign):
            return line
    raise AssertionError(f"`{sign}` never came: {seen}")


def listening(machines: Namespaces, name: str, protocol: str = "t") -> list[str]:
    """The addresses on which anything listens on a machine."""
    told = machines.run(name, ["ss", f"-Hnl{protocol}"])
    return [re.split(r"\s+", line.strip())[3] for line in told.stdout.splitlines()]
