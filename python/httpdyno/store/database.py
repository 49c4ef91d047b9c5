"""Opens the database of results, and turns its errors into sentences."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

from sqlalchemy import URL, Connection, Engine, create_engine
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError
from sqlalchemy.pool import NullPool

from httpdyno.errors import EnvironmentFault, UsageError
from httpdyno.extras import install_command
from httpdyno.output.places import expanded
from httpdyno.output.secrets import masked_database, masked_text
from httpdyno.store import postgresql, sqlite
from httpdyno.store.place import default_url

_ENDINGS = (".sqlite", ".sqlite3", ".db")
_TWO_USERS = re.compile(r"[^:]*://[^:/@]*@[^/?]*@")
"""An `@` where the `:` before a password belongs."""
_FOREIGN_KEY = ("23503", "FOREIGN KEY")


def connect(url: str | None, *, create: bool = True, reading: bool = False) -> Engine:
    """The database at `url` (None: the user's own), not yet migrated.

    A file that this user cannot write is opened all the same for `reading`.

    Raises UsageError for a bad URL, or a file that does not exist although it has to;
    EnvironmentFault when its folder cannot be created or its
    driver is not installed.
    """
    parsed = parse_url(url or default_url())
    if parsed.drivername != postgresql.DRIVER:
        file = parsed.database or ""
        if not create and not os.path.isfile(file):  # noqa: PTH113 - `Path.is_file` may raise
            raise UsageError(
                f"`{file}` does not exist: expected a results database", hint="check the path"
            )
        if reading and sqlite.is_read_only(file):
            return sqlite.reader(parsed)
        engine = create_engine(parsed, poolclass=NullPool)
        sqlite.prepare(engine)
        return engine
    try:
        settings = postgresql.settings(parsed)
        engine = create_engine(parsed, poolclass=NullPool, connect_args=settings)
    except ImportError:
        raise EnvironmentFault(
            f"the results database `{name_of(parsed)}` needs a driver that is not installed",
            hint=install_command("postgres"),
        ) from None
    postgresql.prepare(engine)
    return engine


def parse_url(text: str) -> URL:
    """The address of a database: `postgresql://…`, `sqlite:///…` or the path of a SQLite file.

    Raises UsageError when it is none of these.
    """
    if "://" not in text and text.endswith(_ENDINGS):
        return URL.create("sqlite", database=str(expanded(text).absolute()))
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):  # a port that is no number
        url = URL.create("nothing")
    if url.drivername in postgresql.NAMES and not _TWO_USERS.match(text):
        return url.set(drivername=postgresql.DRIVER)
    if url.drivername == "sqlite" and url.host is None and url.username is None:
        return url
    raise UsageError(
        f"`{masked_database(text)}` is not the URL of a database: expected one such as"
        " `postgresql://httpdyno@db/bench` or `sqlite:////home/me/results.sqlite`, or the path of"
        " a file that ends in `.sqlite`"
    )


@contextmanager
def transaction(engine: Engine) -> Iterator[Connection]:
    """One transaction. Raises EnvironmentFault with what the database refused, and why."""
    try:
        connection = engine.connect()
    except DBAPIError as error:
        raise _fault(error, engine, connecting=True) from error
    try:
        with connection, connection.begin():
            yield connection
    except DBAPIError as error:
        raise _fault(error, engine, connecting=False) from error


def run_names() -> list[str]:
    """The studies of the stored runs and then the numbers of the runs, newest first.

    Read without waiting and without changing anything; a server has none, because it may be slow.
    Raises UsageError or EnvironmentFault when the user's database is not known.
    """
    url = parse_url(default_url())
    if url.drivername == postgresql.DRIVER:
        return []
    try:
        with closing(sqlite.open_to_read(url.database or "", 0)) as file:
            rows = file.execute("SELECT study, id FROM runs ORDER BY id DESC").fetchall()
    except sqlite3.Error:
        return []
    return [*dict.fromkeys(study for study, _ in rows), *(str(number) for _, number in rows)]


def name_of(url: URL) -> str:
    """The name of the database in a sentence: its file, or its URL without secrets."""
    if url.drivername != postgresql.DRIVER:
        return url.database or url.render_as_string()
    shown = url.set(drivername="postgresql").render_as_string()
    return masked_text(shown.replace("%2F", "/"))


def _fault(error: DBAPIError, engine: Engine, *, connecting: bool) -> EnvironmentFault:
    """The database's error as one sentence; everything committed before it is safe."""
    name = name_of(engine.url)
    if isinstance(error, IntegrityError):
        return _refusal(error, name)
    if engine.dialect.name == "sqlite":
        return sqlite.fault(error.orig or error, name)
    return postgresql.fault(error, name, engine.url.username, connecting=connecting)


def _refusal(error: IntegrityError, name: str) -> EnvironmentFault:
    text = f"{getattr(error.orig, 'sqlstate', '')} {error.orig}"
    if any(sign in text for sign in _FOREIGN_KEY):
        return EnvironmentFault(
            f"`{name}`: this run was deleted while it was measured", hint="begin a new run"
        )
    return EnvironmentFault(
        f"`{name}`: this run already has that trial: another process is resuming it too",
        hint="let one of them end, then resume again",
    )
