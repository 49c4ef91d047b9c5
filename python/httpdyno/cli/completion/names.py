"""Names of servers, deployments, studies, arms, workloads and stored runs, from their files."""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

__all__ = ["arms", "arms_of", "runs", "servers", "studies", "workloads"]

_HERE = Path(__file__).parents[2]
_CATALOGUE = _HERE / "servers" / "catalogue"
_STUDIES = _HERE / "studies"


def servers() -> list[str]:
    """The servers of the catalogue."""
    return sorted(file.parent.name for file in _CATALOGUE.glob("*/server.toml"))


def studies() -> list[str]:
    """The built-in studies."""
    return sorted(file.stem for file in _STUDIES.glob("*.toml"))


def runs() -> list[str]:
    """The stored runs: their studies, and their numbers."""
    from httpdyno.errors import HttpdynoError
    from httpdyno.store.database import run_names

    try:
        return run_names()
    except HttpdynoError:
        return []


def workloads() -> list[str]:
    """The built-in workloads."""
    from httpdyno.workloads import WORKLOADS

    return list(WORKLOADS)


def arms(begin: str) -> list[str]:
    """The servers; with `SERVER/`, or if only one begins so, its deployments."""
    found = [name for name in servers() if name.startswith(begin.partition("/")[0])]
    server = begin.partition("/")[0] if "/" in begin else found[0] if len(found) == 1 else None
    if server not in found:
        return found
    return [f"{server}/{name}" for name in _deployments(server)]


def arms_of(study: str) -> list[str]:
    """The servers and arms of a study, by its name, the beginning of its name, or its file."""
    named = [name for name in studies() if name.startswith(study)]
    exact = study if study in named else named[0] if len(named) == 1 else None
    file = _STUDIES / f"{exact}.toml" if exact else Path(study)
    found: list[str] = []
    for arm in _listed(_read(file).get("arms")):
        server = arm.get("name") or arm.get("server")
        if isinstance(server, str):
            deployments = _texts(arm.get("deployments"))
            found += [server, *(f"{server}/{one}" for one in deployments if one != "all")]
    return list(dict.fromkeys(found))


def _deployments(server: str) -> Iterator[str]:
    """The names of deployments: `{n}-worker` stands for one per item of its list `n`."""
    tables = _read(_CATALOGUE / server / "server.toml").get("deployments", {})
    for name, table in tables.items():
        keys = [key for key, value in table.items() if f"{{{key}}}" in name]
        for values in itertools.product(*(_items(table[key]) for key in keys)):
            made = name
            for key, value in zip(keys, values, strict=True):
                made = made.replace(f"{{{key}}}", str(value))
            if "{" not in made:
                yield made


def _read(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _listed(value: Any) -> list[dict[str, Any]]:
    return [one for one in _items(value) if isinstance(one, dict)]


def _texts(value: Any) -> list[str]:
    return [one for one in _items(value) if isinstance(one, str)]
