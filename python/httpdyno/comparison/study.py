"""The study of a comparison: its arms, one workload, its loads."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from httpdyno.comparison.loads import Loads
from httpdyno.output.slugs import slug
from httpdyno.running.documents import without_credentials
from httpdyno.study import ArmGroup, Study
from httpdyno.study.own.workload import Expected, OwnRequest, OwnWorkload


@dataclass(frozen=True)
class Work:
    """The requests to the servers, by the name of their workload. `own`: unless it is built in."""

    name: str
    own: dict[str, OwnWorkload] = field(default_factory=dict)


def get_path(path: str, *, any_body: bool) -> Work:
    """A GET of this path. Every reply must have the body of the server's first one."""
    request = OwnRequest(path=path, expect=Expected(same=not any_body))
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
        name=slug("compare", changed, "with", baseline),
        folder=folder,
    )


def study_toml(study: Study) -> str:
    """The study as a file for `httpdyno run`, a line for each of its keys, without credentials."""
    values = without_credentials(study.model_dump(mode="json", exclude_defaults=True))
    for arm, group in zip(values["arms"], study.arms, strict=True):
        if group.own_kind is not None:
            del arm["server"], arm["deployments"]
    return "".join(f"{key} = {_toml(value)}\n" for key, value in values.items())


def _toml(value: Any) -> str:
    """A value of JSON as one of TOML: strings and numbers are written alike."""
    if isinstance(value, dict):
        pairs = (f"{json.dumps(k)} = {_toml(v)}" for k, v in value.items() if v is not None)
        return f"{{ {', '.join(pairs)} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value)
