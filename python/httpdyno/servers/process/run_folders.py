"""Scratch folders of servers, and the removal of those that a killed run left.

The records of running servers (`leftovers.py`) lead to such folders only for runs with the same
state folder. So each folder also names the process that made it, and any later run can tell that
this process is gone.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path

from httpdyno.servers.process.processes import all_processes, bearers, process

PREFIX = "httpdyno-run-"
_RUNNER = ".runner.json"
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_PIDS = Path("/proc/self/ns/pid")


def boot() -> str:
    """The id of the last start of this system; empty: unknown."""
    return _BOOT_ID.read_text().strip() if _BOOT_ID.exists() else ""


def new_run_folder(token: str) -> Path:
    """A folder that anyone may read, for a server with this token. Raises OSError."""
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    own = process(os.getpid())
    runner = {
        "where": _where(),
        "pid": os.getpid(),
        "started": own.started if own else 0,
        "token": token,
    }
    try:
        (folder / _RUNNER).write_text(json.dumps(runner), encoding="utf-8")
        folder.chmod(0o755)
    except BaseException:
        remove_run_folder(folder)
        raise
    return folder


def remove_run_folder(folder: Path) -> None:
    """Remove a scratch folder. Any other folder stays."""
    if folder.name.startswith(PREFIX):
        shutil.rmtree(folder, ignore_errors=True)


def remove_abandoned() -> None:
    """Remove the scratch folders of this user whose runner and server are gone."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        if _is_abandoned(folder):
            remove_run_folder(folder)


def _is_abandoned(folder: Path) -> bool:
    """False also for a folder whose processes cannot be seen from here, and for one that does not
    name its runner: it is just being made, or of an older version."""
    try:
        if folder.stat().st_uid != os.geteuid():
            return False
        runner = json.loads((folder / _RUNNER).read_text(encoding="utf-8"))
        where, pid, started, token = (runner[key] for key in ("where", "pid", "started", "token"))
    except (OSError, ValueError, TypeError, KeyError):
        return False
    if where != _where():
        return False
    runner = process(pid)
    if runner is not None and runner.started == started:
        return False
    return not bearers(all_processes(), token)


def _where() -> str:
    """The system and its namespace of pids: elsewhere, a pid is another process."""
    return f"{boot()} {_PIDS.readlink() if _PIDS.is_symlink() else ''}".strip()
