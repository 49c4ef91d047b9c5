"""Runs and their trials: written one by one, each in a transaction; read back as values."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    create_engine,
    event,
    insert,
    select,
    update,
)
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, NoSuchModuleError
from sqlalchemy.pool import NullPool

from httpdyno.errors import EnvironmentFault, UsageError
from httpdyno.outcome import TrialOutcome
from httpdyno.result import Fact, FailureRow
from httpdyno.store.migrations import migrate
from httpdyno.store.place import default_url
from httpdyno.store.tables import CEILINGS, FACTS, FAILURES, RUNS, TRIALS

BUSY_S = 10.0
"""How long to wait for another process that writes to the same file."""


@dataclass(frozen=True)
class NewRun:
    """A run about to begin. `identity`: all that decides its plan, to find it again."""

    study: str
    identity: str
    study_text: str
    seed: int
    command: str
    httpdyno_version: str
    started_at: float
    facts: Sequence[Fact]

    @property
    def digest(self) -> str:
        """Names the same study, options and seed."""
        return digest_of(self.identity)


@dataclass(frozen=True)
class StoredRun:
    """A run as it was begun; `ended_at` is None until it is finished."""

    id: int
    study: str
    seed: int
    command: str
    httpdyno_version: str
    started_at: float
    ended_at: float | None
    facts: tuple[Fact, ...]


def digest_of(identity: str) -> str:
    """SHA-256 of what decides a plan."""
    return hashlib.sha256(identity.encode()).hexdigest()


def open_store(url: str | None = None) -> Store:
    """Open the database at `url` (None: the user's own), creating or migrating it.

    Raises EnvironmentFault when it cannot be opened or is too new, UsageError for a bad URL.
    """
    try:
        parsed = make_url(url or default_url())
        engine = create_engine(parsed, poolclass=NullPool)
    except (ArgumentError, NoSuchModuleError, ModuleNotFoundError):
        expected = "expected one such as `sqlite:////home/me/results.sqlite`"
        raise UsageError(f"`{url}` is not the URL of a database: {expected}") from None
    if engine.dialect.name == "sqlite":
        _prepare_sqlite(engine, parsed.database)
    store = Store(engine)
    with store.transaction() as connection:
        migrate(connection)
    return store


class Store:
    """An open database of runs. Every method that writes has committed when it returns."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """One transaction; what the database cannot do comes out as EnvironmentFault."""
        try:
            with self._engine.begin() as connection:
                yield connection
        except DBAPIError as error:
            raise _fault(error, self._engine) from error

    def begin_run(self, run: NewRun) -> int:
        """Write down that a run begins, with the machine's facts; its number."""
        values = {
            "study": run.study,
            "digest": run.digest,
            "study_text": run.study_text,
            "seed": run.seed,
            "command": run.command,
            "httpdyno_version": run.httpdyno_version,
            "started_at": run.started_at,
        }
        with self.transaction() as connection:
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
        """Keep a trial. Raises EnvironmentFault when the run already has it."""
        searched = outcome.model_dump(
            include={"block", "arm", "load", "point", "status", "started_at"}
        )
        values = {"run_id": run_id, "number": outcome.index, **searched}
        with self.transaction() as connection:
            row = insert(TRIALS).values({**values, "outcome": outcome.model_dump_json()})
            connection.execute(row)

    def record_failure(self, run_id: int, failure: FailureRow) -> None:
        """Keep why an arm could not be measured; the first failure of an arm's stage stays."""
        with self.transaction() as connection:
            found = select(FAILURES.c.arm).where(
                FAILURES.c.run_id == run_id,
                FAILURES.c.arm == failure.arm,
                FAILURES.c.stage == failure.stage,
            )
            if connection.execute(found).first() is None:
                values = {"run_id": run_id, **failure.model_dump()}
                connection.execute(insert(FAILURES).values(values))

    def record_ceiling(self, run_id: int, shape: str, per_s: float) -> None:
        """Keep what the generator reaches on a load shape; once for each shape."""
        values = {"run_id": run_id, "shape": shape, "per_s": per_s}
        with self.transaction() as connection:
            connection.execute(insert(CEILINGS).values(values))

    def finish(self, run_id: int, ended_at: float) -> None:
        """Mark a run as finished: it is no longer to be resumed."""
        with self.transaction() as connection:
            connection.execute(update(RUNS).where(RUNS.c.id == run_id).values(ended_at=ended_at))

    def unfinished(self, identity: str) -> StoredRun | None:
        """The newest run with this identity that was not finished."""
        return self._newest(RUNS.c.digest == digest_of(identity), RUNS.c.ended_at.is_(None))

    def newest(self, identity: str) -> StoredRun | None:
        """The newest run with this identity, finished or not."""
        return self._newest(RUNS.c.digest == digest_of(identity))

    def _newest(self, *conditions: ColumnElement[bool]) -> StoredRun | None:
        query = select(RUNS).where(*conditions).order_by(RUNS.c.id.desc()).limit(1)
        with self.transaction() as connection:
            row = connection.execute(query).mappings().first()
            return None if row is None else _stored_run(connection, row)

    def trials(self, run_id: int) -> list[TrialOutcome]:
        """The trials of a run, in the order of the plan."""
        query = select(TRIALS.c.outcome).where(TRIALS.c.run_id == run_id).order_by(TRIALS.c.number)
        with self.transaction() as connection:
            return [TrialOutcome.model_validate_json(one) for one in connection.scalars(query)]

    def failures(self, run_id: int) -> list[FailureRow]:
        """Why arms of a run could not be measured."""
        query = select(FAILURES).where(FAILURES.c.run_id == run_id)
        with self.transaction() as connection:
            rows = connection.execute(query.order_by(FAILURES.c.arm)).mappings()
            return [FailureRow.model_validate(dict(row)) for row in rows]

    def ceilings(self, run_id: int) -> dict[str, float]:
        """What the generator reached, by load shape."""
        query = select(CEILINGS).where(CEILINGS.c.run_id == run_id)
        with self.transaction() as connection:
            return {row["shape"]: row["per_s"] for row in connection.execute(query).mappings()}


def _stored_run(connection: Connection, row: Mapping[Any, Any]) -> StoredRun:
    query = select(FACTS).where(FACTS.c.run_id == row["id"]).order_by(FACTS.c.number)
    facts = [Fact.model_validate(dict(one)) for one in connection.execute(query).mappings()]
    names = ("id", "study", "seed", "command", "httpdyno_version", "started_at", "ended_at")
    return StoredRun(**{name: row[name] for name in names}, facts=tuple(facts))


def _prepare_sqlite(engine: Engine, file: str | None) -> None:
    """Durable at each commit, and transactions that hold from their first word on, DDL included.

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
        ):
            connection.execute(f"PRAGMA {setting}")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")


_SQLITE_FAULTS = (
    ("full", "no room is left for it", "free some disk space, then `httpdyno run … --resume`"),
    ("readonly", "it is read-only", "make it writable, or name another folder: HTTPDYNO_DATA"),
    ("unable to open", "it cannot be opened", "HTTPDYNO_DATA names another folder for results"),
    ("locked", "another process keeps it locked", "wait for the other run, then --resume"),
    ("not a database", "it is not a results database", "move it away: a new one is made"),
    ("malformed", "it is damaged", "move it away: a new one is made"),
)


def _fault(error: DBAPIError, engine: Engine) -> EnvironmentFault:
    """The database's words as one sentence; what was committed before is safe."""
    said = str(error.orig)
    name = engine.url.database or engine.url.render_as_string()
    if isinstance(error, IntegrityError):
        return EnvironmentFault(
            f"`{name}`: this run already has that row: another process goes on with it too",
            hint="let only one of them `--resume`",
        )
    for sign, what, hint in _SQLITE_FAULTS:
        if sign in said:
            return EnvironmentFault(f"the results file `{name}`: {what}", hint=hint)
    return EnvironmentFault(f"the results file `{name}`: {said}")
