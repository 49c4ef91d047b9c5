"""Runs and what belongs to them as rows, and their insertion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Table, func, insert, select

from httpdyno.outcome import TrialOutcome
from httpdyno.result import Fact
from httpdyno.store.tables import FORGOTTEN, RUNS


def insert_run(connection: Connection, values: Mapping[str, Any]) -> int:
    """Inserts a run without its number; returns the number."""
    numbered = {**values, **_next_number(connection)}
    key = connection.execute(insert(RUNS).values(numbered)).inserted_primary_key
    return int(key[0]) if key else 0


def insert_rows(
    connection: Connection, table: Table, run_id: int, rows: Sequence[Mapping[Any, Any]]
) -> None:
    """Inserts rows of a run, whose number they lack or have from another database."""
    if rows:
        connection.execute(insert(table), [{**row, "run_id": run_id} for row in rows])


def fact_rows(facts: Sequence[Fact]) -> list[dict[str, Any]]:
    """The facts of a run as rows, in their order."""
    return [{"number": number, **fact.model_dump()} for number, fact in enumerate(facts)]


def trial_row(outcome: TrialOutcome, text: str | None = None) -> dict[str, object]:
    """A trial as a row, without its run; `text` is its document, if that has more fields."""
    searched = outcome.model_dump(include={"block", "arm", "load", "point", "status", "started_at"})
    return {"number": outcome.index, **searched, "outcome": text or outcome.model_dump_json()}


def _next_number(connection: Connection) -> dict[str, int]:
    """The number of the next run, where SQLite might give one of a forgotten run again."""
    if connection.dialect.name != "sqlite":
        return {}
    forgotten = connection.scalar(select(func.max(FORGOTTEN.c.run_id)))
    if forgotten is None:
        return {}
    newest = connection.scalar(select(func.max(RUNS.c.id))) or 0
    return {"id": max(forgotten, newest) + 1}
