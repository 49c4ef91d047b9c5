"""Measures the remaining trials of a run: first the generator's ceilings, then trial by trial."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from httpdyno.plan import Cell, trials_s
from httpdyno.running.listener import Listener
from httpdyno.running.measuring.ceiling import (
    for_reference,
    measure_ceiling,
    shape,
    shape_title,
)
from httpdyno.running.measuring.trial import run_trial
from httpdyno.running.prepare import Preparation
from httpdyno.running.session import Session
from httpdyno.units import rate
from httpdyno.workloads import Workload


def measure(
    session: Session,
    prepared: Preparation,
    cpus: Sequence[int],
    listener: Listener,
    interrupted: Callable[[], bool],
) -> None:
    """Measures the remaining trials of the prepared arms; each is stored before the next begins.

    It ends before a new block once the study has its precision (`until`).

    Raises KeyboardInterrupt when it is interrupted: the trial or ceiling under way is not stored.
    """
    every = session.remaining()
    remaining = [trial for trial in every if trial.cell.arm.name in prepared.arms]
    stored = len(session.trials) - len(every)
    cells = [trial.cell for trial in remaining]
    ceilings = _ceilings(session, cells, prepared, cpus, listener, interrupted)
    for place, trial in enumerate(remaining):
        begins_block = place > 0 and trial.block > remaining[place - 1].block
        if begins_block and session.stopped_after() is not None:
            return
        number, of = stored + place + 1, stored + len(remaining)
        listener.trial_begins(trial, number, of, trials_s(remaining[place:]))
        ready = prepared.arms[trial.cell.arm.name]
        ceiling = ceilings.get(shape(trial.cell)) if ready.over_tcp else None
        outcome = run_trial(trial, ready, ceiling, listener)
        _stop_if(interrupted())
        session.store.record(session.run_id, outcome)
        listener.trial_ends(outcome)


def _ceilings(
    session: Session,
    cells: Sequence[Cell],
    prepared: Preparation,
    cpus: Sequence[int],
    listener: Listener,
    interrupted: Callable[[], bool],
) -> dict[str, float]:
    """The generator's ceiling for each load shape; measured once in a run.

    The reference server speaks no TLS, and plain TCP is no ceiling for a Unix socket: cells of such
    arms have none.
    """
    known = session.store.ceilings(session.run_id)
    over_tcp = [cell for cell in cells if prepared.arms[cell.arm.name].over_tcp]
    for name, cell in {shape(cell): cell for cell in over_tcp}.items():
        if name in known:
            continue
        title = shape_title(cell)
        listener.stage(f"measuring the generator's ceiling: {title}")
        reached = measure_ceiling(cell, _answered(cell, prepared), cpus)
        _stop_if(interrupted())
        if reached is None:
            listener.note(f"the generator's ceiling could not be measured: {title}")
            continue
        listener.note(f"generator ceiling on this machine: {rate(reached)} ({title})")
        session.store.record_ceiling(session.run_id, name, reached)
        known[name] = reached
    return known


def _answered(cell: Cell, prepared: Preparation) -> Workload:
    """The cell's workload as the reference server answers it."""
    lengths = prepared.reply_bytes.get(cell.arm.workload, [])
    return for_reference(prepared.arms[cell.arm.name].workload, lengths)


def _stop_if(interrupted: bool) -> None:
    if interrupted:
        raise KeyboardInterrupt
