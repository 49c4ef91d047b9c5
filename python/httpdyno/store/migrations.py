"""The history of the tables: ordered steps, each recorded in the transaction that runs it.

A released step never changes; a change is a new step at the end. A database with steps that this
httpdyno does not know was written by a newer version and is refused.
"""

from __future__ import annotations

import time

from sqlalchemy import Connection, insert, select, text

from httpdyno.errors import EnvironmentFault
from httpdyno.store.tables import MIGRATIONS

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
)


def migrate(connection: Connection) -> None:
    """Runs the steps that this database lacks, inside the caller's transaction.

    Raises EnvironmentFault when a newer httpdyno wrote it.
    """
    MIGRATIONS.create(connection, checkfirst=True)
    done = set(connection.scalars(select(MIGRATIONS.c.number)))
    if done and max(done) > len(STEPS):
        raise EnvironmentFault(
            f"`{connection.engine.url.render_as_string()}` was written by a newer httpdyno"
            f" (step {max(done)}, this one knows {len(STEPS)})",
            hint="upgrade httpdyno, or name another data folder with HTTPDYNO_DATA",
        )
    for number, (name, statements) in enumerate(STEPS, start=1):
        if number in done:
            continue
        for statement in statements:
            connection.execute(text(statement))
        row = {"number": number, "name": name, "applied_at": time.time()}
        connection.execute(insert(MIGRATIONS).values(row))
