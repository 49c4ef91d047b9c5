"""Copies whole runs from one database to another, row by row: nothing is read or judged here."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Table, delete, func, select, update

from httpdyno.errors import UsageError
from httpdyno.store.rows import insert_rows, insert_run
from httpdyno.store.store import Store
from httpdyno.store.tables import CEILINGS, FACTS, FAILURES, IMPORTS, RUNS, TRIALS

BATCH = 200
"""Trials that are in memory at once."""
_BESIDE = (FACTS, FAILURES, CEILINGS, IMPORTS)

Row = Mapping[Any, Any]


@dataclass(frozen=True)
class CopyOutcome:
    """The outcome of copying a run."""

    number: int
    """In the target."""
    is_new: bool
    """False: the target has had it before."""
    trials: int
    """Those that the target lacked."""


def copy_run(source: Store, run_id: int, target: Store) -> CopyOutcome:
    """Copies a run with everything stored with it, or what the target lacks of it: all or nothing.

    Raises UsageError if the target has other content for the same run.
    """
    row, beside = _read(source, run_id)
    with target.transaction() as connection:
        _lock(connection, row)
        there = _same_run(connection, row)
        run = {name: value for name, value in row.items() if name != "id"}
        number = insert_run(connection, run) if there is None else there["id"]
        added = _insert_trials(connection, number, _trials(source, run_id), row["study"])
        ended = there is not None and there["ended_at"] is None and row["ended_at"] is not None
        if there is not None and (added or ended):
            connection.execute(update(RUNS).where(RUNS.c.id == number).values(run))
        if there is None or added or ended:
            for table, rows in beside.items():
                connection.execute(delete(table).where(table.c.run_id == number))
                insert_rows(connection, table, number, rows)
    return CopyOutcome(number, there is None, added)


def _read(source: Store, run_id: int) -> tuple[Row, dict[Table, Sequence[Row]]]:
    with source.transaction() as connection:
        row: Row = connection.execute(select(RUNS).where(RUNS.c.id == run_id)).mappings().one()
        beside: dict[Table, Sequence[Row]] = {
            table: connection.execute(select(table).where(table.c.run_id == run_id))
            .mappings()
            .all()
            for table in _BESIDE
        }
    return row, beside


def _lock(connection: Connection, row: Row) -> None:
    """Lets another process that copies the same run wait. SQLite has locked the file already."""
    if connection.dialect.name == "sqlite":
        return
    name = f"{row['digest']} {row['started_at']!r}".encode()
    key = int.from_bytes(hashlib.sha256(name).digest()[:8], signed=True)
    connection.execute(select(func.pg_advisory_xact_lock(key)))


def _same_run(connection: Connection, row: Row) -> Row | None:
    """The same run in the target: it began at the same moment with the same plan."""
    same = RUNS.c.digest == row["digest"], RUNS.c.started_at == row["started_at"]
    return connection.execute(select(RUNS.c.id, RUNS.c.ended_at).where(*same)).mappings().first()


def _trials(source: Store, run_id: int) -> Iterator[Sequence[Row]]:
    """The trials in batches, each in a transaction of its own: a run that is being measured into
    the source need not wait."""
    last = -1
    while True:
        after = select(TRIALS).where(TRIALS.c.run_id == run_id, TRIALS.c.number > last)
        with source.transaction() as connection:
            rows = connection.execute(after.order_by(TRIALS.c.number).limit(BATCH)).mappings().all()
        if not rows:
            return
        yield rows
        last = rows[-1]["number"]


def _insert_trials(
    connection: Connection, number: int, batches: Iterator[Sequence[Row]], study: str
) -> int:
    """Inserts the trials that the target lacks; their number."""
    added = 0
    for rows in batches:
        numbers = [row["number"] for row in rows]
        there = select(TRIALS.c.number, TRIALS.c.outcome).where(
            TRIALS.c.run_id == number, TRIALS.c.number.between(numbers[0], numbers[-1])
        )
        stored = {row.number: row.outcome for row in connection.execute(there)}
        if any(stored.get(row["number"], row["outcome"]) != row["outcome"] for row in rows):
            raise UsageError(
                f"run {number} of `{study}` in the target is the same run with other content:"
                " expected the same, or a run that is not stored there",
                hint=f"to replace it, first delete it there: `httpdyno runs forget {number}`",
            )
        new = [row for row in rows if row["number"] not in stored]
        insert_rows(connection, TRIALS, number, new)
        added += len(new)
    return added
