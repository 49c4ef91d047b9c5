"""Records of running servers, and the end of those whose runner is gone.

One JSON file per running server, written before the server exists. A runner that is killed takes
its servers with it, because their supervisors notice; when those are killed too, the next start
finds the servers by these records. Format history:
  1  first version.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from time import monotonic, sleep

from httpdyno.errors import EnvironmentFault
from httpdyno.servers.folders import records_folder
from httpdyno.servers.process.processes import Leader, living_members, process
from httpdyno.servers.process.run_folders import boot, remove_abandoned, remove_run_folder

RECORD_VERSION = 1


@dataclass(frozen=True)
class Record:
    """A server that runs or is about to. Pids and start times are 0 until it has processes."""

    version: int
    boot: str
    runner_pid: int
    runner_started: int
    token: str
    command: list[str]
    run_folder: str
    pid: int = 0
    started: int = 0
    supervisor_pid: int = 0
    supervisor_started: int = 0

    @property
    def file(self) -> Path:
        """The file that holds the record."""
        return records_folder() / f"{self.token}.json"

    @property
    def leader(self) -> Leader:
        """The server's first process, and its supervisor."""
        supervisor = (self.supervisor_pid, self.supervisor_started)
        return Leader(self.pid, self.started, self.token, *supervisor)

    def with_processes(self, pid: int, supervisor_pid: int) -> Record:
        """The record of a server that has its processes now."""
        started, supervisor_started = (
            0 if found is None else found.started for found in map(process, (pid, supervisor_pid))
        )
        return replace(
            self,
            pid=pid,
            started=started,
            supervisor_pid=supervisor_pid,
            supervisor_started=supervisor_started,
        )


def new_record(token: str, command: list[str], run_folder: Path) -> Record:
    """A record by this process, not yet written."""
    own = process(os.getpid())
    started = own.started if own else 0
    return Record(RECORD_VERSION, boot(), os.getpid(), started, token, command, str(run_folder))


def write(record: Record) -> None:
    """Write the record whole or not at all. Raises EnvironmentFault when that is not possible."""
    _write(record.file, json.dumps(asdict(record)))


def forget(record: Record) -> None:
    """Remove the record."""
    record.file.unlink(missing_ok=True)


def reap_leftovers() -> list[str]:
    """End the servers whose runner is gone, and remove what they left; one sentence for each that
    was alive.

    A process is ended only when a record names it: by pid and start time, as a descendant, by
    session, or by the token in its environment; never by name. Raises EnvironmentFault when the
    records of servers could not be written, because then no server may be started.
    """
    _require_room()
    sentences = []
    for file in sorted(records_folder().glob("*.json")):
        record = _read(file)
        if record is None or _runner_lives(record):
            continue
        alive = living_members(record.leader) if record.boot == boot() else set()
        left = kill(record.leader) if alive else set()
        if alive:
            sentences.append(_sentence(record, alive, left))
        if not left:
            remove_run_folder(Path(record.run_folder))
            file.unlink(missing_ok=True)
    remove_abandoned()
    return sentences


def end_own() -> None:
    """End every server of this process, also one that is just starting."""
    for file in records_folder().glob("*.json"):
        record = _read(file)
        if record is not None and record.runner_pid == os.getpid() and _runner_lives(record):
            kill(record.leader)


def kill(leader: Leader, within_s: float = 5.0) -> set[int]:
    """Kill every process of a server; those that still live when the time is over."""
    deadline = monotonic() + within_s
    pause = 0.002
    while alive := living_members(leader):
        for pid in alive:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if monotonic() > deadline:
            return alive
        sleep(pause)
        pause = min(pause * 2, 0.05)
    return set()


def _sentence(record: Record, alive: set[int], left: set[int]) -> str:
    command = " ".join(record.command)
    if left:
        return f"`{command}`, left by a killed run, cannot be ended: pid {_list(left)}"
    return f"ended `{command}` (pid {_list(alive)}), left by a killed run"


def _list(pids: set[int]) -> str:
    return ", ".join(map(str, sorted(pids)))


def _require_room() -> None:
    probe = records_folder() / f".{os.getpid()}.tmp"
    _write(probe, "a record is about as long as this\n" * 20)
    probe.unlink(missing_ok=True)


def _write(file: Path, text: str) -> None:
    scratch = file.with_suffix(".tmp")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        scratch.write_text(text, encoding="utf-8")
        scratch.replace(file)
    except OSError as error:
        with contextlib.suppress(OSError):
            scratch.unlink(missing_ok=True)
        raise EnvironmentFault(
            f"`{file.parent}` cannot be written: {error.strerror}",
            hint="set `HTTPDYNO_STATE` to another folder for the records of running servers",
        ) from None


def _read(file: Path) -> Record | None:
    """The record; None for a broken one, and for one in another format."""
    try:
        values = json.loads(file.read_text(encoding="utf-8"))
        return Record(**values) if values.get("version") == RECORD_VERSION else None
    except (OSError, ValueError, TypeError, AttributeError):
        return None


def _runner_lives(record: Record) -> bool:
    runner = process(record.runner_pid)
    same_boot = record.boot == boot()
    return same_boot and runner is not None and runner.started == record.runner_started
