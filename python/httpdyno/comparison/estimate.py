"""The expected time of a comparison, before anything is copied, built or measured."""

from __future__ import annotations

from httpdyno.comparison.loads import Loads, same_rate
from httpdyno.comparison.pilot import PILOT_S
from httpdyno.comparison.study import comparison_study
from httpdyno.comparison.wanted import Named, Wanted
from httpdyno.plan import plan, total_s
from httpdyno.study import ArmGroup
from httpdyno.study.abilities import START_AND_STOP_S
from httpdyno.study.loads.shape import GUESSED_RATE
from httpdyno.units import roughly


def estimate(wanted: Wanted) -> str:
    """`comparing my-branch with main: 10 restarts of each, 40 trials, about 4 min`."""
    loads: Loads = dict(wanted.loads)
    first_s = 0.0
    if wanted.paced_s is not None:
        loads |= same_rate(GUESSED_RATE, wanted.paced_s)
        each_s = 2 * START_AND_STOP_S + wanted.warm_up + PILOT_S
        first_s = each_s * len(wanted.arms)
    arms = [
        ArmGroup.model_validate({"name": f"arm {number}", "start": "unknown"})
        for number in range(len(wanted.arms))
    ]
    study = comparison_study(
        arms,
        ("A", "B"),
        wanted.work,
        loads,
        blocks=wanted.blocks,
        seed=wanted.seed,
        warm_up=wanted.warm_up,
    )
    trials = plan(study, study.seed)
    baseline = wanted.saved.arm if wanted.saved is not None else wanted.arms[0].name
    length = roughly(first_s + total_s(trials))
    blocks = f"{wanted.blocks} block{'s' if wanted.blocks != 1 else ''}"
    builds = " after the builds" if any(map(_is_built, wanted.arms)) else ""
    return (
        f"comparing {wanted.changed.name} with {baseline}: {blocks},"
        f" {len(trials):,} trials, about {length}{builds}"
    )


def _is_built(arm: Named) -> bool:
    return arm.subject.kind in ("file", "arm") or bool(arm.commands.build)
