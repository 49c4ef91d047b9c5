"""The two documents that a run stores about itself, from which its report can be written later.

Format history of the servers' document:
  1  first version.
The study's document is the study itself: its fields as in the TOML file, and those that the file
does not have.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Literal

from pydantic import ValidationError

from httpdyno import __version__
from httpdyno.errors import EnvironmentFault, UsageError
from httpdyno.output.faults import first_fault
from httpdyno.result import ConformanceRow, MachineRow, PathRow
from httpdyno.store import Store, StoredRun
from httpdyno.study import Study
from httpdyno.study.abilities import Abilities
from httpdyno.study.own.secrets import without_credentials
from httpdyno.study.own.workload import first_requests
from httpdyno.value import Value


class ServersDocument(Value):
    """The facts about the servers of a run that a report shows."""

    version: Literal[1] = 1
    titles: dict[str, str] = {}
    """By server."""
    versions: dict[str, str] = {}
    """By server, of those that were installed."""
    conformance: list[ConformanceRow] = []
    """Of the servers and deployments that were checked on this machine."""
    abilities: dict[str, Abilities] = {}
    """By arm."""
    machines: list[MachineRow] = []
    """The machines of the run, if there were several."""
    paths: list[PathRow] = []
    """The paths between them."""

    def with_prepared(
        self, versions: dict[str, str], conformance: Iterable[ConformanceRow]
    ) -> ServersDocument:
        """This document after more arms were prepared; the newer check of a server counts."""
        rows = {(row.server, row.deployment): row for row in self.conformance}
        for row in conformance:
            key = (row.server, row.deployment)
            arms = dict.fromkeys([*(rows[key].arms if key in rows else []), *row.arms])
            rows[key] = row.model_copy(update={"arms": list(arms)})
        update = {"versions": {**self.versions, **versions}, "conformance": list(rows.values())}
        return self.model_copy(update=update)


def identity(study: Study) -> str:
    """Everything that decides a plan: the study, narrowed as it is, and its seed.

    Without the keys that have their defaults: a key that a later version adds changes no identity.
    """
    return study.model_dump_json(exclude_defaults=True)


def study_document(study: Study) -> str:
    """The study as JSON, without credentials and without the rest of a long workload: a report
    needs none of them."""
    own = {name for name, field in Study.model_fields.items() if field.exclude}
    values = study.model_dump(mode="json")
    values = without_credentials({**values, "workloads": first_requests(values["workloads"])})
    values |= {name: getattr(study, name) for name in own}
    return json.dumps(values, ensure_ascii=False)


def study_of(run: StoredRun) -> Study:
    """The study of a stored run. Raises EnvironmentFault when the document is damaged, UsageError
    when it is that of another httpdyno, which this one cannot read."""
    try:
        return Study.model_validate_json(run.study_document)
    except ValidationError as error:
        fault = first_fault(error)
        if run.httpdyno_version == __version__ or not _is_json(run.study_document):
            raise EnvironmentFault(
                f"the study of run {run.id} (`{run.study}`) is damaged: {fault}",
                hint=f"delete it: `httpdyno runs forget {run.id}`",
            ) from None
        raise UsageError(
            f"run {run.id} of `{run.study}` cannot be read by this httpdyno: {fault}",
            hint=f"use httpdyno {run.httpdyno_version}, which measured it",
        ) from None


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def servers_of(store: Store, run: StoredRun) -> ServersDocument:
    """The facts about the servers of a stored run. Raises EnvironmentFault when the document is
    damaged."""
    return store.read(ServersDocument, run.servers_document, run.id, "the servers' document")
