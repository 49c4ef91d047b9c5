"""A machine's folders of its own with a small study in them, and the real program run on it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from time import sleep
from typing import IO

from httpdyno.outcome import TrialOutcome
from httpdyno.result import StudyResult
from httpdyno.store import Store, open_store
from small_server import COUNTED, write_server
from warm_program import PROGRAM, Popen, run

HEAD = """\
title = "Small servers"
blocks = {blocks}
warm_up = "100ms"
"""
LOADS = """\
[loads.keep-alive]
kind = "closed"
connections = 4
duration = "400ms"
[loads.rate]
kind = "requests"
rate = 500
connections = 8
duration = "400ms"
"""
ARM = '[[arms]]\nserver = "{name}"\ndeployments = ["1-process"]\n'

_OF_CI = re.compile("GITHUB_|GITLAB_|CI_")
"""Variables of a CI server, which may run these tests."""


class Place:
    """A machine's folders of its own, a study in them, and the program run on it."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.results = home / "results"
        self.servers: list[Path] = []
        self.lock: IO[str] | None = None
        own = {f"HTTPDYNO_{name}": str(home / name) for name in ("CACHE", "STATE", "DATA")}
        paths = {"PYTHONPATH": os.pathsep.join(sys.path)}
        plain = {name: value for name, value in os.environ.items() if not _OF_CI.match(name)}
        self.environment = {**plain, **own, **paths, "NO_COLOR": "1"}

    def study(self, blocks: int = 1, loads: str = LOADS, **servers: tuple[str, str]) -> None:
        self.servers = [write_server(self.home, name, *how) for name, how in servers.items()]
        arms = "".join(ARM.format(name=name) for name in servers)
        (self.home / "small.toml").write_text(HEAD.format(blocks=blocks) + arms + loads)

    def counted(self) -> tuple[str, str]:
        """A good server that counts its starts and can be held; see small_server.py."""
        (self.home / "server").mkdir()
        return COUNTED.format(folder=self.home / "server"), ""

    def hold(self, number: int | None) -> None:
        """Let the start of the counted server with this number wait; None: let it go on."""
        file = self.home / "server" / "hold"
        file.unlink() if number is None else file.write_text(str(number))

    def wait_for(self, file: str, run: subprocess.Popen[str]) -> None:
        """Wait until the program, or its server, has created a file."""
        while not (self.home / file).exists():
            assert run.poll() is None, run.communicate()
            sleep(0.01)

    def command(self, *more: str) -> list[str]:
        return self.program(*self.arguments(*more))

    def program(self, *arguments: str) -> list[str]:
        return [*PROGRAM, *arguments]

    def at_event(self, action: str, number: int, text: str, *arguments: str) -> list[str]:
        """The program, killed or held at an event; see at_event.py."""
        script = str(Path(__file__).with_name("at_event.py"))
        return [sys.executable, script, action, str(number), text, *arguments]

    def arguments(self, *more: str) -> list[str]:
        own = [word for file in self.servers for word in ("--server", str(file))]
        return ["run", str(self.home / "small.toml"), *own, "--results", str(self.results), *more]

    def run(self, *more: str) -> subprocess.CompletedProcess[str]:
        return self.finish(self.command(*more))

    def call(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.finish(self.program(*arguments))

    def finish(self, command: list[str]) -> subprocess.CompletedProcess[str]:
        # Without a limit of its own: how long a busy machine takes is nothing to assume.
        return run(command, env=self.environment, cwd=self.home)

    def start(self, *more: str) -> subprocess.Popen[str]:
        return self.spawn(self.command(*more))

    def spawn(self, command: list[str]) -> subprocess.Popen[str]:
        pipe = subprocess.PIPE
        return Popen(command, env=self.environment, cwd=self.home, stdout=pipe, stderr=pipe)

    def result(self) -> StudyResult:
        return StudyResult.model_validate_json((self.results / "result.json").read_text())

    @property
    def store(self) -> Store:
        return open_store(f"sqlite:///{self.home / 'DATA' / 'results.sqlite'}")

    def trials(self) -> list[TrialOutcome]:
        return self.store.trials(1)

    def living(self) -> list[int]:
        """Servers that run: their working folder is in our cache."""
        cache = str(self.home / "CACHE")
        pids = [int(name) for name in os.listdir("/proc") if name.isdecimal()]  # noqa: PTH208
        return [pid for pid in pids if _folder(pid).startswith(cache)]

    def wait_for_no_server(self) -> None:
        """Wait until no server runs any more; the test's own time limit ends the wait."""
        while self.living():
            sleep(0.05)


def _folder(pid: int) -> str:
    try:
        return str(Path(f"/proc/{pid}/cwd").readlink())
    except OSError:
        return ""


def read_until(run: subprocess.Popen[str], sign: str) -> str:
    """Read stderr up to the line that begins with `sign`; that line."""
    assert run.stderr is not None
    seen = []
    for line in run.stderr:
        seen.append(line)
        if line.startswith(sign):
            return line
    raise AssertionError(f"`{sign}` never came: {seen}")


def end(run: subprocess.Popen[str], number: signal.Signals) -> tuple[str, str]:
    run.send_signal(number)
    return run.communicate()
