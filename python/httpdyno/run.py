"""The story: a study becomes a plan, the plan's trials are measured one by one, then reported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from httpdyno.errors import EnvironmentFault, TargetError
from httpdyno.plan import Trial
from httpdyno.report import ReportPaths, write_report
from httpdyno.result import FailureRow, StudyResult
from httpdyno.running.beside import database_of
from httpdyno.running.live.events import Events, RunBegins, Stage, TrialsPlanned
from httpdyno.running.machines.machine_lock import coordinator, machine_lock
from httpdyno.running.measuring.measure import measure
from httpdyno.running.options import RESUME, RunOptions
from httpdyno.running.own import StudyContext, context_of, own_servers, server_of
from httpdyno.running.prepare import prepare
from httpdyno.running.results_folder import writable
from httpdyno.running.session import Session, begin, resume
from httpdyno.running.stored_result import find_run, measured_result, stored_result
from httpdyno.servers import Catalogue, load_catalogue, load_server, reap_leftovers
from httpdyno.store import PATIENCE_S, Patience, open_store
from httpdyno.study import KnownNames, Study, load_study
from httpdyno.study.read import checked_study
from httpdyno.workloads import WORKLOADS

__all__ = [
    "NamedResult",
    "RunOutcome",
    "catalogue_of",
    "read_study",
    "run_study",
    "stored_study_result",
    "study_of_values",
]


@dataclass(frozen=True)
class RunOutcome:
    """The end of a run. An interrupted one may have no report, or even no result."""

    stored: int
    """Trials that are in the store."""
    planned: int
    result: StudyResult | None = None
    report: ReportPaths | None = None
    interrupted: bool = False
    run: int | None = None
    """Its number in the store; None: it has no result."""


def read_study(name_or_path: str | Path, catalogue: Catalogue) -> Study:
    """The study, all its names known. Raises UsageError with every fault, each with its line."""
    return load_study(name_or_path, _known_names(catalogue))


def study_of_values(values: Mapping[str, Any], name: str, catalogue: Catalogue) -> Study:
    """The study with these keys, which no file has; the files that it names are relative to the
    working folder. Raises UsageError with every fault."""
    return checked_study(values, name, _known_names(catalogue))


def _known_names(catalogue: Catalogue) -> KnownNames:
    servers = {server.name: tuple(server.deployments) for server in catalogue}
    return KnownNames(servers, tuple(WORKLOADS), _own_server, server_of)


def _own_server(file: Path) -> tuple[str, tuple[str, ...]]:
    server = load_server(file)
    return server.name, tuple(server.deployments)


def catalogue_of(study: Study, servers: Sequence[Path]) -> Catalogue:
    """The catalogue with `servers`, with those that the study names by file, and its own."""
    files = [*servers, *map(Path, study.server_files)]
    return load_catalogue(files).and_also(own_servers(study))


def run_study(study: Study, options: RunOptions, events: Events) -> RunOutcome:
    """Measures a study, or the rest of it, and writes its report.

    KeyboardInterrupt ends it cleanly: every finished trial is stored and reported, and
    `options.resume` measures the others later. Raises UsageError, EnvironmentFault; a server that
    fails is a row of the result, or a TargetError with `options.needs_an_arm`.
    """
    if options.results is not None:
        options = replace(options, results=writable(options.results))
    catalogue = catalogue_of(study, options.servers).and_also(options.made)
    store = open_store(options.store_url, Patience(PATIENCE_S, events.note))
    session = resume(store, study, catalogue, options) if options.resume else None
    if session is not None and not session.remaining():
        events.note(f"{study.title}: nothing is left to measure")
        return _report(session, events, complete=True)
    context = context_of(study, options.settings)
    with machine_lock(options.command, events.note):
        for sentence in reap_leftovers():
            events.note(sentence)
        session = session or begin(store, study, catalogue, options)
        events.send(RunBegins(session.run_id, str(session.folder), study.title))
        remaining = session.remaining()
        events.note(f"{study.title}: {session.in_words(remaining)}")
        events.send(TrialsPlanned(*session.place(remaining)))
        complete = _measure(session, remaining, catalogue, context, options, events)
        return _report(session, events, complete=complete)


def _measure(
    session: Session,
    remaining: Sequence[Trial],
    catalogue: Catalogue,
    context: StudyContext,
    options: RunOptions,
    events: Events,
) -> bool:
    """Measures the remaining trials; False when it was interrupted."""
    arms, study, folder = session.arms_of(remaining), session.plan.study, session.folder
    try:
        with database_of(study, options.site, folder, events.note) as (site, database):
            session.demand_same_machines(site, remaining)
            prepared = prepare(
                arms, catalogue, folder, events, context, site=site, database=database
            )
            session.record(prepared, arms, site)
            if options.needs_an_arm and not prepared.arms and not session.count_stored(remaining):
                _require_arms(session, prepared.failures)
            measure(session, remaining, prepared, site, events, options.interrupted)
    except KeyboardInterrupt:
        session.store.patience = Patience()  # whoever interrupts a run does not wait
        return False
    except EnvironmentFault as fault:
        raise session.resumable(fault, "measures the others") from fault
    return True


def _require_arms(session: Session, failures: Sequence[FailureRow]) -> None:
    """Raises TargetError if there are failures. The events have each reason."""
    if not failures:
        return
    named = [session.folder / failure.log for failure in failures if failure.log]
    logs = [f"`{log}`" for log in named if log.exists() and log.stat().st_size]
    read = f"read {', '.join(logs)}, and fix it" if logs else "fix it"
    raise TargetError(
        f"`{failures[0].arm}` cannot be measured, for the reason above"
        if len(failures) == 1
        else f"none of {len(failures)} arms can be measured, for the reasons above",
        hint=f"{read}; then `{session.command} {RESUME}` resumes this run",
    )


def _report(session: Session, events: Events, *, complete: bool) -> RunOutcome:
    """Writes the report of the stored trials. The run is finished once its report is on disk."""
    run, planned = session.stored_run(), len(session.trials)
    stored = session.count_stored(session.remaining())
    result: StudyResult | None = None
    if stored == 0 and not complete:
        return RunOutcome(stored, planned, interrupted=True)
    events.send(Stage("writing the report"))
    try:
        result = measured_result(session.store, run)
        report = write_report(result, session.folder)
    except KeyboardInterrupt:
        return RunOutcome(stored, planned, result, interrupted=True, run=run.id)
    except EnvironmentFault as fault:
        # Its own hint names a flag of `httpdyno report`.
        plain = EnvironmentFault(fault.message)
        raise session.resumable(plain, "writes the report; every trial is stored") from fault
    if complete:
        session.store.finish(run.id, result.ended_at)
    return RunOutcome(stored, planned, result, report, interrupted=not complete, run=run.id)


@dataclass(frozen=True)
class NamedResult:
    """The result that a name stands for."""

    result: StudyResult
    folder: Path | None
    """The folder that its report belongs into, if it has one on this machine."""
    run: int | None = None
    """Its number in the store; None: it was read from a file."""
    origin: str = ""
    """Where it was measured; empty: on this machine."""


def stored_study_result(name: str, store_url: str | None = None) -> NamedResult:
    """The result of the newest run of a study, or of the run with a number.

    Raises UsageError when there is none, or when it cannot be read.
    """
    store = open_store(store_url, reading=True)
    run = find_run(store, name, or_file=True)
    local = not store.is_shared or run.coordinator == coordinator().id
    folder = Path(run.folder) if local and run.folder else None
    return NamedResult(stored_result(store, run), folder, run.id, run.origin or "")
