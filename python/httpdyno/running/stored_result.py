"""The result of a run, from the store alone: whatever was stored can be reported."""

from __future__ import annotations

import re
from collections.abc import Sequence

from httpdyno import engine
from httpdyno.errors import UsageError
from httpdyno.outcome import TrialOutcome
from httpdyno.output.printable import printable
from httpdyno.plan import Plan
from httpdyno.result import DecisionRow, FailureRow, StudyResult
from httpdyno.running.documents import ServersDocument, servers_of, study_of
from httpdyno.running.languages import with_languages
from httpdyno.running.projects.named_study import known_names, named_study
from httpdyno.running.published_rows import published_rows
from httpdyno.statistics.summarise import RunFacts, summarise
from httpdyno.store import Store, StoredRun
from httpdyno.value import Value


class Conclusion(Value):
    """The answer of a comparison, in place of the one that a study has, and its decisions."""

    answer: str
    lead: str
    """Its first sentence."""
    decisions: list[DecisionRow]


def find_run(store: Store, name: str, *, or_file: bool = False) -> StoredRun:
    """The newest run of the study with this name or file, or the run with this number.

    Raises UsageError when there is none; its text names a results folder too if `or_file`.
    """
    shown = name.encode(errors="backslashreplace").decode()
    study = named_study(store, shown)
    run = None if study is None else store.newest_of(study.name, home=study.home)
    if run is None and re.fullmatch(r"[0-9]{1,18}", shown):
        run = store.run(int(shown))
    if run is None:
        known = known_names(store)
        given, folder = ("neither a file nor", ", or a results folder") if or_file else ("not", "")
        raise UsageError(
            f"`{shown}` is {given} a stored run: expected the number of a run, or a study that was"
            f" run ({known or 'none yet'}){folder}",
            hint="`httpdyno runs list` shows all runs" if known else "httpdyno run demo",
        )
    return run


def stored_result(store: Store, run: StoredRun) -> StudyResult:
    """The result of a run, finished or not; it ended with its last trial. That of a comparison has
    what the comparison concluded.

    Raises UsageError when its study is that of another httpdyno, EnvironmentFault when what is
    stored is damaged.
    """
    result = measured_result(store, run)
    if run.conclusion is None:
        return result
    return with_conclusion(result, store.read(Conclusion, run.conclusion, run.id, "the conclusion"))


def with_conclusion(result: StudyResult, conclusion: Conclusion) -> StudyResult:
    """The result with the conclusion of a comparison."""
    answer = {"answer": printable(conclusion.answer), "answer_lead": printable(conclusion.lead)}
    return result.model_copy(update={**answer, "decisions": conclusion.decisions})


def measured_result(store: Store, run: StoredRun) -> StudyResult:
    """The result of a run from its trials alone; raises as `stored_result`."""
    servers = servers_of(store, run)
    plan = Plan(study_of(run), servers.abilities)
    return result_of(run, plan, servers, store.trials(run.id), store.failures(run.id))


def result_of(
    run: StoredRun,
    plan: Plan,
    servers: ServersDocument,
    trials: Sequence[TrialOutcome],
    failures: Sequence[FailureRow],
) -> StudyResult:
    """The result of a run from its parts, wherever they are stored."""
    facts = RunFacts(
        command=run.command,
        httpdyno_version=run.httpdyno_version,
        seed=run.seed,
        started_at=run.started_at,
        ended_at=max((trial.ended_at for trial in trials), default=run.started_at),
        machine=run.facts,
        failures=failures,
        titles=servers.titles,
        versions=servers.versions,
        published=published_rows(plan.study),
        conformance=servers.conformance,
        machines=servers.machines,
        paths=servers.paths,
        project=run.project,
    )
    return with_languages(summarise(plan, trials, facts, engine.quantiles))
