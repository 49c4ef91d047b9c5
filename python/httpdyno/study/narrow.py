"""A part of a study: fewer arms, fewer blocks, shorter loads."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from httpdyno.errors import UsageError
from httpdyno.study.model import ArmGroup, Study

QUICK_BLOCKS = 3
QUICK_S = 2.0
QUICK_WARM_UP_S = 0.5


def narrow(
    study: Study,
    *,
    only: Sequence[str] = (),
    blocks: int | None = None,
    seed: int | None = None,
    quick: bool = False,
) -> Study:
    """The study with only some arms (`tornado`, or `tornado/1-process`), or run in less time.

    `quick`: three blocks, at most 2 s a trial: to see whether a study works, not to publish.
    Raises UsageError for an arm that the study does not have.
    """
    changes: dict[str, object] = {}
    if only:
        changes["arms"] = _chosen(study, only)
    if quick:
        changes["blocks"] = min(study.blocks, QUICK_BLOCKS)
        changes["warm_up"] = min(study.warm_up, QUICK_WARM_UP_S)
        changes["loads"] = {
            name: load.model_copy(
                update={
                    "duration": load.duration and min(load.duration, QUICK_S),
                    "warm_up": load.warm_up and min(load.warm_up, QUICK_WARM_UP_S),
                }
            )
            for name, load in study.loads.items()
        }
    if blocks is not None:
        changes["blocks"] = blocks
    if seed is not None:
        changes["seed"] = seed
    return study.model_copy(update=changes)


def _chosen(study: Study, only: Sequence[str]) -> tuple[ArmGroup, ...]:
    known = [name for group in study.arms for name in _names(group)]
    unknown = [one for one in only if one not in known]
    if unknown:
        listed = ", ".join(f"`{name}`" for name in known)
        nearest = difflib.get_close_matches(unknown[0], known, n=1)
        raise UsageError(
            f"{', '.join(f'`{one}`' for one in unknown)} is not an arm of `{study.name}`:"
            f" expected {listed}",
            hint=f"did you mean `{nearest[0]}`?" if nearest else None,
        )
    chosen: list[ArmGroup] = []
    for group in study.arms:
        server = group.name or group.server
        kept = tuple(d for d in group.deployments if {server, f"{server}/{d}"} & set(only))
        if kept:
            chosen.append(group.model_copy(update={"deployments": kept}))
    return tuple(chosen)


def _names(group: ArmGroup) -> list[str]:
    server = group.name or group.server
    return [server, *(f"{server}/{deployment}" for deployment in group.deployments)]
