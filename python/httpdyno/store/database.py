"""Opens the database of results, and turns its errors into sentences."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, NoSuchModuleError
from sqlalchemy.pool import NullPool

from httpdyno.errors import EnvironmentFault, UsageError
from httpdyno.store.place import default_url

BUSY_S = 10.0
"""The longest wait for another process that writes to the same file."""

_SQLITE_FAULTS = (
    ("full", "the disk is full", "free some disk space"),
    ("readonly", "it is read-only", "make it writable, or name another folder: HTTPDYNO_DATA"),
    ("unable to open", "it cannot be opened", "HTTPDYNO_DATA names another folder for results"),
    ("locked", "another process keeps it locked", "wait for the other run to end, then try again"),
    ("not a database", "it is not a results database", "move it away, and a new one is created"),
    ("malformed", "it is damaged", "move it away, and a new one is created"),
)


def connect(url: str | None) -> Engine:
    """The database at `url` (None: the user's own), not yet migrated.

    Raises UsageError for a bad URL, EnvironmentFault when its folder cannot be created.
    """
    try:
        parsed = make_url(url or default_url())
        engine = create_engine(parsed, poolclass=NullPool)
    except (ArgumentError, NoSuchModuleError, ModuleNotFoundError):
        expected = "expected one such as `sqlite:////home/me/results.sqlite`"
        raise UsageError(f"`{url}` is not the URL of a database: {expected}") from None
    if engine.dialect.name == "sqlite":
        _prepare_sqlite(engine, parsed.database)
    return engine


@contextmanager
def transaction(engine: Engine) -> Iterator[Connection]:
    """One transaction. Raises EnvironmentFault with what the database refused, and why."""
    try:
        with engine.begin() as connection:
            yield connection
    except DBAPIError as error:
        raise _fault(error, engine) from error


def truncate_log(engine: Engine) -> bool:
    """Empties SQLite's write-ahead log, in which deleted pages live on.

    False if another process still reads from it.
    """
    if engine.dialect.name != "sqlite":
        return True
    connection = engine.raw_connection()
    try:
        busy = connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    finally:
        connection.close()
    return busy is None or not busy[0]


def name_of(engine: Engine) -> str:
    """The name of the database in a sentence: its file, or its URL without the password."""
    return engine.url.database or engine.url.render_as_string()


def _prepare_sqlite(engine: Engine, file: str | None) -> None:
    """Makes each commit durable, and each transaction serializable, DDL included.

    See "Serializable isolation / Savepoints / Transactional DDL" in SQLAlchemy's SQLite dialect.
    """
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


def _fault(error: DBAPIError, engine: Engine) -> EnvironmentFault:
    """The database's error as one sentence; everything committed before it is safe."""
    said = str(error.orig)
    name = name_of(engine)
    if isinstance(error, IntegrityError):
        return EnvironmentFault(
            f"`{name}`: this run already has that trial: another process is resuming it too",
            hint="let one of them end, then resume again",
        )
    for sign, what, hint in _SQLITE_FAULTS:
        if sign in said:
            return EnvironmentFault(f"the results database `{name}`: {what}", hint=hint)
    return EnvironmentFault(f"the results database `{name}`: {said}")
