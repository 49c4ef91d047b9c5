"""The history of the tables: ordered steps, each recorded in the transaction that runs it.

A released step never changes; a change is a new step at the end. A database with steps that this
httpdyno does not know was written by a newer version and is refused. A new PostgreSQL database gets
the newest tables at once, with every step recorded; later steps have to work on both.
"""

from __future__ import annotations

import time

from sqlalchemy import Connection, func, insert, inspect, select, text

from httpdyno.errors import EnvironmentFault
from httpdyno.store.database import name_of
from httpdyno.store.postgresql import MIGRATION_LOCK
from httpdyno.store.sqlite import READS_ONLY
from httpdyno.store.tables import METADATA, MIGRATIONS

STEPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "runs, trials, failures, ceilings, facts",
        (
            """CREATE TABLE runs (
                id INTEGER NOT NULL PRIMARY KEY, study VARCHAR(200) NOT NULL,
                digest VARCHAR(64) NOT NULL, study_text TEXT NOT NULL, seed BIGINT NOT NULL,
                command TEXT NOT NULL, httpdyno_version VARCHAR(50) NOT NULL,
                started_at DOUBLE PRECISION NOT NULL, ended_at DOUBLE PRECISION)""",
            "CREATE INDEX runs_by_digest ON runs (digest)",
            """CREATE TABLE trials (
                run_id INTEGER NOT NULL REFERENCES runs (id), number INTEGER NOT NULL,
                block INTEGER NOT NULL, arm VARCHAR(200) NOT NULL, load VARCHAR(200) NOT NULL,
                point VARCHAR(200) NOT NULL, status VARCHAR(20) NOT NULL,
                started_at DOUBLE PRECISION NOT NULL, outcome TEXT NOT NULL,
                PRIMARY KEY (run_id, number))""",
            """CREATE TABLE failures (
                run_id INTEGER NOT NULL REFERENCES runs (id), arm VARCHAR(200) NOT NULL,
                stage VARCHAR(20) NOT NULL, reason TEXT NOT NULL, log TEXT,
                PRIMARY KEY (run_id, arm, stage))""",
            """CREATE TABLE ceilings (
                run_id INTEGER NOT NULL REFERENCES runs (id), shape VARCHAR(500) NOT NULL,
                per_s DOUBLE PRECISION NOT NULL, PRIMARY KEY (run_id, shape))""",
            """CREATE TABLE facts (
                run_id INTEGER NOT NULL REFERENCES runs (id), number INTEGER NOT NULL,
                label VARCHAR(200) NOT NULL, value TEXT NOT NULL, doubt TEXT,
                PRIMARY KEY (run_id, number))""",
        ),
    ),
    (
        "the documents of a run, and the folder of its report",
        (
            "ALTER TABLE runs ADD COLUMN folder TEXT",
            "ALTER TABLE runs ADD COLUMN study_document TEXT",
            "ALTER TABLE runs ADD COLUMN servers_document TEXT",
        ),
    ),
    (
        "imported runs, and the numbers of forgotten ones",
        (
            """CREATE TABLE imports (
                run_id INTEGER NOT NULL PRIMARY KEY REFERENCES runs (id),
                origin VARCHAR(200) NOT NULL, content_digest VARCHAR(64) NOT NULL,
                imported_at DOUBLE PRECISION NOT NULL)""",
            """CREATE TABLE forgotten (
                run_id INTEGER NOT NULL PRIMARY KEY, forgotten_at DOUBLE PRECISION NOT NULL)""",
        ),
    ),
    (
        "the machine that began a run, and the conclusion of a comparison",
        (
            "ALTER TABLE runs ADD COLUMN coordinator TEXT",
            "ALTER TABLE runs ADD COLUMN host TEXT",
            "ALTER TABLE runs ADD COLUMN conclusion TEXT",
        ),
    ),
    (
        "the project and the folder of the study of a run",
        (
            "ALTER TABLE runs ADD COLUMN project TEXT NOT NULL DEFAULT ''",
            "ALTER TABLE runs ADD COLUMN study_folder TEXT NOT NULL DEFAULT ''",
        ),
    ),
)


def migrate(connection: Connection) -> None:
    """Runs the steps that this database lacks, inside the caller's transaction.

    Raises EnvironmentFault when a newer httpdyno wrote it.
    """
    if not _missing(connection):
        return
    if connection.get_execution_options().get(READS_ONLY):
        raise EnvironmentFault(
            f"`{name_of(connection.engine.url)}` is read-only, and an older httpdyno wrote it",
            hint="copy it into a folder of your own, and name the copy",
        )
    if connection.dialect.name == "postgresql":
        # Others that open it now wait for this transaction, then find nothing missing.
        connection.execute(select(func.pg_advisory_xact_lock(MIGRATION_LOCK)))
    missing = _missing(connection)
    if len(missing) == len(STEPS) and connection.dialect.name == "postgresql":
        _create(connection)
    else:
        MIGRATIONS.create(connection, checkfirst=True)
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
    """Creates the newest tables in an empty PostgreSQL database."""
    encoding = connection.exec_driver_sql("SHOW server_encoding").scalar_one()
    if encoding != "UTF8":
        raise EnvironmentFault(
            f"`{name_of(connection.engine.url)}` has the encoding {encoding}: expected UTF8",
            hint="create a new one: `createdb --encoding UTF8 --template template0 bench`",
        )
    METADATA.create_all(connection, checkfirst=False)
