"""The study of a comparison: two arms, perhaps a canary, one workload."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from httpdyno.comparison.loads import WARM_UP_S, Loads
from httpdyno.comparison.sides import Side
from httpdyno.output.slugs import slug
from httpdyno.study import Study
from httpdyno.study.own.workload import Expected, OwnRequest, OwnWorkload

BLOCKS = 10


@dataclass(frozen=True)
class Work:
    """What is asked of the servers, by the name of its workload. `own`: it is not a built-in one."""

    name: str
    own: dict[str, OwnWorkload] = field(default_factory=dict)


def get_path(path: str, *, any_body: bool) -> Work:
    """A GET of this path. Every reply must have the body of the first one."""
    request = OwnRequest(path=path, expect=Expected(same=not any_body))
    name = f"GET {path}"[:80]
    return Work(name, {name: OwnWorkload(requests=(request,))})


def comparison_study(
    sides: Sequence[Side],
    work: Work,
    loads: Loads,
    *,
    blocks: int = BLOCKS,
    seed: int = 1,
    warm_up: float = WARM_UP_S,
) -> Study:
    """The study of these arms: the baseline, the changed one, perhaps a canary.

    With a saved baseline, the changed one is the first.
    """
    names = [side.name for side in sides]
    changed, baseline = names[min(1, len(names) - 1)], names[0]
    title = f"{changed} compared with {baseline}" if changed != baseline else changed
    return Study(
        title=title,
        question=f"Is {changed} slower?",
        workload=work.name,
        blocks=blocks,
        seed=seed,
        warm_up=warm_up,
        baseline=baseline,
        arms=tuple(side.arm for side in sides),
        loads=loads,
        workloads=work.own,
        name=slug("compare", title.replace(" compared with ", " with ")),
    )
