"""The rule by which a study stops once its intervals are narrow enough.

A study that stops when it likes what it sees would show intervals that are too narrow: the luckiest
of many looks. Its intervals are therefore those of a confidence sequence, which hold after every
block at once (`intervals.py`): Howard, Ramdas, McAuliffe and Sekhon, "Time-uniform, Nonparametric,
Nonasymptotic Confidence Sequences", Annals of Statistics 49 (2021).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from httpdyno.outcome import CellKey, TrialOutcome
from httpdyno.result import CellRow, Comparison, Estimate, Stopping
from httpdyno.study import Study
from httpdyno.study.precision import FEWEST_LOOKED_AT, plus_minus

_LEAST = 1e-6
"""Equal trials have an interval of rounding errors, narrower than this."""
_MOST = 10.0
"""An interval that is wider says nothing about its value."""
MOST_USEFUL_BLOCKS = 200
"""More blocks than these are not proposed: they are seven times the 30 at which `--until` gives up.
In a run that long machines drift, and then an interval no longer narrows with more blocks."""
WITH_TWO_MODES = 20
"""Blocks before which a study with two modes does not stop: fewer say little of how often each mode
occurs."""


@dataclass(frozen=True)
class Precision:
    """The precision of one interval: half its width, relative to its value."""

    share: float
    of: str
    trials: int
    """Trials, or pairs of trials, that the interval is of."""


def stopping(
    study: Study,
    rows: Mapping[CellKey, CellRow],
    compared: Sequence[Comparison],
    trials: Sequence[TrialOutcome],
    blocks_done: int,
) -> Stopping | None:
    """The study's rule, and what came of it; None for a study without one.

    It looks at whole blocks only: trials of a block that is not finished yet postpone it.
    """
    if study.until is None:
        return None
    found = list(_precisions(study, rows, compared, blocks_done))
    widest = max(found, key=lambda one: one.share, default=None)
    whole = all(trial.block < blocks_done for trial in trials)
    enough = widest is not None and widest.share <= study.until
    modes = _two_modes(study, rows, blocks_done)
    fewest = WITH_TWO_MODES if modes else FEWEST_LOOKED_AT
    stopped = whole and enough and fewest <= blocks_done < study.blocks
    held = modes if whole and enough and blocks_done < min(fewest, study.blocks) else None
    return Stopping(
        until=study.until,
        reached=widest.share if widest and math.isfinite(widest.share) else None,
        blocks=blocks_done,
        most_blocks=study.blocks,
        stopped=stopped,
        text=_text(study, widest, blocks_done, stopped=stopped) + _held_by_shape(held),
    )


def _precisions(
    study: Study,
    rows: Mapping[CellKey, CellRow],
    compared: Sequence[Comparison],
    blocks_done: int,
) -> Iterator[Precision]:
    """Of each comparison of throughput or p99; without any comparison, of each cell.

    Left out are what more blocks cannot improve: loads that have all their blocks, and arms
    without a single result.
    """
    open_ = _open(study, blocks_done)
    if compared:
        for one in compared:
            if one.load in open_ and one.metric != "server CPU per request" and one.dots:
                what = f"{one.arm} compared with {one.baseline} ({one.metric})"
                of, known = f"{what}, {one.load}, {one.point}", one.ratio
                yield Precision(_of_ratio(known), of, known.trials if known else 0)
        return
    for row in rows.values():
        estimate, what = row.throughput_per_s, "throughput"
        if row.pace == "kept up":
            estimate, what = row.p99_s, "p99"
        if row.capacity is not None:
            estimate, what = row.capacity.capacity_per_s, "capacity"
        if row.load in open_ and estimate is not None:
            of = f"{what} of {row.arm}, {row.load}, {row.point}"
            yield Precision(_of_value(estimate), of, estimate.trials)


def _open(study: Study, blocks_done: int) -> set[str]:
    """The loads that do not have all their blocks yet."""
    return {name for name, load in study.loads.items() if (load.blocks or math.inf) > blocks_done}


def _two_modes(study: Study, rows: Mapping[CellKey, CellRow], blocks_done: int) -> CellRow | None:
    """The first cell that more blocks would describe better: its trials may have two modes."""
    open_ = _open(study, blocks_done)
    found = (row for row in rows.values() if row.load in open_ and row.shape is not None)
    return next((row for row in found if row.shape and row.shape.kind != "drift"), None)


def _held_by_shape(row: CellRow | None) -> str:
    if row is None or row.shape is None:
        return ""
    return f" It goes on to block {WITH_TWO_MODES}, because of {row.arm}: {row.shape.text}."


def _of_ratio(ratio: Estimate | None) -> float:
    if ratio is None or not ratio.low or ratio.high is None:
        return math.inf
    return math.sqrt(ratio.high / ratio.low) - 1


def _of_value(found: Estimate) -> float:
    if found.low is None or found.high is None or found.value <= 0:
        return math.inf
    return (found.high - found.low) / 2 / found.value


def _text(study: Study, widest: Precision | None, blocks: int, *, stopped: bool) -> str:
    requested = plus_minus(study.until or 0)
    if widest is None:
        return f"The requested precision of {requested} was not reached: there is no interval yet."
    if not math.isfinite(widest.share):
        return (
            f"The requested precision of {requested} was not reached after {blocks} of at most"
            f" {study.blocks} blocks: {widest.of} has no interval yet."
        )
    known = _precision(widest.share)
    if stopped:
        return (
            f"Stopped after block {blocks} of at most {study.blocks}: the widest interval is"
            f" {known} (requested: {requested})."
        )
    if study.until is not None and widest.share <= study.until:
        return (
            f"The requested precision of {requested} was reached: the widest interval is {known}."
        )
    return (
        f"The requested precision of {requested} was not reached after {blocks} of at most"
        f" {study.blocks} blocks: the widest interval is {known} ({widest.of})."
        f" {_what_it_takes(study, widest)}"
    )


def _precision(share: float) -> str:
    """`±3.2 %`, or the limit beyond which it is."""
    if share < _LEAST:
        return f"below {plus_minus(_LEAST)}"
    return plus_minus(share) if share <= _MOST else f"more than {plus_minus(_MOST)}"


def _what_it_takes(study: Study, widest: Precision) -> str:
    needed, most = _blocks_needed(study, widest), max(MOST_USEFUL_BLOCKS, study.blocks)
    if needed <= most:
        return f"It would probably take about {needed:,} blocks."
    return (
        f"More blocks will not help: it would take more than {most:,}. Make the trials longer or"
        " the machine quieter, or request a lower precision."
    )


def _blocks_needed(study: Study, widest: Precision) -> int:
    """A guess: the width of an interval falls with the square root of the number of its trials."""
    needed = widest.trials * (widest.share / (study.until or math.inf)) ** 2
    return max(widest.trials + 1, round(needed / 5) * 5)
