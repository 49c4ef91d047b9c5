"""Decides which rising offered rates the arms kept up with.

An arm kept up to the highest rate with which it kept up (`pace.py`), below the first at which it
fell behind. Rates of which the trials do not tell are unknown: neither kept nor failed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from httpdyno.result import CellRow, KeptUp
from httpdyno.statistics.pace import trials_kept


def kept_up(rows: Iterable[CellRow]) -> Iterator[KeptUp]:
    """The rates that each arm kept up with, for each load with offered rates."""
    found: dict[tuple[str, str], list[CellRow]] = {}
    for row in rows:
        if row.pace is not None:
            found.setdefault((row.arm, row.load), []).append(row)
    for (arm, load), cells in found.items():
        yield _of_arm(arm, load, cells)


def _of_arm(arm: str, load: str, cells: Sequence[CellRow]) -> KeptUp:
    paces = sorted((cell.rate_per_s or 0.0, cell.pace) for cell in cells)
    fell = next((rate for rate, pace in paces if pace == "fell behind"), None)
    below = [(rate, pace) for rate, pace in paces if fell is None or rate < fell]
    kept = [
        trials_kept(cell.trials)
        for cell in cells
        if cell.pace == "kept up" and _is_below(cell, fell)
    ]
    partly = [one for one in kept if one[0] < one[1]]
    fewest, of = min(partly, key=lambda one: one[0] / one[1], default=(None, None))
    return KeptUp(
        arm=arm,
        load=load,
        up_to_per_s=max((rate for rate, pace in below if pace == "kept up"), default=None),
        fell_behind_at_per_s=fell,
        unknown_at_per_s=[rate for rate, pace in below if pace != "kept up"],
        highest_per_s=paces[-1][0],
        kept_trials=fewest,
        of_trials=of,
    )


def _is_below(cell: CellRow, end: float | None) -> bool:
    return end is None or (cell.rate_per_s or 0.0) < end
