"""The largest size of a study, and the number of calls that a trial needs."""

from __future__ import annotations

from httpdyno.measurement import ENOUGH_CALLS
from httpdyno.study.model import Load, SessionsLoad, Study

MOST_CHARACTERS = 1_000_000
"""Maximum length of a study file; finding the lines of its keys takes about a second then."""
MOST_TRIALS = 50_000
"""About two days of the shortest trials."""
MOST_QUICK_S = 10.0


def trials(study: Study) -> int:
    """The number of trials of a study, its A/A control included; at most, if loads skip arms."""
    arms = sum(len(group.deployments) for group in study.arms) + study.aa_control
    return sum(
        (min(load.blocks or study.blocks, study.blocks) + follow_ups(load))
        * points(load)
        * (arms if load.arms is None else min(arms, len(load.arms) + study.aa_control))
        for load in study.loads.values()
    )


def too_many_trials(study: Study) -> str | None:
    """An error for a study that is too large to plan."""
    count = trials(study)
    if count <= MOST_TRIALS:
        return None
    return (
        f"the study has {count:,} trials: expected at most {MOST_TRIALS:,};"
        " use fewer `blocks`, arms or load points"
    )


def points(load: Load) -> int:
    """The number of points of a load."""
    if load.kind == "capacity":
        return 1
    return len(load.connections) if load.kind == "closed" else len(load.rate)


def follow_ups(load: Load) -> int:
    """The number of trials of a cell after its blocks: a capacity is confirmed and profiled."""
    return load.confirm + load.profile if load.kind == "capacity" else 0


def enough_s(load: Load) -> float:
    """Seconds that the slowest point of an open load needs for enough calls; 1 s of others.

    No trial under `--quick` takes longer than 10 s because of this.
    """
    if load.kind == "closed" or load.kind == "capacity":  # noqa: PLR1714 - for mypy
        return 1.0
    calls = load.calls if isinstance(load, SessionsLoad) else 1
    return min(MOST_QUICK_S, max(1.0, ENOUGH_CALLS / (min(load.rate) * calls)))
