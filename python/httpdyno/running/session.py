"""A run in the store: begun or resumed, its trials stored one by one."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from httpdyno import __version__
from httpdyno.errors import EnvironmentFault, InternalFault, UsageError
from httpdyno.host.facts import machine_facts
from httpdyno.plan import Arm, Plan, Trial, in_words, total_s
from httpdyno.result import MachineRow
from httpdyno.running.abilities import plan_of
from httpdyno.running.documents import (
    ServersDocument,
    identity,
    servers_of,
    study_document,
)
from httpdyno.running.machines.machine_lock import coordinator
from httpdyno.running.machines.site import Site
from httpdyno.running.options import RESUME, RunOptions
from httpdyno.running.prepare import Preparation
from httpdyno.running.projects.home import home_of
from httpdyno.running.projects.resumed_run import run_to_resume
from httpdyno.running.results_folder import new_folder, writable
from httpdyno.running.stored_result import result_of
from httpdyno.servers import Catalogue
from httpdyno.store import NewRun, Store, StoredRun
from httpdyno.study import Study


@dataclass(frozen=True)
class Session:
    """A run under way."""

    store: Store
    run_id: int
    folder: Path
    plan: Plan
    servers: ServersDocument
    command: str
    """Begins this run."""

    @property
    def trials(self) -> Sequence[Trial]:
        """All that can be measured, in the order of the plan."""
        return self.plan.measured

    def resumable(self, fault: EnvironmentFault, what: str) -> EnvironmentFault:
        """The fault with the command that does `what` once it is fixed."""
        first = f"{fault.hint}; then " if fault.hint else "fix it, then "
        hint = f"{first}`{self.command} {RESUME}` {what}"
        return EnvironmentFault(fault.message, hint=hint)

    def stored_run(self) -> StoredRun:
        """The run as the store has it now. Raises InternalFault when it is gone."""
        run = self.store.run(self.run_id)
        if run is None:
            raise InternalFault(f"run {self.run_id} is gone from the results database")
        return run

    def remaining(self) -> list[Trial]:
        """The trials that are not in the store yet, and are still to be measured."""
        done = {outcome.index for outcome in self.store.trials(self.run_id)}
        blocks = self.stopped_after()
        return [
            trial
            for trial in self.trials
            if trial.index not in done and (blocks is None or trial.block < blocks or trial.follows)
        ]

    def stopped_after(self) -> int | None:
        """The number of blocks after which the precision ended the run; None: it did not."""
        if not self.plan.sequential:
            return None
        run, store = self.stored_run(), self.store
        trials, failures = store.trials(run.id), store.failures(run.id)
        stopping = result_of(run, self.plan, self.servers, trials, failures).stopping
        return stopping.blocks if stopping is not None and stopping.stopped else None

    def place(self, remaining: Sequence[Trial]) -> tuple[int, int, float]:
        """The trials that are stored, all trials, and the estimated time of the others."""
        return self.count_stored(remaining), len(self.trials), total_s(remaining)

    def count_stored(self, remaining: Sequence[Trial]) -> int:
        """The number of trials that are not among the remaining ones."""
        return len(self.trials) - len(remaining)

    def in_words(self, remaining: Sequence[Trial]) -> str:
        """The work that is left: `24 trials, about 2 min`."""
        stored = self.count_stored(remaining)
        resumed = (
            f"resuming: {stored:,} of {len(self.trials):,} trials are stored; " if stored else ""
        )
        return f"{resumed}{in_words(remaining, self.plan.study.until)}"

    def arms_of(self, trials: Sequence[Trial]) -> list[Arm]:
        """The arms of these trials, in the order of the plan."""
        names = {trial.cell.arm.name for trial in trials}
        return [arm for arm in self.plan.arms if arm.name in names]

    def demand_same_machines(self, site: Site, remaining: Sequence[Trial]) -> None:
        """Raises UsageError when other machines measured the trials that are stored."""
        before, now = (_in_words(rows) for rows in (self.servers.machines, site.machines))
        if self.count_stored(remaining) and before != now:
            raise UsageError(
                f"{before} measured the stored trials of this run, and now {now} would measure the"
                " others: expected the same machines for all trials of a run",
                hint=f"begin a new run: `{self.command}`",
            )

    def record(self, prepared: Preparation, of: Sequence[Arm], site: Site) -> None:
        """Store what became of the arms that were prepared, and on which machines."""
        servers = self.servers.with_prepared(prepared.versions, prepared.conformance.values())
        where = {"machines": list(site.machines), "paths": list(site.paths)}
        servers = servers.model_copy(update=where)
        names = [arm.name for arm in of]
        self.store.record_preparation(
            self.run_id, servers.model_dump_json(), names, prepared.failures
        )


def begin(store: Store, study: Study, catalogue: Catalogue, options: RunOptions) -> Session:
    """Begins a run in a folder of its own."""
    folder = options.results or new_folder(study.name)
    plan = plan_of(study, catalogue)
    servers = _servers(plan, catalogue, ServersDocument())
    machine, home = coordinator(), home_of(study.folder)
    new = NewRun(
        study=study.name,
        identity=identity(study),
        study_text=study.text,
        seed=study.seed,
        command=options.command,
        httpdyno_version=__version__,
        started_at=time.time(),
        facts=machine_facts(),
        folder=str(folder),
        study_document=study_document(study),
        servers_document=servers.model_dump_json(),
        coordinator=machine.id,
        host=machine.host,
        project=home.project,
        study_folder=home.folder,
    )
    try:
        run_id = store.begin_run(new)
    except EnvironmentFault:
        if options.results is None:
            folder.rmdir()
        raise
    return Session(store, run_id, folder, plan, servers, options.command)


def resume(store: Store, study: Study, catalogue: Catalogue, options: RunOptions) -> Session:
    """Resumes a run: the trials that it lacks are measured.

    Raises UsageError when there is none, or when another version measured its trials.
    """
    run = run_to_resume(store, study, options.command)
    plan = plan_of(study, catalogue)
    servers = _servers(plan, catalogue, servers_of(store, run))
    folder = _folder(store, run, options)
    session = Session(store, run.id, folder, plan, servers, run.command)
    if run.httpdyno_version != __version__ and session.remaining():
        raise UsageError(
            f"httpdyno {run.httpdyno_version} began the run of `{study.name}`, and this is"
            f" {__version__}: expected one version for all trials of a run",
            hint=f"begin a new run: `{options.command}`",
        )
    return session


def _servers(plan: Plan, catalogue: Catalogue, earlier: ServersDocument) -> ServersDocument:
    """The servers of a plan as declared now, with what an earlier part of the run found."""
    titles = {arm.server: catalogue.get(arm.server).title for arm in plan.arms}
    return earlier.model_copy(update={"titles": titles, "abilities": dict(plan.abilities)})


def _in_words(machines: Sequence[MachineRow]) -> str:
    """Machines with their roles: `a (generator), b (server)`."""
    named = ", ".join(f"`{one.name}` ({', '.join(one.roles)})" for one in machines)
    return named or "one machine"


def _folder(store: Store, run: StoredRun, options: RunOptions) -> Path:
    """The run's own folder, unless the command names one; the store follows it."""
    if options.results is None and run.folder is not None:
        return writable(Path(run.folder))
    folder = options.results or new_folder(run.study)
    store.move(run.id, str(folder))
    return folder
