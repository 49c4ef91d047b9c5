"""The canary: an old build that never changes, measured beside the others.

If it is not as fast as it was, the machine has changed. Its earlier runs are found by its name,
which contains a digest of the build, its commands and its load.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from httpdyno.comparison import words
from httpdyno.comparison.machine import differences
from httpdyno.comparison.sides import Side
from httpdyno.result import CellRow, Comparison, StudyResult
from httpdyno.statistics.unpaired import compare_unpaired
from httpdyno.store import Store, StoredRun
from httpdyno.study import Load
from httpdyno.units import significant

State = Literal["first run", "as before", "changed", "cannot tell", "no result"]


@dataclass(frozen=True)
class Canary:
    """The canary's throughput now, compared with its last run on this machine."""

    state: State
    text: str
    """What this means, in one or two sentences."""
    comparison: Comparison | None = None


def canary_name(canary: Side, workload: str, load: Load) -> str:
    """The name under which its runs are stored: `canary 1a2b3c4d`."""
    texts = (canary.content, workload, load.model_dump_json())
    digest = hashlib.sha256("\0".join(texts).encode(errors="surrogateescape")).hexdigest()
    return f"canary {digest[:8]}"


def canary_now(store: Store, result: StudyResult, arm: str, load: str, margin: float) -> Canary:
    """Compares the canary of a result with its last run on the same machine."""
    row = next((one for one in result.cells if (one.arm, one.load) == (arm, load)), None)
    now = [] if row is None else _throughputs(row)
    if row is None or not now:
        return Canary("no result", f"No result for the {arm}: nothing says if the machine changed.")
    runs = [
        run
        for run in store.runs_with_arm(arm)
        if run.started_at < result.started_at and not differences(run.facts, result.machine)
    ]
    for run in runs:
        before = _stored(store, run, row)
        if before:
            compared = _compared(before, now, row)
            return _judged(compared, run, margin)
    return Canary(
        "first run",
        f"First run of the {arm} on this machine: the next comparison with it says if the machine"
        " has changed.",
    )


def _throughputs(row: CellRow) -> list[float]:
    return [one.throughput_per_s for one in row.trials if one.throughput_per_s is not None]


def _stored(store: Store, run: StoredRun, row: CellRow) -> list[float]:
    """The throughputs of the same cell in an earlier run."""
    return [
        trial.measurement.throughput_per_s
        for trial in store.trials(run.id)
        if trial.cell == (row.arm, row.load, row.point)
        and trial.usable
        and trial.measurement is not None
    ]


def _compared(before: Sequence[float], now: Sequence[float], row: CellRow) -> Comparison:
    names, at = (f"{row.arm} before", row.arm), (row.load, row.point)
    return compare_unpaired(before, now, names=names, at=at, metric="throughput")


def _judged(compared: Comparison, run: StoredRun, margin: float) -> Canary:
    """Two margins, because a machine may have become slower or faster."""
    ratio, date = compared.ratio, f"{datetime.fromtimestamp(run.started_at, UTC):%Y-%m-%d %H:%M}"
    if ratio is None or ratio.low is None or ratio.high is None:
        text = f"Too few restarts of the canary, now or on {date} UTC, to say if the machine changed."
        return Canary("cannot tell", text, compared)
    seen = (
        f"the canary serves {words.change('throughput', ratio.value)} requests/s than on {date} UTC"
        f" (95 % CI {words.interval('throughput', ratio)})"
    )
    percent = f"{significant(margin * 100, 2)} %"
    if ratio.high < 1 - margin or ratio.low > 1 + margin:
        text = (
            f"The machine has changed: {seen}, and it is the same build. The arms of this comparison"
            " were measured together, so it holds; numbers from before do not compare with it."
        )
        return Canary("changed", text, compared)
    if ratio.low >= 1 - margin and ratio.high <= 1 + margin:
        text = (
            f"The machine has not changed by {percent} or more: {seen}. A difference between the"
            " arms is one of the servers."
        )
        return Canary("as before", text, compared)
    text = f"Cannot tell if the machine has changed by {percent} or more: {seen}."
    return Canary("cannot tell", text, compared)
