"""Stored runs as one JSON document that loses nothing and that `httpdyno runs import` reads.

Format history:
  1  first version.
A reader accepts its own version and older ones, ignores unknown fields, and refuses newer versions.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import Field

from httpdyno.result import Fact, FailureRow
from httpdyno.store import Store, StoredRun, trial_documents
from httpdyno.value import Value

FORMAT: Literal["httpdyno-runs"] = "httpdyno-runs"
VERSION = 1
MOST_BYTES = 256 * 1024**2
"""The largest document that is written and read: some hundred runs."""
MOST_TRIALS = 50_000

_Short = Annotated[str, Field(max_length=200)]
_Text = Annotated[str, Field(max_length=2_000_000)]
_Moment = Annotated[float, Field(ge=0, le=1e11, allow_inf_nan=False)]
_Rate = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class RunDocument(Value):
    """One run: everything that the store has of it, but its number and its folder there."""

    study: Annotated[str, Field(max_length=200, pattern="^[^/\\x00]+$")]
    """Its report goes into a folder of this name, so it must not lead elsewhere."""
    digest: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    study_text: _Text
    seed: Annotated[int, Field(ge=0, lt=2**63)]
    command: _Text
    httpdyno_version: Annotated[str, Field(max_length=50)]
    started_at: _Moment
    ended_at: _Moment | None
    study_document: _Text
    servers_document: _Text
    facts: Annotated[list[Fact], Field(max_length=1000)]
    trials: Annotated[list[dict[str, Any]], Field(max_length=MOST_TRIALS)]
    failures: Annotated[list[FailureRow], Field(max_length=10_000)]
    ceilings: Annotated[dict[_Short, _Rate], Field(max_length=10_000)]
    conclusion: _Text | None
    project: Annotated[str, Field(pattern="^([0-9a-f]{64})?$")]
    """Tells studies of the same name apart."""
    origin: _Short | None = None
    """Where it was measured, if it was imported before it was exported."""

    @property
    def content_digest(self) -> str:
        """Equal for equal runs, wherever they were imported from."""
        content = self.model_dump(mode="json", exclude={"origin"})
        text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()


class RunsDocument(Value):
    """The content of an exported file."""

    format: Literal["httpdyno-runs"] = FORMAT
    version: int = VERSION
    runs: Annotated[list[RunDocument], Field(min_length=1, max_length=10_000)]


def document_of(store: Store, run: StoredRun) -> RunDocument:
    """A stored run as a document. Raises EnvironmentFault when the store cannot be read."""
    values = {name: getattr(run, name) for name in RunDocument.model_fields if hasattr(run, name)}
    return RunDocument.model_construct(
        **{
            **values,
            "facts": list(run.facts),
            "trials": [json.loads(text) for text in trial_documents(store, run.id)],
            "failures": store.failures(run.id),
            "ceilings": store.ceilings(run.id),
        }
    )


def to_json(runs: Iterable[RunDocument]) -> str:
    """The text of a file: a run per line."""
    lines = ",\n".join(run.model_dump_json() for run in runs)
    return f'{{"format": "{FORMAT}", "version": {VERSION}, "runs": [\n{lines}\n]}}\n'
