"""The canary: an old build that never changes, measured beside the others.

If it is not as fast as it was, the machine has changed. Its earlier runs are found by its name,
which contains a digest of the build, its commands and its load.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from httpdyno.comparison.arms.baseline import SavedArm, values
from httpdyno.comparison.arms.machine import differences
from httpdyno.comparison.arms.sides import Side
from httpdyno.comparison.words import relative
from httpdyno.dates import moment
from httpdyno.result import CellRow, Comparison, StudyResult
from httpdyno.statistics.claims.changes import interval, percent
from httpdyno.statistics.decide import Stability, decide_unchanged
from httpdyno.statistics.unpaired_comparison import compare_unpaired
from httpdyno.store import Store, summaries
from httpdyno.study import Load

State = Stability | Literal["first run", "no result"]


@dataclass(frozen=True)
class Canary:
    """The canary's throughput now, compared with its last run on this machine."""

    state: State
    text: str
    """The meaning, in one or two sentences."""
    comparison: Comparison | None = None


@dataclass(frozen=True)
class EarlierRun:
    """The canary's throughputs in one earlier run."""

    at: float
    throughputs: Sequence[float]


def canary_name(canary: Side, workload: str, load: Load) -> str:
    """The name under which its runs are stored: `canary 1a2b3c4d`."""
    texts = (canary.content, workload, load.model_dump_json())
    digest = hashlib.sha256("\0".join(texts).encode(errors="surrogateescape")).hexdigest()
    return f"canary {digest[:8]}"


def compare_canary(
    store: Store,
    result: StudyResult,
    place: tuple[str, str],
    margin: float,
    saved: SavedArm | None = None,
) -> Canary:
    """Compares the canary of a result, at its arm and load, with the run of the saved baseline if
    that has it, else with its last run on the same machine."""
    arm, load = place
    row = _cell(result, arm, load)
    now = [] if row is None else values(row, "throughput_per_s")
    if row is None or not now:
        return Canary("no result", f"No result for the {arm}: nothing says if the machine changed.")
    before = next(_earlier(store, result, row, saved), None)
    if before is None:
        return Canary(
            "first run",
            f"First run of the {arm} on this machine: the next comparison with it says if the"
            " machine has changed.",
        )
    names, at = (f"{arm} before", arm), (load, row.point)
    compared = compare_unpaired(before.throughputs, now, names=names, at=at, metric="throughput")
    return _judge(compared, moment(before.at), margin, together=saved is None)


def _earlier(
    store: Store, result: StudyResult, row: CellRow, saved: SavedArm | None
) -> Iterator[EarlierRun]:
    """Earlier runs of the canary on this machine under this load, the newest first."""
    there = saved and _cell(saved.result, row.arm, row.load)
    if saved is not None and there:
        yield EarlierRun(saved.result.started_at, values(there, "throughput_per_s"))
    for run in reversed(summaries(store)):
        earlier = run.origin is None and run.started_at < result.started_at
        if not earlier or row.arm not in run.arms or differences(run.facts, result.machine):
            continue
        found = [
            trial.measurement.throughput_per_s
            for trial in store.trials(run.id)
            if trial.cell == (row.arm, row.load, row.point) and trial.usable and trial.measurement
        ]
        if found:
            yield EarlierRun(run.started_at, found)


def _cell(result: StudyResult, arm: str, load: str) -> CellRow | None:
    return next((row for row in result.cells if (row.arm, row.load) == (arm, load)), None)


def _judge(compared: Comparison, date: str, margin: float, *, together: bool) -> Canary:
    """The canary's decision in words."""
    ratio, state = compared.ratio, decide_unchanged(margin, compared)
    if ratio is None or ratio.low is None:
        text = f"Too few restarts of the canary, now or on {date}, to say if the machine changed."
        return Canary(state, text, compared)
    within = percent(margin)
    seen = (
        f"the canary serves {relative('throughput', ratio.value, f'the same build on {date}')}"
        f" (95 % CI {interval('throughput', ratio)})"
    )
    if state == "cannot tell":
        text = f"Cannot tell if the machine has changed by {within} or more: {seen}."
    elif state == "as before":
        text = (
            f"The machine has not changed by {within} or more: {seen}. A difference between the"
            " arms is one of the servers."
        )
    elif together:
        text = (
            f"The machine has changed: {seen}. The arms of this comparison were measured together,"
            " so it holds; older numbers do not compare with it."
        )
    else:
        text = (
            f"The machine has changed: {seen}. So a difference from the saved baseline says nothing"
            " about the servers."
        )
    return Canary(state, text, compared)
