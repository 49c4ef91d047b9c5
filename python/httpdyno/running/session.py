"""A run in the store: begun or gone on with, its trials one by one, its ceilings once."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from httpdyno import __version__
from httpdyno.errors import UsageError
from httpdyno.host import machine_facts
from httpdyno.plan import Cell, Trial, estimate
from httpdyno.result import Fact
from httpdyno.running.ceiling import measure_ceiling, shape
from httpdyno.running.options import Listener, RunOptions
from httpdyno.running.prepare import Preparation
from httpdyno.running.trial import run_trial
from httpdyno.store import NewRun, Store
from httpdyno.study import Study
from httpdyno.units import rate
from httpdyno.workloads import get


@dataclass(frozen=True)
class Session:
    """A run that is under way."""

    store: Store
    run_id: int
    started_at: float
    facts: tuple[Fact, ...]


def identity(study: Study) -> str:
    """All that decides a plan: the same study narrowed in the same way, with the same seed."""
    return study.model_dump_json()


def begin(store: Store, study: Study, trials: Sequence[Trial], options: RunOptions) -> Session:
    """Begin a run, or go on with the newest unfinished one of the same plan.

    A finished run that lacks trials, of arms that could not be measured then, is gone on with too.
    Raises UsageError when there is none to go on with.
    """
    if options.resume:
        return _resume(store, study, trials)
    facts = tuple(machine_facts())
    now = time.time()
    run_id = store.begin_run(
        NewRun(
            study=study.name,
            identity=identity(study),
            study_text=study.text,
            seed=study.seed,
            command=options.command,
            httpdyno_version=__version__,
            started_at=now,
            facts=facts,
        )
    )
    return Session(store, run_id, now, facts)


def _resume(store: Store, study: Study, trials: Sequence[Trial]) -> Session:
    found = store.unfinished(identity(study))
    if found is None:
        found = store.newest(identity(study))
        wanted = {trial.index for trial in trials if trial.cell.refused is None}
        if found and wanted <= {outcome.index for outcome in store.trials(found.id)}:
            found = None
    if found is None:
        raise UsageError(
            f"`{study.name}` has no unfinished run with this file, these flags and seed"
            f" {study.seed}: expected one to resume",
            hint=f"`httpdyno run {study.name}` without --resume begins a new one",
        )
    if found.httpdyno_version != __version__:
        raise UsageError(
            f"the unfinished run of `{study.name}` is by httpdyno {found.httpdyno_version},"
            f" this is {__version__}: expected the same",
            hint="begin a new run: numbers of two versions are not mixed",
        )
    return Session(store, found.id, found.started_at, found.facts)


def measure_all(
    session: Session,
    trials: Sequence[Trial],
    prepared: Preparation,
    cpus: Sequence[int],
    listener: Listener,
) -> bool:
    """Run the trials that are not in the store yet, each committed before the next one starts.

    False when Ctrl-C ended it: the running trial is lost, the run can be resumed.
    """
    done = {outcome.index for outcome in session.store.trials(session.run_id)}
    there = [trial for trial in trials if trial.cell.arm.name in prepared.arms]
    measurable = [trial for trial in there if trial.cell.refused is None]
    remaining = [trial for trial in measurable if trial.index not in done]
    try:
        ceilings = _ceilings(session, [trial.cell for trial in remaining], cpus, listener)
        for place, trial in enumerate(remaining):
            number = len(measurable) - len(remaining) + place + 1
            listener.trial_begins(trial, number, len(measurable), estimate(remaining[place:]))
            ready = prepared.arms[trial.cell.arm.name]
            outcome = run_trial(trial, ready, ceilings.get(shape(trial.cell)), listener)
            session.store.record(session.run_id, outcome)
            listener.trial_ends(outcome)
    except KeyboardInterrupt:
        return False
    session.store.finish(session.run_id, time.time())
    return True


def _ceilings(
    session: Session, cells: Sequence[Cell], cpus: Sequence[int], listener: Listener
) -> dict[str, float]:
    """The generator's ceiling for each load shape; measured once a run."""
    known = session.store.ceilings(session.run_id)
    for name, cell in {shape(cell): cell for cell in cells}.items():
        if name in known:
            continue
        reached = measure_ceiling(cell, get(cell.arm.workload), cpus)
        if reached is None:
            listener.note(f"the generator's ceiling could not be measured ({name})")
            continue
        listener.note(f"the generator reaches {rate(reached)} here ({name})")
        session.store.record_ceiling(session.run_id, name, reached)
        known[name] = reached
    return known
