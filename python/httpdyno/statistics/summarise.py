"""The result of a study from its trials: cells, comparisons, the answer. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from httpdyno.measurement import Quantiles
from httpdyno.outcome import CellKey, TrialOutcome
from httpdyno.plan import Arm, Cell, Plan
from httpdyno.result import (
    ArmInfo,
    CellRow,
    Comparison,
    ConformanceRow,
    Fact,
    FailureRow,
    LoadInfo,
    MachineRow,
    PathRow,
    PublishedRow,
    Reason,
    Stopping,
    StudyResult,
    verb_of,
)
from httpdyno.statistics.capacity.rows import climbs, with_capacity, with_cores
from httpdyno.statistics.claims.answer import answer, speak
from httpdyno.statistics.claims.family import claims
from httpdyno.statistics.few_connections import with_few_connections
from httpdyno.statistics.loads import note_on_published
from httpdyno.statistics.rows import cell_row, failure_reason
from httpdyno.statistics.stopping import stopping
from httpdyno.study import AnyLoad, Study
from httpdyno.study.own.arms import RUNNING
from httpdyno.units import counted

_ONE_RUNS = (
    "already running, so it was not restarted between trials. Its intervals show how much"
    " repetitions differ, but not how much restarts of the server would: the true uncertainty may"
    " be larger. It was not pinned to its own CPUs. Its CPU time and memory are those of the"
    " process that listens at its address; they are left out if that process cannot be seen."
)
_SEVERAL_RUN = (
    "already running, so they were not restarted between trials. Their intervals show how much"
    " repetitions differ, but not how much restarts of the servers would: the true uncertainty may"
    " be larger. They were not pinned to CPUs of their own. Their CPU time and memory are those of"
    " the processes that listen at their addresses; they are left out if a process cannot be seen."
)


@dataclass(frozen=True)
class RunFacts:
    """Facts about the run that a result comes from."""

    command: str
    httpdyno_version: str
    seed: int
    started_at: float
    ended_at: float
    machine: Sequence[Fact]
    failures: Sequence[FailureRow]
    """Arms that could not be measured."""
    titles: Mapping[str, str]
    """A server's title by its name."""
    versions: Mapping[str, str]
    """Versions of the installed servers, by name."""
    published: Sequence[PublishedRow] = ()
    """The published numbers with the verdicts on their logs."""
    conformance: Sequence[ConformanceRow] = ()
    """HTTP conformance of the servers that were checked."""
    machines: Sequence[MachineRow] = ()
    """The machines of a run on several."""
    paths: Sequence[PathRow] = ()
    """The paths between them."""
    project: str = ""
    """A digest of the project that the study belongs to; empty: it is built in."""

    @property
    def verb(self) -> str:
        """The verb of its command: `run`."""
        return verb_of(self.command)


def summarise(
    plan: Plan, trials: Sequence[TrialOutcome], facts: RunFacts, quantiles: Quantiles
) -> StudyResult:
    """Everything that a report shows. The same input gives the same result, byte for byte.

    `quantiles` reads a histogram: (base64 HDR, shares) → nanoseconds.
    """
    study, failed = plan.study, _by_arm(plan, facts)
    rows = _rows(plan, trials, facts.verb, failed, quantiles)
    lacking = _lacking(plan, trials, failed)
    blocks_done = study.blocks - len({block for block in lacking if block < study.blocks})
    found = claims(plan, rows, apart=facts.verb == "compare")
    compared = found.comparisons
    in_blocks = [trial for trial in trials if trial.block < study.blocks]
    stop = stopping(study, rows, compared, in_blocks, blocks_done)
    answered = answer(plan, rows, found, facts.titles)
    enough = blocks_done == study.blocks or (stop is not None and stop.stopped)
    return StudyResult(
        name=study.name,
        title=study.title,
        question=study.question or study.title,
        source=study.source,
        answer=answered.text,
        answer_lead=answered.lead,
        answer_load=answered.load,
        answer_point=answered.point,
        command=facts.command,
        httpdyno_version=facts.httpdyno_version,
        seed=facts.seed,
        blocks_planned=study.blocks,
        blocks_done=blocks_done,
        started_at=facts.started_at,
        ended_at=facts.ended_at,
        complete=enough and all(block < study.blocks for block in lacking),
        machine=list(facts.machine),
        machines=list(facts.machines),
        paths=list(facts.paths),
        loads=[_load_info(plan, name, trials) for name in study.loads],
        arms=[_arm_info(study, arm, facts) for arm in plan.arms],
        cells=list(rows.values()),
        comparisons=compared,
        endpoint_comparisons=list(found.endpoints),
        protocols=list(found.protocols),
        published=list(facts.published),
        conformance=list(facts.conformance),
        failures=list(facts.failures),
        notes=[
            *study.notes,
            *_not_restarted(study),
            *_with_database(trials),
            *_notes(plan.arms, compared, rows, stop),
        ],
        rankings=found.rankings,
        kept_up=found.kept_up,
        stopping=stop,
    )


def _rows(
    plan: Plan,
    trials: Sequence[TrialOutcome],
    verb: str,
    failed: Mapping[str, Sequence[Reason]],
    quantiles: Quantiles,
) -> dict[CellKey, CellRow]:
    """Each cell from its trials, with its capacity, its cores and the doubts about both."""
    rows, of_cell = {}, _by_cell(plan.cells, trials)
    for cell in plan.cells:
        outcomes, reasons = of_cell[cell.key], failed.get(cell.arm.name, [])
        rows[cell.key] = with_capacity(
            cell_row(cell, climbs(outcomes), reasons, quantiles, sequential=plan.sequential),
            cell,
            outcomes,
            sequential=plan.sequential,
            by_flags=verb == "capacity",
            calls_per_session=plan.study.calls_of_session(cell.arm.workload) or 1,
        )
    return with_few_connections(
        with_cores(rows, plan.cells), plan.cells, by_flags=verb == "compare"
    )


def _by_cell(
    every: Sequence[Cell], trials: Sequence[TrialOutcome]
) -> dict[CellKey, list[TrialOutcome]]:
    """The trials of each cell, in the order in which they were run."""
    of_cell: dict[CellKey, list[TrialOutcome]] = {cell.key: [] for cell in every}
    for trial in sorted(trials, key=lambda one: one.index):
        of_cell.setdefault(trial.cell, []).append(trial)
    return of_cell


def _by_arm(plan: Plan, facts: RunFacts) -> dict[str, list[Reason]]:
    """The reasons why arms have no trials."""
    # `capacity` and `compare` write their studies themselves.
    of_user = plan.study.workloads if facts.verb == "run" else {}
    in_study = {arm.name for arm in plan.arms if arm.workload in of_user}
    failed: dict[str, list[Reason]] = {}
    for failure in facts.failures:
        reason = failure_reason(failure, facts.command, in_study=failure.arm in in_study)
        failed.setdefault(failure.arm, []).append(reason)
    return failed


def _lacking(plan: Plan, trials: Sequence[TrialOutcome], failed: Mapping[str, object]) -> set[int]:
    """The blocks, and the rounds after them, of which a trial is still to be measured: none of an
    arm that could not be started."""
    done = {(trial.block, trial.cell) for trial in trials}
    there = (trial for trial in plan.measured if trial.cell.arm.name not in failed)
    return {trial.block for trial in there if (trial.block, trial.cell.key) not in done}


def _load_info(plan: Plan, name: str, trials: Sequence[TrialOutcome]) -> LoadInfo:
    load, as_published = plan.study.loads[name], name in plan.published_loads
    own = [trial for trial in trials if trial.load == name]
    return LoadInfo(
        name=name,
        kind=load.kind,
        title=load.title or name,
        description=load.in_words(),
        as_published=as_published,
        note=note_on_published(own) if as_published else "",
        calls_per_arrival=load.calls_per_arrival,
        declared=_declared_keys(plan.study, load),
    )


def _declared_keys(study: Study, load: AnyLoad) -> dict[str, Any]:
    """The keys of a load with what it takes from its study: enough to measure it again."""
    keys: dict[str, Any] = load.model_dump(mode="json", exclude_defaults=True)
    return {"kind": load.kind, **keys, "warm_up": study.warm_up_of(load)}


def _arm_info(study: Study, arm: Arm, facts: RunFacts) -> ArmInfo:
    spoken = speak(arm, facts.titles)
    control = f"{spoken}, measured again under a second name (A/A control)"
    return ArmInfo(
        name=arm.name,
        server=arm.server,
        deployment=arm.deployment,
        workload=arm.workload,
        description=control if arm.control_of else spoken,
        version=facts.versions.get(arm.server, ""),
        restarted=not (arm.alone and arm.deployment == RUNNING),
        own_key=_own_key(study, arm, facts.project) if arm.alone else "",
        pauses=own.pauses if (own := study.workloads.get(arm.workload)) else [],
    )


def _own_key(study: Study, arm: Arm, project: str) -> str:
    start = study.start_of(arm.server)
    identity = (project, *(start.get(label, "") for label in ("command", "folder", "address")))
    return sha256("\0".join(identity).encode(errors="surrogateescape")).hexdigest()[:8]


def _not_restarted(study: Study) -> Iterator[str]:
    """The consequences for the numbers if some servers ran already."""
    running = [group.title for group in study.arms if group.own_kind == RUNNING]
    names = list(dict.fromkeys(running))
    if names:
        yield f"{', '.join(names)}: {_ONE_RUNS if len(names) == 1 else _SEVERAL_RUN}"


def _with_database(trials: Sequence[TrialOutcome]) -> Iterator[str]:
    """The databases on the processors of the server."""
    used = (trial.database for trial in trials)
    for name in dict.fromkeys(use.name for use in used if use is not None and use.shares_server):
        yield (
            f"The server and the database `{name}` shared CPU cores: throughput and response times"
            " are those of both together, and the CPU time of each is counted apart. Compare them"
            " only with results measured the same way."
        )


def _notes(
    declared: Sequence[Arm],
    compared: Sequence[Comparison],
    rows: Mapping[CellKey, CellRow],
    stop: Stopping | None,
) -> Iterator[str]:
    """Caveats that apply to the whole result."""
    shared = sorted(
        {r.arm for r in rows.values() if any(x.code == "shared_cores" for x in r.reasons)}
    )
    if shared:
        yield (
            f"{', '.join(shared)}: the server and the load generator shared CPU cores. With a core"
            " reserved for the generator, throughput may be higher and times lower."
        )
    for row in rows.values():
        if row.shape is not None:
            yield f"{row.arm}, {row.load}, {row.point}: {row.shape.text}."
    for arm in (one for one in declared if one.control_of):
        pairs = [c for c in compared if c.arm == arm.name and c.outcome != "no result"]
        differ = [c for c in pairs if c.outcome in ("better", "worse")]
        if pairs:
            yield (
                f"A/A control: {arm.control_of} was measured twice, under two names."
                f" {len(differ)} of {counted(len(pairs), 'comparison')} with itself showed a"
                " difference; at most 1 study in 20 shows one by chance."
            )
    yield from _about_intervals(compared, stop)


def _about_intervals(compared: Sequence[Comparison], stop: Stopping | None) -> Iterator[str]:
    """The guarantees that the intervals of the ratios give; nothing where there is none."""
    sure = [one for one in compared if one.ratio is not None and one.ratio.low is not None]
    most = max((one.adjusted_with for one in sure), default=0)
    if most > 1:
        yield (
            f"{most} decisions about differences between arms were made together (Holm): at most 1"
            " report in 20 claims a difference that is not there. Each interval of a ratio is a"
            " 95 % CI or wider, at the level of its decision."
        )
    elif most:
        yield "Each interval is a 95 % CI on its own: about 1 in 20 misses the true value."
    if stop is not None:
        yield stop.text
        yield (
            "All intervals hold after every block at once, so they are valid although the study"
            " chose when to stop."
        )
