"""Names of servers, deployments, studies, arms, workloads and stored runs, from their files."""

from __future__ import annotations

import itertools
import os
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

from httpdyno.errors import HttpdynoError
from httpdyno.output.places import expanded
from httpdyno.servers.declaration.families import with_families
from httpdyno.units import list_items

__all__ = [
    "abilities",
    "arms",
    "arms_of",
    "deployments",
    "of_servers",
    "runs",
    "servers",
    "studies",
    "toml_files",
    "workloads",
]

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
    from httpdyno.store.database import run_names

    try:
        return run_names()
    except HttpdynoError:
        return []


def workloads() -> list[str]:
    """The built-in workloads."""
    from httpdyno.workloads import WORKLOADS

    return list(WORKLOADS)


def toml_files(begin: str) -> list[str]:
    """The TOML files of the folder that `begin` names; where more is typed, its folders too."""
    folder, slash, typed = begin.rpartition("/")
    found = []
    try:
        for entry in os.scandir(expanded(folder + slash)):
            if entry.name.startswith(".") or not entry.name.isprintable():
                continue
            if entry.is_dir():
                found += [f"{folder}{slash}{entry.name}/"] if typed or slash else []
            elif entry.name.endswith(".toml"):
                here = "./" if not slash and entry.name.startswith(("-", "~")) else ""
                found.append(f"{here}{folder}{slash}{entry.name}")
    except (OSError, RuntimeError, ValueError):
        return []
    return sorted(found)


def of_servers(key: str) -> list[str]:
    """The languages, posts or tiers of the catalogue; a server may have several of the former."""
    tables = map(_read_server, servers())
    found = {one for table in tables for text in _texts(table.get(key)) for one in list_items(text)}
    return sorted(found)


def abilities() -> list[str]:
    """The workloads, and the features of connections that a load may need."""
    from httpdyno.servers.declaration.tables import Capability

    return [*workloads(), *get_args(Capability)]


def arms(begin: str) -> list[str]:
    """The servers; with `SERVER/`, or if only one begins so, its deployments."""
    found = [name for name in servers() if name.startswith(begin.partition("/")[0])]
    server = begin.partition("/")[0] if "/" in begin else found[0] if len(found) == 1 else None
    if server not in found:
        return found
    return [f"{server}/{name}" for name in deployments(server)]


def arms_of(study: str) -> list[str]:
    """The servers, arms and groups of a study, by its name, the beginning of that, or its file."""
    named = [name for name in studies() if name.startswith(study)]
    exact = study if study in named else named[0] if len(named) == 1 else None
    file = _STUDIES / f"{exact}.toml" if exact else Path(study)
    found: list[str] = []
    for arm in _tables(_read(file).get("arms")):
        server = arm.get("name") or arm.get("server")
        if isinstance(server, str):
            deployments = _texts(arm.get("deployments"))
            found += [server, *(f"{server}/{one}" for one in deployments if one != "all")]
            found += _texts([arm.get("group")])
    return list(dict.fromkeys(found))


def deployments(server: str) -> Iterator[str]:
    """The names of deployments: `{n}-worker` stands for one per item of its list `n`."""
    tables = _read_server(server).get("deployments", {})
    for name, table in tables.items():
        keys = [key for key, value in table.items() if f"{{{key}}}" in name]
        for values in itertools.product(*(_items(table[key]) for key in keys)):
            made = name
            for key, value in zip(keys, values, strict=True):
                made = made.replace(f"{{{key}}}", str(value))
            if "{" not in made:
                yield made


def _read_server(server: str) -> dict[str, Any]:
    return with_families(_read(_CATALOGUE / server / "server.toml"))


def _read(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _tables(value: Any) -> list[dict[str, Any]]:
    return [one for one in _items(value) if isinstance(one, dict)]


def _texts(value: Any) -> list[str]:
    return [one for one in _items(value) if isinstance(one, str)]
