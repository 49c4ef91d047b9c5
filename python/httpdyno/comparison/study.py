"""The study of a comparison: its arms, one workload, its loads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from httpdyno.comparison.loads import Loads
from httpdyno.output.slugs import slug
from httpdyno.study import ArmGroup, Study
from httpdyno.study.own.workload import Expected, OwnRequest, OwnWorkload


@dataclass(frozen=True)
class Work:
    """The requests to the servers, by the name of their workload. `own`: unless it is built in."""

    name: str
    own: dict[str, OwnWorkload] = field(default_factory=dict)
    env_file: str | None = None
    """The file with variables of its headers and paths."""


def get_path(path: str, *, any_body: bool) -> Work:
    """A GET of this path. Every reply must have the body of the server's first one."""
    expect = Expected() if any_body else Expected(same=True)
    request = OwnRequest(path=path, expect=expect)
    name = f"GET {path}"[:80]
    return Work(name, {name: OwnWorkload(requests=(request,))})


def comparison_study(
    arms: Sequence[ArmGroup],
    names: tuple[str, str],
    work: Work,
    loads: Loads,
    *,
    blocks: int,
    seed: int,
    warm_up: float,
    folder: str = "",
) -> Study:
    """The study of these arms. `names`: of the baseline and of the changed arm; `folder`: the
    working folder."""
    baseline, changed = names
    return Study(
        title=f"{changed} compared with {baseline}",
        question=f"Is {changed} slower than {baseline}?",
        workload=work.name,
        blocks=blocks,
        seed=seed,
        warm_up=warm_up,
        arms=tuple(arms),
        loads=loads,
        workloads=work.own,
        env_file=work.env_file,
        name=slug("compare", changed, "with", baseline),
        folder=folder,
    )
