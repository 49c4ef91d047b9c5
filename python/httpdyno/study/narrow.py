"""A part of a study: fewer arms, fewer blocks, shorter loads."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Sequence

from httpdyno.errors import UsageError
from httpdyno.study.loads import AnyLoad
from httpdyno.study.model import ArmGroup, Quick, QuickLoad, Study
from httpdyno.study.names import MOST_LISTED
from httpdyno.study.precision import MOST_BLOCKS, too_few_blocks
from httpdyno.study.size import too_many_trials


def narrow(
    study: Study,
    *,
    only: Sequence[str] = (),
    blocks: int | None = None,
    seed: int | None = None,
    until: float | None = None,
    quick: bool = False,
) -> Study:
    """The study with only some arms (`tornado`, `tornado/1-process`, or a group of arms), or run in
    less time.

    `quick`: few blocks and short trials, to see if a study works. `[quick]` of the study has the
    limits. Without one, a trial takes 2 s, or as long as enough calls need.
    `until`: stop at this precision; without `blocks`, after 30 blocks at most, or the study's own.
    Raises UsageError for an arm that the study does not have, and for too many trials.
    """
    changes: dict[str, object] = {}
    if only:
        changes["arms"] = _choose(study, only)
        changes["narrowed_from_several"] = study.names_workloads
    if quick:
        changes |= _quick(study)
    if until is not None:
        changes |= {"until": until, "blocks": max(study.blocks, MOST_BLOCKS)}
    if blocks is not None:
        changes["blocks"] = blocks
    if seed is not None:
        changes["seed"] = seed
    narrowed = study.model_copy(update=changes)
    if (too_many := too_many_trials(narrowed)) is not None:
        raise UsageError(too_many)
    if (too_few := too_few_blocks(narrowed.until, narrowed.blocks)) is not None:
        raise UsageError(too_few)
    return narrowed


def _quick(study: Study) -> dict[str, object]:
    quick = study.quick
    enough = "duration" not in quick.model_fields_set
    skipped = {name for name, load in quick.loads.items() if load.skip}
    return {
        "blocks": min(study.blocks, quick.blocks),
        "until": None,
        "warm_up": min(study.warm_up, quick.warm_up),
        "loads": {
            name: _shorter(load, quick, quick.loads.get(name, QuickLoad()), enough=enough)
            for name, load in study.loads.items()
            if name not in skipped
        },
    }


def _shorter(load: AnyLoad, quick: Quick, own: QuickLoad, *, enough: bool) -> AnyLoad:
    """A load in less time; its own table takes precedence over the general limits."""
    warm_up = None if load.warm_up is None else min(load.warm_up, quick.warm_up)
    own_keys = own.model_dump(exclude={"skip"}, exclude_none=True)
    changed = load.model_copy(update=own_keys)
    most = max(quick.duration, changed.enough_s) if enough else quick.duration
    shorter = None if load.duration is None else min(load.duration, most)
    shortened = changed.shorten()
    return shortened.model_copy(update={"warm_up": warm_up, "duration": own.duration or shorter})


def _choose(study: Study, only: Sequence[str]) -> tuple[ArmGroup, ...]:
    known = list(dict.fromkeys(name for group in study.arms for name in _names(group, study)))
    wanted = [one for given in only for one in _names_of(given, known)]
    unknown = [one for one in wanted if one not in known]
    if unknown:
        listed = ", ".join(f"`{name}`" for name in known[:MOST_LISTED])
        many = f"one of {len(known)}, such as " if len(known) > MOST_LISTED else ""
        nearest = difflib.get_close_matches(unknown[0], known, n=1)
        raise UsageError(
            f"{', '.join(f'`{one}`' for one in unknown)} is not an arm of `{study.name}`:"
            f" expected {many}{listed}",
            hint=f"did you mean `{nearest[0]}`?" if nearest else None,
        )
    chosen: list[ArmGroup] = []
    for group in study.arms:
        kept = tuple(
            deployment
            for deployment in group.deployments
            if set(_names(group, study, deployment)) & set(wanted)
        )
        if kept:
            chosen.append(group.model_copy(update={"deployments": kept}))
    return tuple(chosen)


def _names_of(given: str, known: Collection[str]) -> list[str]:
    """The names in `a,b`. The name of an arm may itself have a comma."""
    return [given] if given in known else [name.strip() for name in given.split(",")]


def _names(group: ArmGroup, study: Study, deployment: str | None = None) -> list[str]:
    """The names under which `--only` finds the arms of a group, or one of them."""
    named = group.deployments if deployment is None else [deployment]
    workloads = [None, *([study.workload_of(group)] if study.names_workloads else [])]
    arms = [group.arm_name(one, workload) for workload in workloads for one in named]
    return list(dict.fromkeys([*([group.group] if group.group else []), group.title, *arms]))
