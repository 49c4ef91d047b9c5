"""`--study`: both builds have the commands and the requests of one study."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from httpdyno.cli.compare.flags import CompareFlags, FlagValues
from httpdyno.comparison.study import Work
from httpdyno.errors import UsageError
from httpdyno.run import read_study
from httpdyno.servers import load_catalogue
from httpdyno.study import ArmGroup, Study
from httpdyno.units import counted

__all__ = ["with_study"]

_ELSEWHERE = ("cwd", "tls")
"""Keys of an arm that a build of a revision cannot have."""


def with_study(chosen: FlagValues) -> tuple[FlagValues, Work | None]:
    """The flags with what the study says, and its requests; None: no study was given.

    Raises UsageError.
    """
    flags = chosen.flags
    if flags.study is None:
        return chosen, None
    _require_alone(flags)
    study = read_study(flags.study, load_catalogue())
    arm = _arm(study, flags.study)
    name = arm.workload or study.workload
    keys: dict[str, Any] = {"workload": name, "env_file": study.env_file}
    http = dict(chosen.http)
    if own := study.workloads.get(name):
        http |= {"http": "2"} if own.has_grpc else {}
        keys["workloads"] = {name: own.model_dump(mode="json", exclude_unset=True)}
    commands = replace(
        flags, start=[arm.start or ""], build=[arm.build] if arm.build else [], ready=arm.ready
    )
    cores = arm.cores if isinstance(arm.cores, int) else 1
    env = {**arm.env, **chosen.env}
    return replace(chosen, flags=commands, env=env, cores=cores, http=http), Work(name, keys)


def _require_alone(flags: CompareFlags) -> None:
    """Raises UsageError for a flag whose value the study has."""
    given = {
        "--start": flags.start,
        "--build": flags.build,
        "--ready": flags.ready,
        "--cores": flags.cores,
        **dict.fromkeys(flags.given, True),
    }
    for name, value in given.items():
        if value:
            raise UsageError(f"`--study` and `{name}` exclude each other: expected one of them")


def _arm(study: Study, file: str) -> ArmGroup:
    """The only arm of a study. Raises UsageError if it cannot be that of two revisions."""
    if len(study.arms) != 1:
        raise UsageError(f"`{file}` has {counted(len(study.arms), 'arm')}: expected one")
    arm = study.arms[0]
    if arm.start is None:
        raise UsageError(f"the arm of `{file}` has no `start`: expected the command of a server")
    wrong = [key for key in _ELSEWHERE if getattr(arm, key)]
    if arm.cores == "all":
        wrong.append("cores")
    if wrong:
        raise UsageError(
            f"the arm of `{file}` has `{wrong[0]}`, which does not apply to revisions: each is"
            " started at the top of its copy, without TLS, on a number of cores"
        )
    return arm
