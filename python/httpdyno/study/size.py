"""The largest size of a study."""

from __future__ import annotations

from httpdyno.study.model import Study

MOST_CHARACTERS = 1_000_000
"""Maximum length of a study file; finding the lines of its keys takes about a second then."""
MOST_TRIALS = 50_000
"""About two days of the shortest trials."""


def trials(study: Study) -> int:
    """The number of trials of a study, its A/A control included; at most, if loads skip arms."""
    arms = sum(len(group.deployments) for group in study.arms) + study.aa_control
    return sum(
        (min(load.blocks or study.blocks, study.blocks) + len(load.follow_ups()))
        * len(load.points())
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
