"""The tables of a new database, as the newest migration leaves those of an earlier one.

Names sort by their bytes in both, whatever the language of the database.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Double,
    ForeignKey,
    Identity,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
)

METADATA = MetaData()


class _FreeText(TypeDecorator[str]):
    """Text from anywhere. PostgreSQL has no place for NUL characters, so it gets `\\x00`."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Any) -> str | None:
        """The text as it is stored."""
        if value is None or dialect.name == "sqlite":
            return value
        return value.replace("\0", "\\x00")


_NAME = Text().with_variant(Text(collation="C"), "postgresql")


def _run() -> Column[int]:
    return Column("run_id", Integer, ForeignKey("runs.id"), primary_key=True, autoincrement=False)


MIGRATIONS = Table(
    "migrations",
    METADATA,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("name", String(200), nullable=False),
    Column("applied_at", Double, nullable=False),
)

RUNS = Table(
    "runs",
    METADATA,
    Column("id", Integer, Identity(), primary_key=True),
    Column("study", _NAME, nullable=False),
    Column("digest", String(64), nullable=False, index=True),
    Column("study_text", _FreeText, nullable=False),
    Column("seed", BigInteger, nullable=False),
    Column("command", _FreeText, nullable=False),
    Column("httpdyno_version", Text, nullable=False),
    Column("started_at", Double, nullable=False),
    Column("ended_at", Double),
    Column("folder", _FreeText),
    Column("study_document", _FreeText, nullable=False),
    Column("servers_document", _FreeText, nullable=False),
    Column("coordinator", Text),
    Column("host", _FreeText),
    Column("conclusion", _FreeText),
    Column("project", Text, nullable=False, server_default=""),
    Column("study_folder", _FreeText, nullable=False, server_default=""),
)
"""`coordinator` identifies the machine that began the run, `host` names it. Both are null in
imported runs, and so is `folder`. `conclusion` is that of a comparison, as JSON. `project` and
`study_folder` are empty for built-in studies."""

TRIALS = Table(
    "trials",
    METADATA,
    _run(),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("block", Integer, nullable=False),
    Column("arm", _NAME, nullable=False),
    Column("load", _NAME, nullable=False),
    Column("point", _NAME, nullable=False),
    Column("status", Text, nullable=False),
    Column("started_at", Double, nullable=False),
    Column("outcome", Text, nullable=False),
)
"""`outcome` is the whole `TrialOutcome` as JSON; the columns before it serve searches."""

FAILURES = Table(
    "failures",
    METADATA,
    _run(),
    Column("arm", _NAME, primary_key=True),
    Column("stage", _NAME, primary_key=True),
    Column("reason", _FreeText, nullable=False),
    Column("log", _FreeText),
)

CEILINGS = Table(
    "ceilings",
    METADATA,
    _run(),
    Column("shape", _NAME, primary_key=True),
    Column("per_s", Double, nullable=False),
)

FACTS = Table(
    "facts",
    METADATA,
    _run(),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("label", _FreeText, nullable=False),
    Column("value", _FreeText, nullable=False),
    Column("doubt", _FreeText),
)

IMPORTS = Table(
    "imports",
    METADATA,
    _run(),
    Column("origin", _FreeText, nullable=False),
    Column("content_digest", String(64), nullable=False),
    Column("imported_at", Double, nullable=False),
)
"""The runs that another machine measured."""

FORGOTTEN = Table(
    "forgotten",
    METADATA,
    Column("run_id", Integer, primary_key=True, autoincrement=False),
    Column("forgotten_at", Double, nullable=False),
)
"""The numbers of deleted runs, so that no later run gets one of them. Nothing else is kept."""
