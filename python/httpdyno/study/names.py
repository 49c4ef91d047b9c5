"""Whether the names in a study mean something: its arms and loads, the catalogue's servers."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from httpdyno.errors import UsageError
from httpdyno.study.lines import Path, key_lines, line_of
from httpdyno.study.model import Study

Fault = tuple[Path, str]


def inner_faults(values: Mapping[str, Any]) -> Iterator[Fault]:
    """Faults between the keys of a study, from the raw values: they come with all others."""
    arms = _arm_names(values)
    loads = values.get("loads")
    loads = loads if isinstance(loads, dict) else {}
    yield from _named_twice(arms)
    baseline = values.get("baseline")
    if isinstance(baseline, str) and baseline not in arms.values():
        yield ("baseline",), _not_one(baseline, "an arm of this study", arms.values())
    for index, row in enumerate(_tables(values.get("published"))):
        for key, known in (("arm", arms.values()), ("load", loads)):
            given = row.get(key)
            if isinstance(given, str) and given not in known:
                noun = "an arm" if key == "arm" else "a load"
                yield ("published", index, key), _not_one(given, f"{noun} of this study", known)
    for name, load in loads.items():
        if isinstance(load, dict):
            yield from _load_faults(name, load, arms.values())


def check_names(
    study: Study, servers: Mapping[str, Collection[str]], workloads: Collection[str]
) -> None:
    """Refuse servers, deployments and workloads that do not exist.

    `servers`: deployments by server.

    Raises UsageError with every fault, each with its file and line.
    """
    lines = key_lines(study.text)
    faults: list[Fault] = []
    if study.workload not in workloads:
        faults.append((("workload",), _not_one(study.workload, "a workload", workloads)))
    for index, group in enumerate(study.arms):
        place: Path = ("arms", index)
        if group.workload is not None and group.workload not in workloads:
            text = _not_one(group.workload, "a workload", workloads)
            faults.append(((*place, "workload"), text))
        if group.server not in servers:
            text = _not_one(group.server, "a server of the catalogue", servers)
            faults.append(((*place, "server"), text))
            continue
        known = servers[group.server]
        for deployment in group.deployments:
            if deployment not in known:
                text = _not_one(deployment, f"a deployment of `{group.server}`", known)
                faults.append(((*place, "deployments"), text))
    if faults:
        told = [f"{study.file}:{line_of(lines, path)}: {text}" for path, text in faults]
        hint = "`httpdyno servers list` shows them; --server FILE adds one of your own"
        raise UsageError("\n".join(told), hint=hint)


def arm_name(server: str, deployment: str, workload: str | None) -> str:
    """`tornado/1-process`; with the workload behind it when the study has several."""
    return f"{server}/{deployment}" + (f" {workload}" if workload else "")


def _arm_names(values: Mapping[str, Any]) -> dict[Path, str]:
    """The name of every arm by its place; wrong types are told elsewhere."""
    groups = _tables(values.get("arms"))
    several = len({group.get("workload", values.get("workload")) for group in groups}) > 1
    names: dict[Path, str] = {}
    for index, group in enumerate(groups):
        server = group.get("name", group.get("server"))
        workload = group.get("workload", values.get("workload", "hello")) if several else None
        deployments = group.get("deployments")
        for number, deployment in enumerate(deployments if isinstance(deployments, list) else ()):
            place: Path = ("arms", index, "deployments", number)
            names[place] = arm_name(str(server), str(deployment), workload)
    return names


def _named_twice(arms: dict[Path, str]) -> Iterator[Fault]:
    seen: set[str] = set()
    for place, name in arms.items():
        if name in seen:
            hint = "give one of them a `name` of its own"
            yield place, f"the arm `{name}` is there twice: expected each once; {hint}"
        seen.add(name)


def _load_faults(name: str, load: Mapping[str, Any], arms: Collection[str]) -> Iterator[Fault]:
    count = "sessions" if load.get("kind") == "sessions" else "requests"
    if "duration" not in load and count not in load:
        text = f"[loads.{name}] has no end: expected `duration`, `{count}` or both"
        yield ("loads", name), text
    only = load.get("arms")
    for given in only if isinstance(only, list) else ():
        if isinstance(given, str) and given not in arms:
            yield ("loads", name, "arms"), _not_one(given, "an arm of this study", arms)


def _tables(given: Any) -> list[Mapping[str, Any]]:
    return [one for one in given if isinstance(one, dict)] if isinstance(given, list) else []


def _not_one(given: str, what: str, known: Collection[str]) -> str:
    nearest = difflib.get_close_matches(given, known, n=1)
    listed = ", ".join(f"`{name}`" for name in known)
    expected = f"did you mean `{nearest[0]}`?" if nearest else f"expected {listed}"
    return f"`{given}` is not {what}: {expected}"
