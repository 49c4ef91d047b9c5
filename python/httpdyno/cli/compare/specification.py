"""Turns the flags of `compare` into what is wanted; raises UsageError for what contradicts it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from httpdyno.address import is_grpc
from httpdyno.cli.compare.flags import CompareFlags, FlagValues
from httpdyno.cli.compare.of_study import with_study
from httpdyno.comparison.arms.baseline import SavedArm, saved_baseline
from httpdyno.comparison.arms.sides import Commands, require_start
from httpdyno.comparison.loads import (
    BLOCKS,
    CONNECTIONS,
    DURATION_S,
    Loads,
    full_speed,
    same_rate,
)
from httpdyno.comparison.specification import ArmSpecification, Specification
from httpdyno.comparison.study import Work, get_path
from httpdyno.errors import UsageError
from httpdyno.listing import both
from httpdyno.output.secrets import MASK
from httpdyno.servers import load_catalogue
from httpdyno.servers.declaration.own import server_from_command, words
from httpdyno.servers.subjects import Subject, distinct_names, subject, with_name
from httpdyno.units import duration
from httpdyno.warm_up import STUDY_S
from httpdyno.workloads import WORKLOADS

__all__ = ["specification_of"]

_DECLARED = ("arm", "file")
"""Servers with a `server.toml`, which answer the built-in workloads."""


def specification_of(chosen: FlagValues) -> Specification:
    """The comparison that the flags describe. Raises UsageError."""
    chosen, work_of_study = with_study(chosen)
    catalogue, here, flags = load_catalogue(), Path.cwd(), chosen.flags
    given = zip((chosen.pair.a, chosen.pair.b), chosen.names, strict=True)
    a, b = (with_name(subject(one, catalogue, here), name) for one, name in given)
    canary = None if flags.canary is None else subject(flags.canary, catalogue, here)
    subjects = [one for one in (a, b, canary) if one is not None]
    _require_commands(flags, subjects)
    _require_method(chosen, subjects, work_of_study)
    saved = saved_baseline(a)
    names = distinct_names(a, b)
    baseline = saved or ArmSpecification(a, names[0], _commands(chosen, 0))
    work = _with_pauses(_work(chosen, work_of_study, saved, subjects), saved)
    loads, paced_s = _loads(chosen, saved, work.calls)
    spec = Specification(
        baseline=baseline,
        changed=ArmSpecification(b, names[1], _commands(chosen, 1)),
        canary=None if canary is None else ArmSpecification(canary, "canary", _commands(chosen, 0)),
        work=work,
        loads=loads,
        paced_s=paced_s,
        margins=chosen.margins,
        blocks=chosen.blocks or BLOCKS,
        seed=1 if chosen.seed is None else chosen.seed,
        warm_up=STUDY_S if chosen.warm_up_s is None else chosen.warm_up_s,
        other_machine=flags.other_machine,
    )
    for arm in spec.arms:
        require_start(arm.subject, arm.commands)
    return spec


def _commands(chosen: FlagValues, place: int) -> Commands:
    """The commands of A (0) or of B (1), which has those of A unless it has its own."""
    start, build = _of(chosen.flags.start, place), _of(chosen.flags.build, place)
    return Commands(start, build, chosen.flags.ready, chosen.env, chosen.cores)


def _of(given: Sequence[str], place: int) -> str:
    return given[min(place, len(given) - 1)] if given else ""


def _require_commands(flags: CompareFlags, subjects: list[Subject]) -> None:
    """Commands are for revisions, run without a shell, and a build needs a start.

    Raises UsageError for one that cannot be started.
    """
    for one in subjects:
        if one.kind == "command":
            words("cmd", one.text)
            server_from_command(one.given, one.text)
    revisions = [one for one in subjects if one.kind == "revision"]
    for name, given in (("--start", flags.start), ("--build", flags.build)):
        for command in given:
            words(name, command)
            if name == "--start":
                server_from_command(name, command)
        if len(given) > 2:
            raise UsageError(
                f"`{name}` was given {len(given)} times: expected one, or one for each"
            )
        if given and not revisions:
            raise UsageError(
                f"`{name}` was given without a revision: expected one such as `main`",
                hint="httpdyno compare --help",
            )
    if flags.build and not flags.start:
        raise UsageError(
            "`--build` was given without `--start`: expected the command that starts the server",
            hint="--start 'uvicorn app:app --port {port}'",
        )


def _require_method(chosen: FlagValues, subjects: list[Subject], of_study: Work | None) -> None:
    """Raises UsageError for a URL of gRPC without the method to call."""
    has_method = of_study is not None or chosen.workload.has_grpc
    for one in subjects:
        if one.kind == "url" and is_grpc(one.text) and not has_method:
            raise UsageError(
                f"`{one.given}` is a URL of gRPC: expected the method to call",
                hint="--grpc pkg.Service/Method --proto FILE --message JSON",
            )


def _loads(
    chosen: FlagValues, saved: SavedArm | None, calls: int | None
) -> tuple[Loads, float | None]:
    """The loads that are known already, and the duration of the one whose rate is not. `calls`: of
    a session."""
    if saved is not None:
        given = (chosen.connections, chosen.rate, chosen.duration_s)
        if chosen.http or any(one is not None for one in given):
            raise UsageError(
                "`--connections`, `--rate`, `--duration` and the version of HTTP are those of a"
                " saved baseline: expected none of them"
            )
        return saved.loads(), None
    duration_s = DURATION_S if chosen.duration_s is None else chosen.duration_s
    loads = full_speed(chosen.connections or CONNECTIONS, duration_s, chosen.http)
    if chosen.rate is None:
        return loads, duration_s
    return {**loads, **same_rate(chosen.rate, duration_s, chosen.http, calls)}, None


def _work(
    chosen: FlagValues, of_study: Work | None, saved: SavedArm | None, subjects: list[Subject]
) -> Work:
    """That of the study, or of the flags; else that of a saved baseline, `hello` for servers with a
    `server.toml`, and `GET /` for all others."""
    flags = chosen.flags
    if of_study is not None:
        work = of_study
    elif saved is not None and not flags.given:
        work = _of_saved(saved, any_body=flags.any_body)
    elif not flags.given and _all_declared(flags, subjects):
        work = Work("hello", {"workload": "hello"})
    else:
        work = Work(chosen.workload.name, chosen.workload.keys)
    if saved is not None and work.name != saved.workload:
        raise UsageError(
            f"`{saved.source}` was measured with the workload `{saved.workload}`: expected the same"
            f" one, not `{work.name}`"
        )
    return work


def _with_pauses(work: Work, saved: SavedArm | None) -> Work:
    """The requests with the pauses of a saved baseline, else without any. Raises UsageError for
    others than its own."""
    if saved is None or not saved.pauses:
        return work.without_pauses
    if work.pauses != saved.pauses:
        raise UsageError(
            f"`{saved.source}` was measured with {_pauses(saved.pauses)}: expected the same, not"
            f" {_pauses(work.pauses)}",
            hint="give the requests as they were then, or measure the baseline again",
        )
    return work


def _pauses(each: Sequence[float]) -> str:
    """`think times of 500 ms and 0 s`."""
    return f"think times of {both([duration(one) for one in each])}" if each else "none"


def _all_declared(flags: CompareFlags, subjects: list[Subject]) -> bool:
    """True if a `server.toml` says how each of them is started; the saved one was."""
    return all(
        one.kind in (*_DECLARED, "result") or (one.kind == "revision" and not flags.start)
        for one in subjects
    )


def _of_saved(saved: SavedArm, *, any_body: bool) -> Work:
    """The requests of a saved baseline, of which only the name is known. Raises UsageError."""
    name = saved.workload
    if name in WORKLOADS:
        return Work(name, {"workload": name})
    if not name.startswith("GET /") or " and " in name or MASK in name:
        raise UsageError(
            f"`{saved.source}` was measured with the requests `{name}`: expected them again",
            hint="add the flags of its requests, such as `--urls` or `--workload`",
        )
    return get_path(name.removeprefix("GET "), any_body=any_body)
