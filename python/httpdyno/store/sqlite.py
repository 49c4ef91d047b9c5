"""SQLite: one file, durable commits, and its errors in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, event

from httpdyno.errors import EnvironmentFault

BUSY_S = 10.0
"""The longest wait for another process that writes to the same file."""

_FAULTS = (
    ("full", "the disk is full", "free some disk space"),
    ("readonly", "it is read-only", "make it writable, or name another folder: HTTPDYNO_DATA"),
    ("unable to open", "it cannot be opened", "HTTPDYNO_DATA names another folder for results"),
    ("locked", "another process keeps it locked", "wait for the other run to end, then try again"),
    ("not a database", "it is not a results database", "move it away, and a new one is created"),
    ("malformed", "it is damaged", "move it away, and a new one is created"),
)


def prepare(engine: Engine) -> None:
    """Makes each commit durable, and each transaction serializable, DDL included.

    See "Serializable isolation / Savepoints / Transactional DDL" in SQLAlchemy's SQLite dialect.
    Raises EnvironmentFault when the file's folder cannot be created.
    """
    file = engine.url.database
    if file and file != ":memory:":
        try:
            Path(file).parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise EnvironmentFault(
                f"`{Path(file).parent}` cannot be created: {error.strerror}",
                hint="HTTPDYNO_DATA names another folder for results",
            ) from None

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


def fault(error: BaseException, name: str) -> EnvironmentFault:
    """An error of SQLite as one sentence."""
    said = str(error)
    for sign, what, hint in _FAULTS:
        if sign in said:
            return EnvironmentFault(f"the results database `{name}`: {what}", hint=hint)
    return EnvironmentFault(f"the results database `{name}`: {said}")


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
