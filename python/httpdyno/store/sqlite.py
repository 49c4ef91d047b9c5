"""SQLite: one file, durable commits, and its errors in words."""

from __future__ import annotations

import errno
import os
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.pool import NullPool

from httpdyno.errors import EnvironmentFault

READS_ONLY = "httpdyno_reads_only"
"""The execution option of an engine that cannot write."""

_PROBE_BYTES = 65_536
"""More than SQLite's shared memory file has at first."""

BUSY_S = 10.0
"""The longest wait for another process that writes to the same file."""

_ELSEWHERE = "HTTPDYNO_DATA names another folder for results"
_SPACE = "free some disk space"
_DAMAGED = (
    "move it away, and a new one is created; https://www.sqlite.org/recovery.html says how to save"
    " what is in it, and `httpdyno report FOLDER` reads the `result.json` of a report's folder"
    " without it"
)
_FAULTS = (
    ("full", "the disk is full", _SPACE),
    ("readonly", "it is read-only", "make it writable, or name another folder: HTTPDYNO_DATA"),
    ("unable to open", "it cannot be opened", _ELSEWHERE),
    ("disk I/O error", "disk I/O error", "check the disk: `dmesg` names what failed"),
    ("locked", "another process keeps it locked", "wait for the other run to end, then try again"),
    ("not a database", "it is not a results database", "move it away, and a new one is created"),
    ("malformed", "it is damaged", _DAMAGED),
)


def prepare(engine: Engine) -> None:
    """Makes each commit durable, and each transaction serializable, DDL included.

    See "Serializable isolation / Savepoints / Transactional DDL" in SQLAlchemy's SQLite dialect.
    A new file can be read by its user only: SQLite gives the files beside it the same mode.
    Raises EnvironmentFault when the file's folder cannot be created.
    """
    file = engine.url.database
    if file and file != ":memory:" and not file.startswith("file:"):
        try:
            Path(file).parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise EnvironmentFault(
                f"`{Path(file).parent}` cannot be created: {error.strerror}",
                hint="HTTPDYNO_DATA names another folder for results",
            ) from None

        @event.listens_for(engine, "do_connect")
        def _create(*_: Any) -> None:
            with suppress(OSError):  # SQLite says why it cannot be created
                Path(file).touch(0o600)

    @event.listens_for(engine, "connect")
    def _settings(connection: Any, _: Any) -> None:
        connection.isolation_level = None
        for setting in (
            f"busy_timeout = {int(BUSY_S * 1000)}",
            "journal_mode = WAL",
            "synchronous = FULL",
            "foreign_keys = ON",
            "secure_delete = ON",  # what is forgotten is overwritten, not only unlinked
        ):
            connection.execute(f"PRAGMA {setting}")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")


def exists(file: str | None) -> bool:
    """True for a file with content."""
    with suppress(OSError):
        return bool(file) and Path(file or "").stat().st_size > 0
    return False


def is_read_only(file: str | None) -> bool:
    """True for a file that this user cannot write, or whose folder takes no new files."""
    if not file or not os.path.isfile(file):  # noqa: PTH113 - `Path.is_file` may raise
        return False
    real = Path(file).resolve()
    return not (os.access(real, os.W_OK) and os.access(real.parent, os.W_OK))


class FullDiskError(EnvironmentFault):
    """The disk of the database is full."""


def reader(url: URL) -> Engine:
    """A read-only database, as an engine that leaves nothing beside its file."""
    return _reader(url, open_to_read)


def full_disk_reader(url: URL) -> Engine:
    """A database on a full disk, as an engine that only reads."""
    return _reader(url, _open_alone)


def _reader(url: URL, opened: Callable[[str, float], sqlite3.Connection]) -> Engine:
    file = url.database or ""
    return create_engine(
        url,
        poolclass=NullPool,
        creator=lambda: opened(file, BUSY_S),
        execution_options={READS_ONLY: True},
    )


def _open_alone(file: str, wait_s: float) -> sqlite3.Connection:
    """A connection that no other process can share, and that needs no room beside the file:
    https://www.sqlite.org/wal.html#use_of_wal_without_shared_memory
    """
    place = f"{Path(file).resolve().as_uri()}?mode=rw"
    connection = sqlite3.connect(place, timeout=wait_s, uri=True, isolation_level=None)
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    return connection


def open_to_read(file: str, wait_s: float) -> sqlite3.Connection:
    """A connection that changes nothing.

    SQLite needs a file in the folder to read beside a writer, unless a writer created it already.
    Where it cannot create that file and nobody writes, it must take the database as immutable:
    https://www.sqlite.org/wal.html#read_only_databases
    """
    real = Path(file).resolve()
    still = is_read_only(file) and not Path(f"{real}-wal").exists()
    place = f"{real.as_uri()}?mode=ro{'&immutable=1' if still else ''}"
    return sqlite3.connect(place, timeout=wait_s, uri=True, isolation_level=None)


def fault(error: BaseException, name: str) -> EnvironmentFault:
    """An error of SQLite as one sentence."""
    message = str(error)
    what, hint = next(
        ((what, hint) for sign, what, hint in _FAULTS if sign in message), (message, None)
    )
    if what in ("it cannot be opened", "disk I/O error"):
        what, hint = _explain(Path(name), what, hint)
    kind = FullDiskError if hint == _SPACE else EnvironmentFault
    return kind(f"the results database `{name}`: {what}", hint=hint)


def _explain(file: Path, what: str, hint: str | None) -> tuple[str, str | None]:
    """The fault and its hint with the reason of the system, which SQLite does not tell."""
    try:
        if os.path.lexists(file):
            file.open("rb").close()
        with tempfile.TemporaryFile(dir=file.parent) as probe:
            probe.write(bytes(_PROBE_BYTES))
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        if is_read_only(str(file)) and (log := Path(f"{file}-wal")).exists():
            hint = f"copy it and `{log.name}` into a folder of your own, and name that"
        return f"{what}: {error.strerror}", _SPACE if full else hint
    return what, hint


def truncate_log(engine: Engine) -> bool:
    """Empties the write-ahead log, in which deleted pages live on.

    False if another process still reads from it.
    """
    connection = engine.raw_connection()
    try:
        busy = connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    finally:
        connection.close()
    return busy is None or not busy[0]
