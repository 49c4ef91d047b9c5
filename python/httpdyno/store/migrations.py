"""The history of the tables: ordered steps, each recorded in the transaction that runs it.

A new database gets the newest tables at once, with every step recorded. A released step never
changes; a change is a new step at the end, which has to work on SQLite and on PostgreSQL. A
database with steps that this httpdyno does not know was written by a newer version and is refused.
"""

from __future__ import annotations

import time

from sqlalchemy import Connection, func, insert, inspect, select, text

from httpdyno.errors import EnvironmentFault
from httpdyno.store.database import name_of
from httpdyno.store.postgresql import MIGRATION_LOCK
from httpdyno.store.sqlite import READS_ONLY
from httpdyno.store.tables import METADATA, MIGRATIONS

STEPS: tuple[tuple[str, tuple[str, ...]], ...] = (("the first tables", ()),)
"""The name of each step, and its statements."""


def migrate(connection: Connection) -> None:
    """Runs the steps that this database lacks, inside the caller's transaction.

    Raises EnvironmentFault when a newer httpdyno wrote it.
    """
    if not _missing(connection):
        return
    if connection.get_execution_options().get(READS_ONLY):
        raise EnvironmentFault(
            f"`{name_of(connection.engine.url)}` is read-only, and lacks tables of this httpdyno",
            hint="copy it into a folder of your own, and name the copy",
        )
    if connection.dialect.name == "postgresql":
        # Others that open it now wait for this transaction, then find nothing missing.
        connection.execute(select(func.pg_advisory_xact_lock(MIGRATION_LOCK)))
    missing = _missing(connection)
    if len(missing) == len(STEPS):
        _create(connection)
    else:
        for number in missing:
            for statement in STEPS[number - 1][1]:
                connection.execute(text(statement))
    rows = [
        {"number": number, "name": STEPS[number - 1][0], "applied_at": time.time()}
        for number in missing
    ]
    if rows:
        connection.execute(insert(MIGRATIONS), rows)


def _missing(connection: Connection) -> list[int]:
    """The numbers of the steps that were not run."""
    done: set[int] = set()
    if inspect(connection).has_table(MIGRATIONS.name):
        done = set(connection.scalars(select(MIGRATIONS.c.number)))
    if done and max(done) > len(STEPS):
        raise EnvironmentFault(
            f"`{name_of(connection.engine.url)}` was written by a newer httpdyno"
            f" (step {max(done)}, this one knows {len(STEPS)})",
            hint="upgrade httpdyno, or name another database",
        )
    return [number for number in range(1, len(STEPS) + 1) if number not in done]


def _create(connection: Connection) -> None:
    """Creates the newest tables in an empty database."""
    if connection.dialect.name == "postgresql":
        encoding = connection.exec_driver_sql("SHOW server_encoding").scalar_one()
        if encoding != "UTF8":
            raise EnvironmentFault(
                f"`{name_of(connection.engine.url)}` has the encoding {encoding}: expected UTF8",
                hint="create a new one: `createdb --encoding UTF8 --template template0 bench`",
            )
    METADATA.create_all(connection, checkfirst=False)
