"""A store with runs of a small study, as if it had been run night after night."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from httpdyno.outcome import TrialOutcome
from httpdyno.plan import Plan
from httpdyno.result import Fact, Reason
from httpdyno.running.documents import ServersDocument, identity, study_document
from httpdyno.running.projects.home import home_of
from httpdyno.store import NewRun, Store, open_store
from httpdyno.store.rows import trial_row
from httpdyno.store.tables import TRIALS
from httpdyno.study import Study, load_study
from sqlalchemy import insert
from trial_samples import outcome

TEXT = """\
title = "Two servers"
blocks = 5
[[arms]]
server = "alpha"
deployments = ["1-process"]
[[arms]]
server = "beta"
deployments = ["1-process"]
[loads.full]
kind = "closed"
connections = 10
duration = "5s"
[loads.steady]
kind = "requests"
rate = 500
duration = "5s"
"""
FIRST = 1_790_000_000.0
"""2026-09-21, 14:13:20 UTC."""
DAY_S = 86_400.0
MACHINE = {
    "processor": "AMD EPYC 7B13",
    "cores": "2 of 2 available",
    "memory": "7.8 GiB",
    "kernel": "Linux 6.1.0",
    "load average at the start": "0.1 0.2 0.3",
}
VERSIONS = {"alpha": "1.24.0", "beta": "3.1"}


def study(folder: Path, text: str = TEXT, name: str = "nightly") -> Study:
    (folder / f"{name}.toml").write_text(text)
    return load_study(folder / f"{name}.toml")


def store_in(folder: Path) -> Store:
    """The store of the program whose HTTPDYNO_DATA is this folder."""
    return open_store(f"sqlite:///{folder / 'results.sqlite'}")


def store_run(
    store: Store,
    of: Study,
    night: int,
    *,
    rates: Mapping[str, float],
    versions: Mapping[str, str] = VERSIONS,
    machine: Mapping[str, str] = MACHINE,
    reasons: Sequence[Reason] = (),
    blocks: int = 5,
    httpdyno: str = "0.1.0",
) -> int:
    """Stores the run of a night: `rates` is each server's throughput; its p99 is 1 ÷ that."""
    facts = [Fact(label=label, value=value) for label, value in machine.items()]
    servers = ServersDocument(titles={name: name for name in versions}, versions=dict(versions))
    begun, home = FIRST + night * DAY_S, home_of(of.folder)
    run_id = store.begin_run(
        NewRun(
            study=of.name,
            identity=identity(of),
            study_text=of.text,
            seed=of.seed,
            command=f"httpdyno run {of.name}.toml",
            httpdyno_version=httpdyno,
            started_at=begun,
            facts=facts,
            folder=f"/results/{of.name}-{night}",
            study_document=study_document(of),
            servers_document=servers.model_dump_json(),
            project=home.project,
            study_folder=home.folder,
        )
    )
    rows = [trial_row(made) for made in _trials(of, night, rates, reasons, blocks)]
    with store.transaction() as connection:  # one, for speed; the program has one per trial
        if rows:
            connection.execute(insert(TRIALS), [{"run_id": run_id, **row} for row in rows])
    store.finish(run_id, begun + 60)
    return run_id


def _trials(
    of: Study, night: int, rates: Mapping[str, float], reasons: Sequence[Reason], blocks: int
) -> Iterator[TrialOutcome]:
    noise = random.Random(night)
    for trial in Plan(of).trials:
        server = trial.cell.arm.server
        if trial.block >= blocks or server not in rates:
            continue
        rate = rates[server] * noise.gauss(1, 0.004)
        is_open = trial.cell.point.rate_per_s is not None
        made = outcome(
            trial.index,
            trial.block,
            trial.cell.key,
            rate=500.0 if is_open else rate,
            p99_s=10 / rate,
            reasons=reasons,
            open_load=is_open,
        )
        began = FIRST + night * DAY_S
        at = {"started_at": began, "ended_at": began + 1}
        yield without_histogram(made).model_copy(update=at)


def without_histogram(made: TrialOutcome) -> TrialOutcome:
    """The trial without requests in its histogram, which the samples do not really have."""
    measured = made.measurement
    assert measured is not None
    response = measured.times.response.model_copy(update={"count": 0, "hdr": ""})
    times = measured.times.model_copy(update={"response": response})
    return made.model_copy(update={"measurement": measured.model_copy(update={"times": times})})


def nights(store: Store, of: Study, rates: Sequence[float]) -> list[int]:
    """A run per night: `alpha` has these rates, `beta` always 2,000/s."""
    return [
        store_run(store, of, night, rates={"alpha": rate, "beta": 2000.0})
        for night, rate in enumerate(rates)
    ]
