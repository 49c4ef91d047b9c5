"""A cluster on loopback: a scheduler and workers as processes of their own, with certificates."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import TracebackType
from typing import Any

from httpdyno.scale.joining.certificates import make
from warm_program import Popen, run

PYTHON_SOURCES = Path(__file__).parents[2] / "python"
PROGRAM = [sys.executable, "-m", "httpdyno"]
ENDS_WITHIN_S = 30.0


class Process:
    """A program whose lines are collected while it runs."""

    def __init__(self, words: list[str], folder: Path, **environment: str) -> None:
        self.lines: list[str] = []
        self._changed = threading.Condition()
        self._popen = Popen(
            [*PROGRAM, *words],
            cwd=folder,
            env=program_environment(folder) | environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        self.pid = self._popen.pid
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def line(self, beginning: str, within_s: float = 60.0) -> str:
        """The first line that begins so; fails when the program ends without it."""
        with self._changed:
            found = self._changed.wait_for(lambda: self._found(beginning), within_s)
        assert found, f"no `{beginning}` in:\n{self.text}"
        line = self._found(beginning)
        assert isinstance(line, str), self.text
        return line

    @property
    def text(self) -> str:
        """All that it has printed."""
        return "\n".join(self.lines)

    def signal(self, number: signal.Signals) -> None:
        """Sends a signal, if it still runs."""
        if self._popen.poll() is None:
            self._popen.send_signal(number)

    def wait(self, within_s: float = ENDS_WITHIN_S) -> int:
        """Its exit code, once it has ended by itself."""
        code = self._popen.wait(within_s)
        self._reader.join(within_s)
        return code

    def end(self) -> None:
        """Ends it, whatever it does."""
        self.signal(signal.SIGCONT)
        self.signal(signal.SIGTERM)
        try:
            self.wait(10.0)
        except subprocess.TimeoutExpired:
            self._popen.kill()
            self.wait()

    def _read(self) -> None:
        assert self._popen.stdout is not None
        with self._popen.stdout as lines:
            for line in lines:
                with self._changed:
                    self.lines.append(line.rstrip("\n"))
                    self._changed.notify_all()
        with self._changed:
            self.lines.append("")
            self._popen.wait()
            self._changed.notify_all()

    def _found(self, beginning: str) -> str | bool:
        """The line; True once there will be none."""
        for line in self.lines:
            if line.startswith(beginning):
                return line
        return self._popen.poll() is not None and not self._reader.is_alive()


class Machines:
    """A scheduler and its workers; as a context manager, ended at its end."""

    def __init__(self, folder: Path, names: tuple[str, ...] = ("a", "b")) -> None:
        self.folder = folder
        self.names = names
        self.certificates = folder / "certificates"
        make(self.certificates, dict.fromkeys(["coordinator", "scheduler", *names], ()))
        self.workers: dict[str, Process] = {}
        self.scheduler = self._started_scheduler("127.0.0.1:0")
        self.address = self.scheduler.line("scheduler on ").removeprefix("scheduler on ")
        self.hosts = folder / "hosts.toml"
        self.hosts.write_text(self.hosts_text())

    def __enter__(self) -> Machines:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for process in [*self.workers.values(), self.scheduler]:
            process.end()

    def hosts_text(self, **more: str) -> str:
        """A hosts.toml of these machines; `more`: keys of every machine."""
        keys = "".join(f"{key} = {value}\n" for key, value in more.items())
        machines = "".join(
            f'\n[[machines]]\nname = "{name}"\naddress = "127.0.0.1"\n{keys}' for name in self.names
        )
        return f'scheduler = "{self.address}"\n{machines}'

    def start(self, name: str, *more: str, **environment: str) -> Process:
        """Starts a worker, and waits until it has joined."""
        process = self.start_unready(name, *more, **environment)
        process.line("joined ")
        return process

    def start_unready(self, name: str, *more: str, **environment: str) -> Process:
        """Starts a worker."""
        folder = self.certificates / name
        words = ["worker", self.address, "--name", name, "--certificates", str(folder)]
        process = Process([*words, "--cores", "0", *more], self.folder, **environment)
        self.workers[name] = process
        return process

    def start_all(self) -> Machines:
        """Starts all workers at once, and waits until all have joined."""
        for name in self.names:
            self.start_unready(name)
        for process in self.workers.values():
            process.line("joined ")
        return self

    def run(self, *words: str, within_s: float = 90.0) -> subprocess.CompletedProcess[str]:
        """Runs `httpdyno` to its end."""
        return run(
            [*PROGRAM, *words],
            cwd=self.folder,
            env=program_environment(self.folder),
            stdin=subprocess.DEVNULL,
            timeout_s=within_s,
        )

    def load(self, url: str, *words: str) -> Process:
        """Starts a load on all machines."""
        return Process(["load", url, "--on", str(self.hosts), *words], self.folder)

    def _started_scheduler(self, listen: str) -> Process:
        folder = str(self.certificates / "scheduler")
        return Process(["scheduler", "--listen", listen, "--certificates", folder], self.folder)


def program_environment(folder: Path) -> dict[str, str]:
    """This source tree, and folders of the test's own."""
    return {
        **os.environ,
        "PYTHONPATH": str(PYTHON_SOURCES),
        "PYTHONUNBUFFERED": "1",
        "HTTPDYNO_STATE": str(folder / "state"),
        "HTTPDYNO_DATA": str(folder / "data"),
        "COLUMNS": "100",
        "NO_COLOR": "1",
    }


def with_patch(folder: Path, code: str) -> dict[str, str]:
    """The environment of a program that runs `code` before everything else."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sitecustomize.py").write_text(code)
    return {"PYTHONPATH": f"{folder}{os.pathsep}{PYTHON_SOURCES}"}


def record_of(text: str) -> dict[str, Any]:
    """The record of `load --json -`."""
    record = json.loads(text)
    assert isinstance(record, dict)
    return record
