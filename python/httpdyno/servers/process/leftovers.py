"""The ledger of running servers, and the end of those whose runner is gone.

One JSON file a running server, written before the server exists, so that a runner killed at any
moment (`kill -9` too) leaves a note. Format history:
  1  first version.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic, sleep

from httpdyno.errors import EnvironmentFault
from httpdyno.servers.folders import ledger_folder
from httpdyno.servers.process.processes import Leader, living_members, process

LEDGER_VERSION = 1
RUN_FOLDER_PREFIX = "httpdyno-run-"
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True)
class Entry:
    """A server that runs or is about to. `pid` and `started` are 0 until it has a process."""

    version: int
    boot: str
    runner_pid: int
    runner_started: int
    token: str
    command: list[str]
    run_folder: str
    pid: int = 0
    started: int = 0

    @property
    def file(self) -> Path:
        """Where the entry is kept."""
        return ledger_folder() / f"{self.token}.json"

    @property
    def leader(self) -> Leader:
        """The server's first process."""
        return Leader(self.pid, self.started, self.token)


def new_entry(token: str, command: list[str], run_folder: Path) -> Entry:
    """An entry of this process, not yet written."""
    own = process(os.getpid())
    started = own.started if own else 0
    return Entry(LEDGER_VERSION, _boot(), os.getpid(), started, token, command, str(run_folder))


def write(entry: Entry) -> None:
    """Write the entry whole or not at all. Raises EnvironmentFault when that is not possible."""
    scratch = entry.file.with_suffix(".tmp")
    try:
        entry.file.parent.mkdir(parents=True, exist_ok=True)
        scratch.write_text(json.dumps(asdict(entry)), encoding="utf-8")
        scratch.replace(entry.file)
    except OSError as error:
        raise EnvironmentFault(
            f"`{error.filename}` cannot be written: {error.strerror}",
            hint="`HTTPDYNO_STATE` names another folder for the notes on running servers",
        ) from None


def forget(entry: Entry) -> None:
    """Remove the entry."""
    entry.file.unlink(missing_ok=True)


def reap_leftovers() -> list[str]:
    """End the servers whose runner is gone; one sentence for each that was alive.

    A process is ended only when it is the very one the ledger names: by pid and start time, by
    session, or by the token in its environment; never by name.
    """
    told = []
    for file in sorted(ledger_folder().glob("*.json")):
        entry = _read(file)
        if entry is None or _runner_lives(entry):
            continue
        alive = living_members(entry.leader) if entry.boot == _boot() else set()
        if alive:
            end(entry.leader, send_kill)
            pids = ", ".join(str(pid) for pid in sorted(alive))
            told.append(f"ended `{' '.join(entry.command)}` (pid {pids}), left by a killed run")
        _remove_run_folder(entry)
        file.unlink(missing_ok=True)
    return told


def end(leader: Leader, send: Callable[[int], None], within_s: float = 5.0) -> set[int]:
    """Signal every process of a server until none is left or the time is over; who is left."""
    deadline = monotonic() + within_s
    pause = 0.002
    while alive := living_members(leader):
        for pid in alive:
            send(pid)
        if monotonic() > deadline:
            return alive
        sleep(pause)
        pause = min(pause * 2, 0.05)
    return set()


def send_kill(pid: int) -> None:
    """KILL, which nothing ignores."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, 9)


def _boot() -> str:
    return _BOOT_ID.read_text().strip() if _BOOT_ID.exists() else ""


def _read(file: Path) -> Entry | None:
    try:
        values = json.loads(file.read_text(encoding="utf-8"))
        return Entry(**values) if values.get("version") == LEDGER_VERSION else None
    except (OSError, ValueError, TypeError):
        return None


def _runner_lives(entry: Entry) -> bool:
    runner = process(entry.runner_pid)
    same_boot = entry.boot == _boot()
    return same_boot and runner is not None and runner.started == entry.runner_started


def _remove_run_folder(entry: Entry) -> None:
    folder = Path(entry.run_folder)
    if folder.name.startswith(RUN_FOLDER_PREFIX):
        shutil.rmtree(folder, ignore_errors=True)
