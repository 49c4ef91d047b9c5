"""A first, short measurement of each arm, from which the rate for all of them is chosen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from httpdyno.comparison.loads import CONNECTIONS, full_speed, http_of, rate_for
from httpdyno.errors import TargetError
from httpdyno.plan import Plan
from httpdyno.running.live.events import Event, Events, Note, Stage
from httpdyno.running.machines.site import Site, this_machine
from httpdyno.running.measuring.trial import run_trial
from httpdyno.running.own import context_of
from httpdyno.running.prepare import Preparation, prepare
from httpdyno.servers import Catalogue
from httpdyno.study import ClosedLoad, Study
from httpdyno.units import counted, rate

PILOT_S = 1.0


def chosen_rate(
    study: Study,
    catalogue: Catalogue,
    folder: Path,
    events: Events,
    interrupted: Callable[[], bool],
    site: Site | None = None,
    calls: int | None = None,
) -> float:
    """The rate that every arm can hold: a share of the slowest one's throughput. `calls`: of a
    session; the rate is that of sessions then.

    Raises TargetError for an arm that cannot be measured: there is nothing to compare then.
    """
    changes = {"blocks": 1, "loads": full_speed(_connections(study), PILOT_S, http_of(study.loads))}
    short = Plan(study.model_copy(update=changes))
    prepared = require_all(short, catalogue, folder, events, site)
    found: dict[str, float] = {}
    for trial in short.trials:
        name = trial.cell.arm.name
        events.send(Stage(f"measuring {name} once, to choose a rate", "the server to stop"))
        outcome = run_trial(trial, prepared.arms[name], None, events)
        if interrupted():
            raise KeyboardInterrupt
        if outcome.measurement is None or not outcome.usable:
            why = "; ".join(reason.text for reason in outcome.reasons)
            hint = next((reason.hint for reason in outcome.reasons), None)
            raise TargetError(f"`{name}` cannot be measured: {why}", hint=hint)
        found[name] = outcome.measurement.throughput_per_s
    chosen = rate_for(found, calls)
    noun = "" if calls is None else " calls"
    listed = ", ".join(f"{name} {rate(per_s)}{noun}" for name, per_s in found.items())
    sessions = "" if calls is None else f" sessions of {counted(calls, 'call')}"
    events.note(f"rate for all: {rate(chosen)}{sessions} (at full speed: {listed})")
    return chosen


def require_all(
    plan: Plan,
    catalogue: Catalogue,
    folder: Path,
    events: Events,
    site: Site | None = None,
) -> Preparation:
    """Starts and checks each server once, on `site` (None: this machine).

    Raises TargetError for the first one that fails.
    """
    context = context_of(plan.study, "compare")
    where = site or this_machine()

    def send(event: Event) -> None:
        if not isinstance(event, Note):  # the study itself gives the notes
            events.send(event)

    return prepare(plan.arms, catalogue, folder, Events(send), context, site=where, needs_all=True)


def _connections(study: Study) -> int:
    closed = (load for load in study.loads.values() if isinstance(load, ClosedLoad))
    return next((load.connections[0] for load in closed), CONNECTIONS)
