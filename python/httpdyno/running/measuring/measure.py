"""Measures the remaining trials of a run: first the generator's ceilings, then trial by trial."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from time import monotonic

from httpdyno.doubts.ceiling import BUSY
from httpdyno.outcome import TrialOutcome
from httpdyno.plan import Cell, Trial
from httpdyno.running.live.events import Events, Stage, TrialBegins, TrialEnds
from httpdyno.running.machines.site import Site
from httpdyno.running.measuring.capacity.trial import run_capacity_trial
from httpdyno.running.measuring.ceiling import (
    Ceiling,
    for_reference,
    measure_ceiling,
    shape,
    shape_title,
)
from httpdyno.running.measuring.time_estimate import TimeEstimate
from httpdyno.running.measuring.trial import NODE_LOST, run_trial
from httpdyno.running.measuring.wire import wire_per_s
from httpdyno.running.prepare import Preparation
from httpdyno.running.session import Session
from httpdyno.servers.check.session import without_kept
from httpdyno.units import rate
from httpdyno.workloads import Workload


def measure(
    session: Session,
    every: Sequence[Trial],
    prepared: Preparation,
    site: Site,
    events: Events,
    interrupted: Callable[[], bool],
) -> None:
    """Measures those of the remaining trials whose arms are prepared, each stored before the next.

    It ends before a new block once the study has its precision (`until`).

    Raises KeyboardInterrupt when it is interrupted: the trial or ceiling under way is not stored;
    NodeFault when a lost machine does not come back.
    """
    remaining = [trial for trial in every if trial.cell.arm.name in prepared.arms]
    stored = session.count_stored(every)
    cells = [trial.cell for trial in remaining]
    _tell_wire(prepared, site, events)
    ceilings = _ceilings(session, cells, prepared, site, events, interrupted)
    done = _earlier_walks(session) if any(trial.task != "measure" for trial in remaining) else []
    stopped, estimate = False, TimeEstimate(events.note)
    for place, trial in enumerate(remaining):
        begins_block = place > 0 and trial.block > remaining[place - 1].block
        stopped = stopped or (begins_block and session.stopped_after() is not None)
        if stopped and not trial.follows:
            continue
        number, of = stored + place + 1, stored + len(remaining)
        left = remaining[place:]
        estimate.learn(done)
        events.send(_begins(trial, number, of, estimate.left_s(left)))
        began_s = monotonic()
        ready = prepared.arms[trial.cell.arm.name]
        ceiling = ceilings.get(shape(trial.cell)) if ready.over_tcp else None
        if trial.task == "measure":
            outcome = run_trial(trial, ready, ceiling, events)
        else:
            earlier = [one for one in done if one.cell == trial.cell.key]
            near = partial(estimate.near_in_first, left)
            outcome = run_capacity_trial(trial, ready, ceiling, events, earlier, near)
        estimate.took(trial, monotonic() - began_s)
        _stop_if(interrupted())
        session.store.record(session.run_id, outcome)
        done += [outcome] if outcome.walk is not None else []
        events.send(TrialEnds(outcome))
        if any(reason.code == NODE_LOST for reason in outcome.reasons):
            site.wait_until_whole(events.note)


def _begins(trial: Trial, number: int, of: int, left_s: float) -> TrialBegins:
    only_point = len(trial.cell.load.points()) == 1
    return TrialBegins(
        number, of, left_s, *trial.cell.key, trial.block, trial.task, only_point=only_point
    )


def _tell_wire(prepared: Preparation, site: Site, events: Events) -> None:
    """Says how many requests of each workload the network carries, where its speed is known."""
    if not site.paths:
        return
    workloads = {one.arm.workload: one.workload.sample for one in prepared.arms.values()}
    for name, lengths in prepared.reply_bytes.items():
        if name not in workloads:
            continue
        most = wire_per_s(site.paths, without_kept(workloads[name]), lengths)
        if most is not None:
            events.note(f"the network carries at most about {rate(most)} of `{name}`")


def _earlier_walks(session: Session) -> list[TrialOutcome]:
    """The stored trials of capacity loads: each begins where the earlier ones ended."""
    return [one for one in session.store.trials(session.run_id) if one.walk is not None]


def _ceilings(
    session: Session,
    cells: Sequence[Cell],
    prepared: Preparation,
    site: Site,
    events: Events,
    interrupted: Callable[[], bool],
) -> dict[str, Ceiling]:
    """The generator's ceiling for each load shape; measured once in a run. A lower bound is not
    stored: a resumed run measures it again.

    The reference server speaks no TLS, and plain TCP is no ceiling for a Unix socket: cells of such
    arms have none.
    """
    stored = session.store.ceilings(session.run_id)
    known = {name: Ceiling(per_s) for name, per_s in stored.items()}
    over_tcp = [cell for cell in cells if prepared.arms[cell.arm.name].over_tcp]
    for name, cell in longest(over_tcp).items():
        if name in known:
            continue
        title = shape_title(cell)
        events.send(Stage(f"measuring the generator's ceiling: {title}"))
        reached = measure_ceiling(cell, _reference_workload(cell, prepared), site)
        _stop_if(interrupted())
        if reached is None:
            events.note(f"the generator's ceiling could not be measured: {title}")
            continue
        where = "of the load generators together" if site.machines else "on this machine"
        least, busy = ("at least ", f"{BUSY}; ") if reached.is_bound else ("", "")
        events.note(f"generator ceiling {where}: {least}{rate(reached.per_s)} ({busy}{title})")
        if not reached.is_bound:
            session.store.record_ceiling(session.run_id, name, reached.per_s)
        known[name] = reached
    return known


def longest(cells: Sequence[Cell]) -> dict[str, Cell]:
    """The cell of each load shape whose ceiling is measured for longest."""
    found: dict[str, Cell] = {}
    for cell in cells:
        name = shape(cell)
        if name not in found or found[name].ceiling_s < cell.ceiling_s:
            found[name] = cell
    return found


def _reference_workload(cell: Cell, prepared: Preparation) -> Workload:
    """The cell's workload as the reference server answers it."""
    lengths = prepared.reply_bytes.get(cell.arm.workload, [])
    return for_reference(prepared.arms[cell.arm.name].workload.sample, lengths)


def _stop_if(interrupted: bool) -> None:
    if interrupted:
        raise KeyboardInterrupt
