"""The checks of many servers in one file: `docs/reference/conformance.json` is one.

Answers that agree with the contract are named, not repeated. Format history:
  1  first version.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from httpdyno.errors import UsageError
from httpdyno.servers.check.conformance import Answer, AnswerRow, Conformance

VERSION = 1


class Entry(BaseModel):
    """A check of one deployment. `habits` maps a probe's name to its answer and what was seen;
    `differs` has the answers that were not the contract's."""

    model_config = ConfigDict(frozen=True)

    server: str
    version: str
    deployment: str
    checked_at: str
    ok: bool
    workloads: tuple[str, ...]
    differs: tuple[AnswerRow, ...]
    habits: dict[str, tuple[Answer, str]]
    contradictions: tuple[str, ...]


class Book(BaseModel):
    """Checks and the machine they were made on; `failures` says of a server why it has none."""

    model_config = ConfigDict(frozen=True)

    format: int = VERSION
    machine: str
    entries: tuple[Entry, ...]
    failures: dict[str, str]


def entry_of(found: Conformance) -> Entry:
    """A check as an entry of the book."""
    return Entry(
        server=found.server,
        version=found.version,
        deployment=found.deployment,
        checked_at=found.checked_at,
        ok=found.ok,
        workloads=tuple(dict.fromkeys(row.workload for row in found.workloads)),
        differs=tuple(row for row in found.workloads if not row.agrees),
        habits={habit.name: (habit.answer, habit.detail) for habit in found.behaviour},
        contradictions=found.contradictions,
    )


def write(book: Book, file: Path) -> None:
    """Write the book, an entry a line, so that a change is a line of a diff."""
    lines = ",\n".join(entry.model_dump_json() for entry in book.entries)
    head = book.model_dump_json(exclude={"entries"})[:-1]
    scratch = file.with_suffix(".tmp")
    scratch.write_text(f'{head},"entries":[\n{lines}\n]}}\n', encoding="utf-8")
    scratch.replace(file)


def read(file: Path) -> Book | None:
    """The book; None when there is none. Raises UsageError for one of a newer httpdyno."""
    if not file.is_file():
        return None
    found = Book.model_validate_json(file.read_bytes())
    if found.format > VERSION:
        raise UsageError(f"`{file}` is of format {found.format}: expected {VERSION} or older")
    return found


def latest(entries: Iterable[Entry]) -> str:
    """The day of the newest check, as `2026-01-31`."""
    return max((entry.checked_at for entry in entries), default="").partition("T")[0]
