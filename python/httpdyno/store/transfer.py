"""Stores runs of other machines as rows, and returns the stored documents of trials."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, select

from httpdyno.outcome import TrialOutcome
from httpdyno.result import FailureRow
from httpdyno.store.rows import fact_rows, insert_rows, insert_run, trial_row
from httpdyno.store.runs import StoredRun
from httpdyno.store.store import Store
from httpdyno.store.tables import CEILINGS, FACTS, FAILURES, IMPORTS, RUNS, TRIALS


@dataclass(frozen=True)
class ImportedRun:
    """A run of another machine, to be stored. Its number and its folder there mean nothing here."""

    run: StoredRun
    trials: Sequence[tuple[TrialOutcome, str]]
    """Each with its document as it was exported."""
    failures: Sequence[FailureRow]
    ceilings: Mapping[str, float]
    origin: str
    content_digest: str


def trial_documents(store: Store, run_id: int) -> list[str]:
    """The trials of a run as they are stored, in the order of the plan."""
    query = select(TRIALS.c.outcome).where(TRIALS.c.run_id == run_id).order_by(TRIALS.c.number)
    with store.transaction() as connection:
        return list(connection.scalars(query))


def same_run(store: Store, run: StoredRun) -> list[StoredRun]:
    """The stored runs that began at the same moment with the same plan: the same run."""
    query = select(RUNS.c.id).where(
        RUNS.c.digest == run.digest, RUNS.c.started_at == run.started_at
    )
    with store.transaction() as connection:
        numbers = list(connection.scalars(query))
    return [found for number in numbers if (found := store.run(number)) is not None]


def store_imported(store: Store, runs: Sequence[ImportedRun]) -> list[int]:
    """Stores all of these runs or, if anything goes wrong, none; their numbers."""
    with store.transaction() as connection:
        return [_store(connection, run) for run in runs]


def _store(connection: Connection, imported: ImportedRun) -> int:
    run = imported.run
    run_id = insert_run(connection, {name: getattr(run, name) for name in _KEPT})
    tables = {
        FACTS: fact_rows(run.facts),
        TRIALS: [trial_row(outcome, text) for outcome, text in imported.trials],
        FAILURES: [failure.model_dump() for failure in imported.failures],
        CEILINGS: [{"shape": shape, "per_s": rate} for shape, rate in imported.ceilings.items()],
        IMPORTS: [
            {
                "origin": imported.origin,
                "content_digest": imported.content_digest,
                "imported_at": time.time(),
            }
        ],
    }
    for table, rows in tables.items():
        insert_rows(connection, table, run_id, rows)
    return run_id


_KEPT = (
    "study",
    "digest",
    "study_text",
    "seed",
    "command",
    "httpdyno_version",
    "started_at",
    "ended_at",
    "study_document",
    "servers_document",
    "conclusion",
    "project",
)
