"""Imports runs of other machines: all that the files have, or nothing."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from httpdyno.errors import UsageError
from httpdyno.output.printable import printable
from httpdyno.running.archive.document import document_of
from httpdyno.running.archive.reading import FileRun, read_runs
from httpdyno.store import ImportedRun, Store, same_run, store_imported

LONGEST_ORIGIN = 200


@dataclass(frozen=True)
class ImportOutcome:
    """The outcome of importing one run of a file."""

    study: str
    file: Path
    number: int
    """In this store."""
    is_new: bool
    """False: the store has had it before."""


def import_runs(store: Store, files: Sequence[Path], origin: str | None) -> list[ImportOutcome]:
    """Imports the runs of these files. `origin`: where they were measured (None: the file's name).

    A run that the store has already is skipped. Raises UsageError, and stores nothing, if a file
    is not whole or has another state of a stored run.
    """
    read = [run for file in files for run in read_runs(file)]
    known: dict[str, int | None] = {}
    new: list[FileRun] = []
    for one in read:
        digest = one.document.content_digest
        if digest not in known:
            known[digest] = _stored_as(store, one, digest)
            if known[digest] is None:
                new.append(one)
    stored = store_imported(store, [_to_import(one, origin) for one in new])
    numbers = {one.document.content_digest: at for one, at in zip(new, stored, strict=True)}
    return [
        ImportOutcome(
            one.run.study, one.file, numbers.get(digest) or known[digest] or 0, digest in numbers
        )
        for one in read
        for digest in (one.document.content_digest,)
    ]


def _stored_as(store: Store, one: FileRun, digest: str) -> int | None:
    """The number of the same run in the store. Raises UsageError if its content differs."""
    stored = same_run(store, one.run)
    for run in stored:
        if document_of(store, run).content_digest == digest:
            return run.id
    if stored:
        raise UsageError(
            f"`{one.file}`: its run of `{printable(one.run.study)}` is run {stored[0].id} of this"
            " store with other content: expected the same, or a run that is not stored",
            hint=f"to replace it, first delete it: `httpdyno runs forget {stored[0].id}`",
        )
    return None


def _to_import(one: FileRun, origin: str | None) -> ImportedRun:
    named = origin or one.document.origin or one.file.name
    texts = [json.dumps(trial, ensure_ascii=False) for trial in one.document.trials]
    return ImportedRun(
        run=one.run,
        trials=list(zip(one.trials, texts, strict=True)),
        failures=one.document.failures,
        ceilings=one.document.ceilings,
        origin=printable(named)[:LONGEST_ORIGIN],
        content_digest=one.document.content_digest,
    )
