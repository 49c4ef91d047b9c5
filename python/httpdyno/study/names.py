"""Faults between the keys of a study, and names that do not exist."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from httpdyno.engine_plan import burst_fault
from httpdyno.study.loads import LOADS
from httpdyno.study.model import ArmGroup, QuickLoad, arm_name
from httpdyno.study.own.arms import arm_faults, own_kind
from httpdyno.study.own.service import service_faults
from httpdyno.toml_lines import Key

Fault = tuple[Key, str]

MOST_LISTED = 12
"""An error lists no more names than this."""


def inner_faults(values: Mapping[str, Any]) -> Iterator[Fault]:
    """Faults between the keys of a study, from the raw values."""
    arms = _arm_names(values)
    loads = values.get("loads")
    loads = loads if isinstance(loads, dict) else {}
    yield from arm_faults(_tables(values.get("arms")))
    yield from service_faults(values.get("services"))
    yield from _named_twice(arms)
    baseline = values.get("baseline")
    if isinstance(baseline, str) and baseline not in arms.values():
        yield ("baseline",), _not_one(baseline, "an arm of this study", arms.values())
    for index, row in enumerate(_tables(values.get("published"))):
        yield from _published_faults(index, row, arms.values(), loads)
    yield from _quick_faults(values.get("quick"), loads)
    for name, load in loads.items():
        if isinstance(load, dict):
            yield from _load_faults(name, load, arms.values())


@dataclass(frozen=True)
class KnownNames:
    """The names that a study may use: deployments by server, and workloads.

    An unavailable server has no deployments; any name will do for it. `own` reads the file of a
    user's own server: its name and its deployments. `arm` reads an arm without a `server.toml`, in
    the folder of its study. Both raise UsageError.
    """

    servers: Mapping[str, Collection[str]]
    workloads: Collection[str]
    own: Callable[[Path], tuple[str, Collection[str]]] | None = None
    arm: Callable[[ArmGroup, Path], object] | None = None


def outer_faults(values: Mapping[str, Any], known: KnownNames) -> Iterator[Fault]:
    """Servers, deployments and workloads that do not exist, from the raw values."""
    yield from _not_a_workload((), values, known)
    for index, group in enumerate(_tables(values.get("arms"))):
        place: Key = ("arms", index)
        yield from _not_a_workload(place, group, known)
        server = group.get("server")
        if own_kind(group) or not isinstance(server, str):
            continue
        if server not in known.servers:
            text = _not_one(server, "a server of the catalogue", known.servers)
            own = "; your own server is a file, such as `./mine/server.toml`"
            yield (*place, "server"), text + ("" if text.endswith("?") else own)
            continue
        there = known.servers[server]
        given = group.get("deployments")
        for deployment in given if there and isinstance(given, list) else ():
            if isinstance(deployment, str) and deployment not in there:
                text = _not_one(deployment, f"a deployment of `{server}`", there)
                yield (*place, "deployments"), text


def _not_a_workload(place: Key, table: Mapping[str, Any], known: KnownNames) -> Iterator[Fault]:
    given = table.get("workload")
    if isinstance(given, str) and given not in known.workloads:
        yield (*place, "workload"), _not_one(given, "a workload", known.workloads)


def _arm_names(values: Mapping[str, Any]) -> dict[Key, str]:
    """The name of every arm by its place; values of wrong types are left to the model."""
    groups = _tables(values.get("arms"))
    common = values.get("workload", "hello")
    several = len({str(group.get("workload", common)) for group in groups}) > 1
    names: dict[Key, str] = {}
    for index, group in enumerate(groups):
        server = group.get("name", group.get("server"))
        workload = group.get("workload", common) if several else None
        if own_kind(group):
            names["arms", index] = arm_name(str(server), None, workload)
            continue
        deployments = group.get("deployments")
        for number, deployment in enumerate(deployments if isinstance(deployments, list) else ()):
            place: Key = ("arms", index, "deployments", number)
            names[place] = arm_name(str(server), str(deployment), workload)
    return names


def _named_twice(arms: dict[Key, str]) -> Iterator[Fault]:
    seen: set[str] = set()
    for place, name in arms.items():
        if name in seen:
            hint = "give one of them another `name`"
            yield place, f"the arm `{name}` is there twice: expected each once; {hint}"
        seen.add(name)


def _load_faults(name: str, load: Mapping[str, Any], arms: Collection[str]) -> Iterator[Fault]:
    place: Key = ("loads", name)
    shape = LOADS.get(str(load.get("kind")))
    count = shape.count_key if shape else "requests"
    if count is not None and not {"duration", count} & load.keys():
        yield place, f"[loads.{name}] has no end: expected `duration`, `{count}` or both"
    http, in_sessions = load.get("http", "1.1"), shape is not None and shape.in_sessions
    fault = burst_fault(http, load.get("keep_alive", True), in_sessions=in_sessions)
    if load.get("burst", 1) != 1 and fault:
        yield (*place, "burst"), f"`burst` {fault}"
    if load.get("streams", 1) != 1 and http != "2":
        yield (*place, "streams"), '`streams` are those of HTTP/2: expected `http = "2"` too'
    if shape and shape.schedule_key and load.get("think"):
        text = f"`think` contradicts `{shape.schedule_key}`, which says when each call is due"
        yield (*place, "think"), f"{text}: expected it in a closed or sessions load"
    only = load.get("arms")
    for given in only if isinstance(only, list) else ():
        if isinstance(given, str) and given not in arms:
            yield (*place, "arms"), _not_one(given, "an arm of this study", arms)


def _published_faults(
    index: int, row: Mapping[str, Any], arms: Collection[str], loads: Collection[str]
) -> Iterator[Fault]:
    place: Key = ("published", index)
    if ("arm" in row) == ("name" in row):
        yield (
            place,
            "[[published]] needs either `arm`, an arm of this study, or `name`, the post's name for"
            " a system that no arm stands for",
        )
    log = row.get("log")
    wrong, replies = (log.get("wrong"), log.get("replies")) if isinstance(log, dict) else (0, 0)
    if isinstance(wrong, int) and isinstance(replies, int) and wrong > replies:
        text = f"`log` has {wrong:,} wrong replies of {replies:,}: expected no more than all"
        yield (*place, "log"), text
    for key, known in (("arm", arms), ("load", loads)):
        given = row.get(key)
        if isinstance(given, str) and given not in known:
            noun = "an arm" if key == "arm" else "a load"
            yield (*place, key), _not_one(given, f"{noun} of this study", known)


def _quick_faults(given: Any, loads: Mapping[str, Any]) -> Iterator[Fault]:
    tables = given.get("loads") if isinstance(given, dict) else None
    for name, table in tables.items() if isinstance(tables, dict) else ():
        place: Key = ("quick", "loads", name)
        if name not in loads:
            yield place, _not_one(name, "a load of this study", loads)
            continue
        kind = loads[name].get("kind") if isinstance(loads[name], dict) else None
        shape = LOADS.get(str(kind))
        allowed = QuickLoad.model_fields.keys() if shape is None else shape.quick_keys
        strange = QuickLoad.model_fields.keys() - allowed
        for key in table if isinstance(table, dict) else ():
            if key in strange:
                listed = ", ".join(f"`{one}`" for one in sorted(allowed))
                text = f"`{key}` does not apply to a load of kind `{kind}`: expected {listed}"
                yield (*place, key), text


def _tables(given: Any) -> list[Mapping[str, Any]]:
    return [one for one in given if isinstance(one, dict)] if isinstance(given, list) else []


def _not_one(given: str, what: str, known: Collection[str]) -> str:
    nearest = difflib.get_close_matches(given, known, n=1)
    listed = ", ".join(f"`{name}`" for name in list(known)[:MOST_LISTED])
    many = f"one of {len(known)}, such as " if len(known) > MOST_LISTED else ""
    expected = f"did you mean `{nearest[0]}`?" if nearest else f"expected {many}{listed}"
    return f"`{given}` is not {what}: {expected}"
