"""The expected time of a comparison, before anything is copied, built or measured."""

from __future__ import annotations

from httpdyno.comparison.loads import Loads, http_of, same_rate
from httpdyno.comparison.pilot import PILOT_S
from httpdyno.comparison.specification import ArmSpecification, Specification
from httpdyno.comparison.study import comparison_keys, comparison_study
from httpdyno.plan import Plan, total_s
from httpdyno.servers import load_catalogue
from httpdyno.study.abilities import START_AND_STOP_S
from httpdyno.study.loads.shape import GUESSED_RATE
from httpdyno.units import roughly


def estimate(spec: Specification) -> str:
    """`comparing my-branch with main: 10 restarts of each, 40 trials, about 4 min`."""
    loads: Loads = dict(spec.loads)
    first_s = 0.0
    if spec.paced_s is not None:
        calls = spec.work.calls
        rate = GUESSED_RATE / (calls or 1)
        loads |= same_rate(rate, spec.paced_s, http_of(spec.loads), calls)
        each_s = 2 * START_AND_STOP_S + spec.warm_up + PILOT_S
        first_s = each_s * len(spec.arms)
    arms = [{"name": f"arm {number}", "start": "unknown"} for number in range(len(spec.arms))]
    names = ("A", "B")
    keys = comparison_keys(
        arms,
        names,
        spec.work,
        loads,
        blocks=spec.blocks,
        seed=spec.seed,
        warm_up=spec.warm_up,
    )
    trials = Plan(comparison_study(keys, names, load_catalogue())).trials
    baseline = spec.saved.arm if spec.saved is not None else spec.arms[0].name
    length = roughly(first_s + total_s(trials))
    blocks = f"{spec.blocks} block{'s' if spec.blocks != 1 else ''}"
    builds = " after the builds" if any(map(_is_built, spec.arms)) else ""
    return (
        f"comparing {spec.changed.name} with {baseline}: {blocks},"
        f" {len(trials):,} trials, about {length}{builds}"
    )


def _is_built(arm: ArmSpecification) -> bool:
    return arm.subject.kind in ("file", "arm") or bool(arm.commands.build)
