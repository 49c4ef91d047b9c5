"""Runs and their trials: written one by one, each in a transaction; read back as values."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Select,
    delete,
    insert,
    select,
    update,
)

from httpdyno.errors import EnvironmentFault
from httpdyno.outcome import TrialOutcome
from httpdyno.output.faults import first_fault
from httpdyno.result import Fact, FailureRow
from httpdyno.store.database import connect, name_of, transaction
from httpdyno.store.migrations import migrate
from httpdyno.store.patience import Patience
from httpdyno.store.rows import fact_rows, insert_rows, insert_run, trial_row
from httpdyno.store.runs import Home, KnownStudy, NewRun, StoredRun, checked_run, digest_of
from httpdyno.store.sqlite import FullDiskError, exists, full_disk_reader, truncate_log
from httpdyno.store.tables import CEILINGS, FACTS, FAILURES, FORGOTTEN, IMPORTS, RUNS, TRIALS

Document = TypeVar("Document", bound=BaseModel)
Answer = TypeVar("Answer")


def open_store(
    url: str | None = None,
    patience: Patience | None = None,
    *,
    create: bool = True,
    reading: bool = False,
) -> Store:
    """Opens the database at `url` (None: the user's own), creating or migrating it.

    `patience` is for a connection that is lost later. With `create` false, the file has to exist.
    A caller that only reads (`reading`) needs neither permission nor room to write.
    Raises EnvironmentFault when it cannot be
    opened or is too new, UsageError for a bad URL.
    """
    engine = connect(url, create=create, reading=reading)
    store = Store(engine, patience or Patience())
    try:
        store.migrate()
    except FullDiskError:
        if not reading or not exists(engine.url.database):
            raise
        store = Store(full_disk_reader(engine.url), store.patience)
        store.migrate()
    return store


class Store:
    """An open database of runs. Every method that writes has committed when it returns.

    A method that loses the connection to PostgreSQL is repeated while `patience` lasts, and writes
    nothing twice.
    """

    def __init__(self, engine: Engine, patience: Patience) -> None:
        self._engine = engine
        self.patience = patience

    @property
    def name(self) -> str:
        """The name of the database in a sentence, without secrets."""
        return name_of(self._engine.url)

    @property
    def is_shared(self) -> bool:
        """True if several machines may use it."""
        return self._engine.dialect.name != "sqlite"

    def transaction(self) -> AbstractContextManager[Connection]:
        """One transaction. Raises EnvironmentFault with what the database refused."""
        return transaction(self._engine)

    def migrate(self) -> None:
        """Runs the steps that the tables lack. Raises EnvironmentFault as `migrate` does."""
        with self.transaction() as connection:
            migrate(connection)

    def _do(
        self,
        work: Callable[[Connection], Answer],
        find_earlier: Callable[[Connection], Answer | None] | None = None,
    ) -> Answer:
        """The answer of `work` in a transaction; of `find_earlier`, if an earlier attempt was
        committed although the connection was lost."""

        def attempt(is_second: bool) -> Answer:
            with self.transaction() as connection:
                found = find_earlier(connection) if is_second and find_earlier is not None else None
                return work(connection) if found is None else found

        return self.patience.attempts(attempt)

    def begin_run(self, run: NewRun) -> int:
        """Stores a run that begins, with the machine's facts; returns its number."""
        values: dict[str, Any] = {name: getattr(run, name) for name in (*_BEGUN, "digest")}

        def work(connection: Connection) -> int:
            run_id = insert_run(connection, values)
            insert_rows(connection, FACTS, run_id, fact_rows(run.facts))
            return run_id

        def find_earlier(connection: Connection) -> int | None:
            same = (RUNS.c[name] == values[name] for name in ("digest", "started_at", "folder"))
            return connection.scalar(select(RUNS.c.id).where(*same))

        return self._do(work, find_earlier)

    def record(self, run_id: int, outcome: TrialOutcome) -> None:
        """Stores a trial. Raises EnvironmentFault when the run already has it."""
        values = {"run_id": run_id, **trial_row(outcome)}

        def work(connection: Connection) -> bool:
            connection.execute(insert(TRIALS).values(values))
            return True

        def find_earlier(connection: Connection) -> bool | None:
            key = TRIALS.c.run_id == run_id, TRIALS.c.number == outcome.index
            stored = connection.scalar(select(TRIALS.c.outcome).where(*key))
            return True if stored == values["outcome"] else None

        self._do(work, find_earlier)

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
        rows = [failure.model_dump() for failure in failures]

        def work(connection: Connection) -> None:
            connection.execute(_update(run_id, servers_document=servers_document))
            connection.execute(earlier)
            insert_rows(connection, FAILURES, run_id, rows)

        self._do(work)

    def record_ceiling(self, run_id: int, shape: str, per_s: float) -> None:
        """Stores the generator's ceiling for a load shape; the last one counts."""
        values = {"run_id": run_id, "shape": shape, "per_s": per_s}
        earlier = delete(CEILINGS).where(CEILINGS.c.run_id == run_id, CEILINGS.c.shape == shape)

        def work(connection: Connection) -> None:
            connection.execute(earlier)
            connection.execute(insert(CEILINGS).values(values))

        self._do(work)

    def move(self, run_id: int, folder: str) -> None:
        """Stores that the report of a run belongs into another folder from now on."""
        self._do(lambda connection: connection.execute(_update(run_id, folder=folder)))

    def conclude(self, run_id: int, conclusion: str) -> None:
        """Stores what was concluded from the trials of a run, in place of what was before."""
        self._do(lambda connection: connection.execute(_update(run_id, conclusion=conclusion)))

    def finish(self, run_id: int, ended_at: float) -> None:
        """Marks a run as finished: everything is measured, and its report is written."""
        self._do(lambda connection: connection.execute(_update(run_id, ended_at=ended_at)))

    def forget(self, run_id: int) -> str | None:
        """Deletes a run and everything stored with it; its number is never given again.

        A sentence about what still has copies of it, if anything has.
        """

        def work(connection: Connection) -> None:
            for table in (TRIALS, FAILURES, CEILINGS, FACTS, IMPORTS):
                connection.execute(delete(table).where(table.c.run_id == run_id))
            connection.execute(delete(RUNS).where(RUNS.c.id == run_id))
            row = {"run_id": run_id, "forgotten_at": time.time()}
            connection.execute(insert(FORGOTTEN).values(row))

        self._do(work)
        if self.is_shared:
            return (
                "PostgreSQL keeps deleted rows in its files until they are overwritten after a"
                " VACUUM, and in its backups"
            )
        if truncate_log(self._engine):
            return None
        return (
            "another process has the database open: copies of what was deleted stay in its log"
            " until that process ends"
        )

    def run(self, run_id: int) -> StoredRun | None:
        """The run with this number. Raises EnvironmentFault when it is damaged."""
        return self._newest(RUNS.c.id == run_id)

    def newest_unfinished(
        self, identity: str, coordinator: str | None = None, *, folder: str | None = None
    ) -> StoredRun | None:
        """The newest run with this identity that is not finished, of those that `newest` finds."""
        conditions = self._same(identity, coordinator, folder)
        return self._newest(RUNS.c.ended_at.is_(None), *conditions)

    def newest(
        self, identity: str, coordinator: str | None = None, *, folder: str | None = None
    ) -> StoredRun | None:
        """The newest run with this identity that was not imported, finished or not.

        In a database that machines share: only one that `coordinator` began (None: any). `folder`:
        only of a study in this folder (None: any).
        """
        return self._newest(*self._same(identity, coordinator, folder))

    def newest_of(
        self, study: str, coordinator: str | None = None, *, home: Home | None = None
    ) -> StoredRun | None:
        """The newest run of the study with this name: one with a trial that was not imported, then
        an imported one with a trial, then any. `coordinator`: as in `newest`. `home`: only of this
        project, and in its folder if there is one."""
        named, measured = [RUNS.c.study == study], RUNS.c.id.in_(select(TRIALS.c.run_id))
        own = self._own(coordinator)
        if home is not None:
            named.append(RUNS.c.project == home.project)
            here = self._newest(*named, measured, RUNS.c.study_folder == home.folder, *own)
            if here is not None:
                return here
        found = self._newest(*named, measured, *own)
        if found is not None or coordinator is not None:
            return found or self._newest(*named, *own)
        return self._newest(*named, measured) or self._newest(*named)

    def studies(self) -> list[KnownStudy]:
        """All studies that have a run, the latest run first."""
        columns = RUNS.c.study, RUNS.c.project, RUNS.c.id, RUNS.c.study_folder, IMPORTS.c.origin
        query = select(*columns).outerjoin(IMPORTS).order_by(RUNS.c.id.desc())

        def work(connection: Connection) -> list[KnownStudy]:
            found: dict[tuple[str, str], KnownStudy] = {}
            for row in connection.execute(query):
                found.setdefault((row[0], row[1]), KnownStudy(*row))
            return list(found.values())

        return self._do(work)

    def _same(
        self, identity: str, coordinator: str | None, folder: str | None
    ) -> list[ColumnElement[bool]]:
        same = [RUNS.c.digest == digest_of(identity), *self._own(coordinator)]
        return same if folder is None else [*same, RUNS.c.study_folder == folder]

    def _own(self, coordinator: str | None) -> list[ColumnElement[bool]]:
        measured = RUNS.c.id.not_in(select(IMPORTS.c.run_id))
        if coordinator is None or not self.is_shared:
            return [measured]
        return [measured, RUNS.c.coordinator == coordinator]

    def _newest(self, *conditions: ColumnElement[bool]) -> StoredRun | None:
        query = select(RUNS).where(*conditions).order_by(RUNS.c.id.desc()).limit(1)

        def work(connection: Connection) -> StoredRun | None:
            row = connection.execute(query).mappings().first()
            return None if row is None else self._stored_run(connection, row)

        return self._do(work)

    def _stored_run(self, connection: Connection, row: Mapping[Any, Any]) -> StoredRun:
        """The run in a row, with its facts. Raises EnvironmentFault when it is damaged."""
        query = select(FACTS).where(FACTS.c.run_id == row["id"]).order_by(FACTS.c.number)
        imported = select(IMPORTS.c.origin).where(IMPORTS.c.run_id == row["id"])
        found = connection.execute(query).mappings().all()
        try:
            facts = tuple(Fact.model_validate(dict(one)) for one in found)
            return checked_run({**row, "facts": facts, "origin": connection.scalar(imported)})
        except ValidationError as error:
            raise self._damage(error, row["id"]) from None

    def _damage(self, error: ValidationError, run_id: int) -> EnvironmentFault:
        return EnvironmentFault(
            f"the results database `{self.name}`: run {run_id} is damaged: {first_fault(error)}",
            hint=f"delete it: `httpdyno runs forget {run_id}`",
        )

    def _rows(self, query: Select[Any]) -> Sequence[Mapping[Any, Any]]:
        return self._do(lambda connection: connection.execute(query).mappings().all())

    def trials(self, run_id: int) -> list[TrialOutcome]:
        """The trials of a run, in the order of the plan. Raises EnvironmentFault when one of them
        is damaged."""
        query = select(TRIALS.c.number, TRIALS.c.outcome).where(TRIALS.c.run_id == run_id)
        return [
            self.read(TrialOutcome, row["outcome"], run_id, f"trial {row['number']}")
            for row in self._rows(query.order_by(TRIALS.c.number))
        ]

    def read(self, document: type[Document], text: str, run_id: int, what: str) -> Document:
        """A document of a run. Raises EnvironmentFault when it is damaged."""
        try:
            return document.model_validate_json(text)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            run = self.run(run_id)
            raise EnvironmentFault(
                f"the results database `{self.name}`: {what} of run {run_id} is"
                f" damaged: {first['msg'][:200]}",
                hint=f"begin a new run: `{run.command}`" if run else None,
            ) from None

    def failures(self, run_id: int) -> list[FailureRow]:
        """The arms of a run that could not be measured, and why. Raises EnvironmentFault when one
        of them is damaged."""
        query = select(FAILURES).where(FAILURES.c.run_id == run_id)
        rows = self._rows(query.order_by(FAILURES.c.arm, FAILURES.c.stage))
        try:
            return [FailureRow.model_validate(dict(row)) for row in rows]
        except ValidationError as error:
            raise self._damage(error, run_id) from None

    def ceilings(self, run_id: int) -> dict[str, float]:
        """The generator's ceilings that a run measured, by load shape."""
        query = select(CEILINGS).where(CEILINGS.c.run_id == run_id).order_by(CEILINGS.c.shape)
        return {row["shape"]: row["per_s"] for row in self._rows(query)}


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
    "coordinator",
    "host",
    "project",
    "study_folder",
)


def _update(run_id: int, **values: Any) -> Any:
    return update(RUNS).where(RUNS.c.id == run_id).values(values)
