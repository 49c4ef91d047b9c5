"""The result of a study from its trials: cells, comparisons, the answer. Pure and seeded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from httpdyno.outcome import CellKey, TrialOutcome
from httpdyno.plan import Arm, Cell, arms, baseline, baselines, cells
from httpdyno.result import (
    ArmInfo,
    CellRow,
    Comparison,
    ConformanceRow,
    Fact,
    FailureRow,
    LoadInfo,
    PublishedRow,
    Reason,
    StudyResult,
)
from httpdyno.statistics.answer import answer, speak
from httpdyno.statistics.compare import Metric, compare
from httpdyno.statistics.rows import Quantiles, by_block, cell_row, failure_reason
from httpdyno.study import SessionsLoad, Study
from httpdyno.study.abilities import Abilities
from httpdyno.study.model import describe
from httpdyno.study.own.arms import RUNNING

_COLUMN: dict[Metric, str] = {
    "throughput": "throughput_per_s",
    "p99": "p99_s",
    "server CPU per request": "server_cpu_s_per_request",
}


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
    abilities: Mapping[str, Abilities] = field(default_factory=dict)
    """Abilities of the servers, by arm."""


def summarise(
    study: Study, trials: Sequence[TrialOutcome], facts: RunFacts, quantiles: Quantiles
) -> StudyResult:
    """Everything that a report shows. The same input gives the same result, byte for byte.

    `quantiles` reads a histogram: (base64 HDR, shares) → nanoseconds.
    """
    declared, every = arms(study), cells(study, facts.abilities)
    first = baseline(study, declared)
    of_cell, failed = _by_cell(every, trials), _by_arm(facts)
    rows = {
        c.key: cell_row(c, of_cell[c.key], failed.get(c.arm.name, []), facts.seed, quantiles)
        for c in every
    }
    planned = _planned(study, every, failed)
    done = {(trial.block, trial.cell) for trial in trials}
    compared = list(_comparisons(every, rows, baselines(study, declared), facts.seed))
    return StudyResult(
        name=study.name,
        title=study.title,
        question=study.question or study.title,
        source=study.source,
        answer=answer(study, declared, first, rows, compared, facts.titles),
        command=facts.command,
        httpdyno_version=facts.httpdyno_version,
        seed=facts.seed,
        blocks_planned=study.blocks,
        blocks_done=sum(block <= done for block in planned),
        started_at=facts.started_at,
        ended_at=facts.ended_at,
        complete=all(block <= done for block in planned),
        machine=list(facts.machine),
        loads=[_load_info(study, name) for name in study.loads],
        arms=[_arm_info(arm, facts) for arm in declared],
        cells=list(rows.values()),
        comparisons=compared,
        published=list(facts.published),
        conformance=list(facts.conformance),
        failures=list(facts.failures),
        notes=[*study.notes, *_not_restarted(study), *_notes(declared, compared, rows)],
    )


def _by_cell(
    every: Sequence[Cell], trials: Sequence[TrialOutcome]
) -> dict[CellKey, list[TrialOutcome]]:
    """The trials of each cell, in the order in which they were run."""
    of_cell: dict[CellKey, list[TrialOutcome]] = {cell.key: [] for cell in every}
    for trial in sorted(trials, key=lambda one: one.index):
        of_cell.setdefault(trial.cell, []).append(trial)
    return of_cell


def _by_arm(facts: RunFacts) -> dict[str, list[Reason]]:
    """The reasons why arms have no trials."""
    failed: dict[str, list[Reason]] = {}
    for failure in facts.failures:
        failed.setdefault(failure.arm, []).append(failure_reason(failure, facts.command))
    return failed


def _comparisons(
    every: Sequence[Cell], rows: Mapping[CellKey, CellRow], firsts: Mapping[str, str], seed: int
) -> Iterator[Comparison]:
    """Every arm with the baseline of its workload, at every load point that both have."""
    for cell in every:
        name, load, point = cell.key
        first = firsts[cell.arm.workload]
        row, base = rows[cell.key], rows.get((first, load, point))
        if name == first or base is None:
            continue
        for metric in _metrics(row, base):
            column = _COLUMN[metric]
            yield compare(
                by_block(base, column),
                by_block(row, column),
                names=(first, name),
                at=(load, point),
                metric=metric,
                seed=f"{seed}:{cell.key}:{metric}",
            )


def _metrics(row: CellRow, base: CellRow) -> tuple[Metric, ...]:
    """Latency under a rate that both arms keep up with, else throughput.

    The latency of an overloaded server grows with the length of the run, so it is not compared.
    """
    kept_up = not any(r.code == "overload" for one in (row, base) for r in one.reasons)
    if row.rate_per_s is not None and kept_up:
        return ("p99", "server CPU per request")
    return ("throughput", "server CPU per request")


def _planned(
    study: Study, every: Sequence[Cell], failed: Mapping[str, object]
) -> list[set[tuple[int, CellKey]]]:
    """The cells to measure in each block: not refused, of an arm that could be started."""
    there = [cell for cell in every if cell.refused is None and cell.arm.name not in failed]
    return [
        {(block, cell.key) for cell in there if block < (cell.load.blocks or study.blocks)}
        for block in range(study.blocks)
    ]


def _load_info(study: Study, name: str) -> LoadInfo:
    load = study.loads[name]
    return LoadInfo(
        name=name,
        kind=load.kind,
        title=load.title or name,
        description=describe(load),
        as_published=any(row.load == name for row in study.published),
        calls_per_arrival=load.calls if isinstance(load, SessionsLoad) else 1,
    )


def _arm_info(arm: Arm, facts: RunFacts) -> ArmInfo:
    spoken = speak(arm, facts.titles)
    control = f"{spoken}, measured again under a second name (A/A control)"
    return ArmInfo(
        name=arm.name,
        server=arm.server,
        deployment=arm.deployment,
        workload=arm.workload,
        description=control if arm.control_of else spoken,
        version=facts.versions.get(arm.server, ""),
    )


def _not_restarted(study: Study) -> Iterator[str]:
    """What it means that some servers ran already."""
    names = [group.name or group.server for group in study.arms if group.own_kind == RUNNING]
    if names:
        yield (
            f"{', '.join(dict.fromkeys(names))}: already running, so it was not restarted between"
            " trials. Its intervals show how much repetitions differ, but not how much restarts of"
            " the server would: the true uncertainty may be larger. It was not pinned to its own"
            " CPUs. Its CPU time and memory are those of the process that listens at its address;"
            " they are left out if that process cannot be seen."
        )


def _notes(
    declared: Sequence[Arm], compared: Sequence[Comparison], rows: Mapping[CellKey, CellRow]
) -> Iterator[str]:
    """Caveats that apply to the whole result."""
    shared = sorted(
        {r.arm for r in rows.values() if any(x.code == "shared_cores" for x in r.reasons)}
    )
    if shared:
        yield (
            f"{', '.join(shared)}: the server and the load generator shared CPU cores, so these"
            " numbers are lower than with a core reserved for the generator."
        )
    for arm in (one for one in declared if one.control_of):
        pairs = [c for c in compared if c.arm == arm.name and c.outcome != "no result"]
        differ = [c for c in pairs if c.outcome in ("better", "worse")]
        if pairs:
            yield (
                f"A/A control: {arm.control_of} was measured twice, under two names."
                f" {len(differ)} of {len(pairs)} comparisons with itself showed a difference;"
                " about 1 in 20 does by chance."
            )
    if compared:
        yield "Each interval is a 95 % CI on its own: about 1 in 20 misses the true value."
