"""The story: a study becomes a plan, the plan's trials are measured one by one, and summarised."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

from httpdyno import __version__, engine
from httpdyno.host import available
from httpdyno.plan import arms, plan
from httpdyno.result import StudyResult
from httpdyno.running.abilities import abilities_of
from httpdyno.running.options import Listener, RunOptions
from httpdyno.running.prepare import Preparation, prepare
from httpdyno.running.published import published_rows
from httpdyno.running.session import Session, begin, measure_all
from httpdyno.servers import Catalogue, load_catalogue, reap_leftovers
from httpdyno.statistics.summarise import RunFacts, summarise
from httpdyno.store import open_store
from httpdyno.study import Known, Study, load_study
from httpdyno.study.abilities import Abilities
from httpdyno.workloads import WORKLOADS

__all__ = ["read_study", "run_study"]


def read_study(name_or_path: str | Path, catalogue: Catalogue) -> Study:
    """A study that names what there is. Raises UsageError with every fault, each with its line."""
    servers = {server.name: tuple(server.deployments) for server in catalogue}
    return load_study(name_or_path, Known(servers, tuple(WORKLOADS)))


def run_study(study: Study, options: RunOptions, listener: Listener) -> StudyResult:
    """Measure a study, or what is left of it, and say what was found.

    Ctrl-C ends it cleanly: the result is what there is so far (`complete` is False), and
    `options.resume` goes on later. Raises UsageError, EnvironmentFault; a server that fails is a
    row of the result.
    """
    catalogue = load_catalogue(options.servers)
    for sentence in reap_leftovers():
        listener.note(sentence)
    abilities = abilities_of(arms(study), catalogue)
    trials = plan(study, study.seed, abilities)
    session = begin(open_store(options.store_url), study, trials, options)
    cpus = available()
    prepared = prepare(arms(study), catalogue, cpus, options.folder, listener)
    for failure in prepared.failures:
        session.store.record_failure(session.run_id, failure)
    measure_all(session, trials, prepared, cpus, listener)
    return _summary(study, session, prepared, abilities, options)


def _summary(
    study: Study,
    session: Session,
    prepared: Preparation,
    abilities: Mapping[str, Abilities],
    options: RunOptions,
) -> StudyResult:
    facts = RunFacts(
        command=options.command,
        httpdyno_version=__version__,
        seed=study.seed,
        started_at=session.started_at,
        ended_at=time.time(),
        machine=session.facts,
        failures=prepared.failures,
        titles=prepared.titles,
        versions=prepared.versions,
        published=published_rows(study),
        conformance=list(prepared.conformance.values()),
        abilities=abilities,
    )
    trials = session.store.trials(session.run_id)
    return summarise(study, trials, facts, engine.quantiles)
