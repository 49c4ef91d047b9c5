"""Runs and their trials: written one by one, each in a transaction; read back as values."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    delete,
    func,
    insert,
    select,
    update,
)

from httpdyno.errors import EnvironmentFault
from httpdyno.outcome import TrialOutcome
from httpdyno.result import Fact, FailureRow
from httpdyno.store.database import connect, name_of, transaction, truncate_log
from httpdyno.store.migrations import migrate
from httpdyno.store.runs import NewRun, StoredRun, digest_of
from httpdyno.store.tables import CEILINGS, FACTS, FAILURES, FORGOTTEN, IMPORTS, RUNS, TRIALS

Document = TypeVar("Document", bound=BaseModel)


def open_store(url: str | None = None) -> Store:
    """Opens the database at `url` (None: the user's own), creating or migrating it.

    Raises EnvironmentFault when it cannot be opened or is too new, UsageError for a bad URL.
    """
    store = Store(connect(url))
    with store.transaction() as connection:
        migrate(connection)
    return store


class Store:
    """An open database of runs. Every method that writes has committed when it returns."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def transaction(self) -> AbstractContextManager[Connection]:
        """One transaction. Raises EnvironmentFault with what the database refused."""
        return transaction(self._engine)

    def begin_run(self, run: NewRun) -> int:
        """Stores a run that begins, with the machine's facts; returns its number."""
        values: dict[str, Any] = {name: getattr(run, name) for name in (*_BEGUN, "digest")}
        with self.transaction() as connection:
            values |= next_number(connection)
            key = connection.execute(insert(RUNS).values(values)).inserted_primary_key
            run_id = int(key[0]) if key else 0
            rows = [
                {"run_id": run_id, "number": number, **fact.model_dump()}
                for number, fact in enumerate(run.facts)
            ]
            if rows:
                connection.execute(insert(FACTS), rows)
        return run_id

    def record(self, run_id: int, outcome: TrialOutcome) -> None:
        """Stores a trial. Raises EnvironmentFault when the run already has it."""
        searched = outcome.model_dump(
            include={"block", "arm", "load", "point", "status", "started_at"}
        )
        values = {"run_id": run_id, "number": outcome.index, **searched}
        with self.transaction() as connection:
            row = insert(TRIALS).values({**values, "outcome": outcome.model_dump_json()})
            connection.execute(row)

    def record_preparation(
        self,
        run_id: int,
        servers_document: str,
        prepared: Sequence[str],
        failures: Sequence[FailureRow],
    ) -> None:
        """Stores what became of the arms in `prepared`: what is known of their servers, and why
        some of them cannot be measured. Replaces what an earlier attempt stored of these arms."""
        earlier = delete(FAILURES).where(FAILURES.c.run_id == run_id, FAILURES.c.arm.in_(prepared))
        rows = [{"run_id": run_id, **failure.model_dump()} for failure in failures]
        with self.transaction() as connection:
            connection.execute(_update(run_id, servers_document=servers_document))
            connection.execute(earlier)
            if rows:
                connection.execute(insert(FAILURES), rows)

    def record_ceiling(self, run_id: int, shape: str, per_s: float) -> None:
        """Stores the generator's ceiling for a load shape; once for each shape."""
        values = {"run_id": run_id, "shape": shape, "per_s": per_s}
        with self.transaction() as connection:
            connection.execute(insert(CEILINGS).values(values))

    def move(self, run_id: int, folder: str) -> None:
        """Stores that the report of a run belongs into another folder from now on."""
        with self.transaction() as connection:
            connection.execute(_update(run_id, folder=folder))

    def finish(self, run_id: int, ended_at: float) -> None:
        """Marks a run as finished: everything is measured, and its report is written."""
        with self.transaction() as connection:
            connection.execute(_update(run_id, ended_at=ended_at))

    def forget(self, run_id: int) -> bool:
        """Deletes a run and everything stored with it; its number is never given again.

        False if another process still reads the database: then copies of the deleted pages stay in
        its log until that process ends.
        """
        with self.transaction() as connection:
            for table in (TRIALS, FAILURES, CEILINGS, FACTS, IMPORTS):
                connection.execute(delete(table).where(table.c.run_id == run_id))
            connection.execute(delete(RUNS).where(RUNS.c.id == run_id))
            row = {"run_id": run_id, "forgotten_at": time.time()}
            connection.execute(insert(FORGOTTEN).values(row))
        return truncate_log(self._engine)

    def run(self, run_id: int) -> StoredRun | None:
        """The run with this number."""
        return self._newest(RUNS.c.id == run_id)

    def unfinished(self, identity: str) -> StoredRun | None:
        """The newest run of this machine with this identity that is not finished."""
        unfinished = RUNS.c.ended_at.is_(None)
        return self._newest(RUNS.c.digest == digest_of(identity), unfinished, measured_here())

    def newest(self, identity: str) -> StoredRun | None:
        """The newest run of this machine with this identity, finished or not."""
        return self._newest(RUNS.c.digest == digest_of(identity), measured_here())

    def newest_of(self, study: str) -> StoredRun | None:
        """The newest run of the study with this name: one of this machine with a trial, then an
        imported one with a trial, then any."""
        named, measured = RUNS.c.study == study, RUNS.c.id.in_(select(TRIALS.c.run_id))
        return (
            self._newest(named, measured, measured_here())
            or self._newest(named, measured)
            or self._newest(named)
        )

    def studies(self) -> list[str]:
        """The names of all studies that have a run, the latest run first."""
        query = select(RUNS.c.study).order_by(RUNS.c.id.desc())
        with self.transaction() as connection:
            return list(dict.fromkeys(connection.scalars(query)))

    def _newest(self, *conditions: ColumnElement[bool]) -> StoredRun | None:
        query = select(RUNS).where(*conditions).order_by(RUNS.c.id.desc()).limit(1)
        with self.transaction() as connection:
            row = connection.execute(query).mappings().first()
            return None if row is None else _stored_run(connection, row)

    def trials(self, run_id: int) -> list[TrialOutcome]:
        """The trials of a run, in the order of the plan. Raises EnvironmentFault when one of them
        is damaged."""
        query = select(TRIALS.c.number, TRIALS.c.outcome).where(TRIALS.c.run_id == run_id)
        with self.transaction() as connection:
            rows = connection.execute(query.order_by(TRIALS.c.number)).mappings().all()
        return [
            self.read(TrialOutcome, row["outcome"], run_id, f"trial {row['number']}")
            for row in rows
        ]

    def read(self, document: type[Document], text: str, run_id: int, what: str) -> Document:
        """A document of a run. Raises EnvironmentFault when it is damaged."""
        try:
            return document.model_validate_json(text)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            run = self.run(run_id)
            raise EnvironmentFault(
                f"the results database `{name_of(self._engine)}`: {what} of run {run_id} is"
                f" damaged: {first['msg'][:200]}",
                hint=f"begin a new run: `{run.command}`" if run else None,
            ) from None

    def failures(self, run_id: int) -> list[FailureRow]:
        """The arms of a run that could not be measured, and why."""
        query = select(FAILURES).where(FAILURES.c.run_id == run_id)
        with self.transaction() as connection:
            rows = connection.execute(query.order_by(FAILURES.c.arm, FAILURES.c.stage)).mappings()
            return [FailureRow.model_validate(dict(row)) for row in rows]

    def ceilings(self, run_id: int) -> dict[str, float]:
        """The generator's ceilings that a run measured, by load shape."""
        query = select(CEILINGS).where(CEILINGS.c.run_id == run_id)
        with self.transaction() as connection:
            return {row["shape"]: row["per_s"] for row in connection.execute(query).mappings()}


_BEGUN = (
    "study",
    "study_text",
    "seed",
    "command",
    "httpdyno_version",
    "started_at",
    "folder",
    "study_document",
    "servers_document",
)


def measured_here() -> ColumnElement[bool]:
    """True for a run that was not imported."""
    return RUNS.c.id.not_in(select(IMPORTS.c.run_id))


def next_number(connection: Connection) -> dict[str, int]:
    """The number of the next run, where the database might give one of a forgotten run again."""
    forgotten = connection.scalar(select(func.max(FORGOTTEN.c.run_id)))
    if forgotten is None:
        return {}
    newest = connection.scalar(select(func.max(RUNS.c.id))) or 0
    return {"id": max(forgotten, newest) + 1}


def _update(run_id: int, **values: Any) -> Any:
    return update(RUNS).where(RUNS.c.id == run_id).values(values)


def _stored_run(connection: Connection, row: Mapping[Any, Any]) -> StoredRun:
    query = select(FACTS).where(FACTS.c.run_id == row["id"]).order_by(FACTS.c.number)
    facts = [Fact.model_validate(dict(one)) for one in connection.execute(query).mappings()]
    imported = select(IMPORTS.c.origin).where(IMPORTS.c.run_id == row["id"])
    return StoredRun(**row, facts=tuple(facts), origin=connection.scalar(imported))
