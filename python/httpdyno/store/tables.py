"""The tables as the newest migration leaves them."""

from __future__ import annotations

from sqlalchemy import Column, Float, ForeignKey, Integer, MetaData, String, Table, Text

METADATA = MetaData()


def _run() -> Column[int]:
    return Column("run_id", Integer, ForeignKey("runs.id"), primary_key=True)


MIGRATIONS = Table(
    "migrations",
    METADATA,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("name", String(200), nullable=False),
    Column("applied_at", Float, nullable=False),
)

RUNS = Table(
    "runs",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("study", String(200), nullable=False),
    Column("digest", String(64), nullable=False, index=True),
    Column("study_text", Text, nullable=False),
    Column("seed", Integer, nullable=False),
    Column("command", Text, nullable=False),
    Column("httpdyno_version", String(50), nullable=False),
    Column("started_at", Float, nullable=False),
    Column("ended_at", Float),
    Column("folder", Text),
    Column("study_document", Text),
    Column("servers_document", Text),
)
"""The last three are null in runs that were begun before migration 2."""

TRIALS = Table(
    "trials",
    METADATA,
    _run(),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("block", Integer, nullable=False),
    Column("arm", String(200), nullable=False),
    Column("load", String(200), nullable=False),
    Column("point", String(200), nullable=False),
    Column("status", String(20), nullable=False),
    Column("started_at", Float, nullable=False),
    Column("outcome", Text, nullable=False),
)
"""`outcome` is the whole `TrialOutcome` as JSON; the columns before it serve searches."""

FAILURES = Table(
    "failures",
    METADATA,
    _run(),
    Column("arm", String(200), primary_key=True),
    Column("stage", String(20), primary_key=True),
    Column("reason", Text, nullable=False),
    Column("log", Text),
)

CEILINGS = Table(
    "ceilings",
    METADATA,
    _run(),
    Column("shape", String(500), primary_key=True),
    Column("per_s", Float, nullable=False),
)

FACTS = Table(
    "facts",
    METADATA,
    _run(),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("label", String(200), nullable=False),
    Column("value", Text, nullable=False),
    Column("doubt", Text),
)

IMPORTS = Table(
    "imports",
    METADATA,
    _run(),
    Column("origin", String(200), nullable=False),
    Column("content_digest", String(64), nullable=False),
    Column("imported_at", Float, nullable=False),
)
"""The runs that another machine measured."""

FORGOTTEN = Table(
    "forgotten",
    METADATA,
    Column("run_id", Integer, primary_key=True, autoincrement=False),
    Column("forgotten_at", Float, nullable=False),
)
"""The numbers of deleted runs, so that no later run gets one of them. Nothing else is kept."""
