"""Servers that a study names by file: `server = "./mine/server.toml"`, relative to the study."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from httpdyno.errors import HttpdynoError
from httpdyno.output.places import expanded
from httpdyno.study.names import KnownNames
from httpdyno.toml_lines import Key


@dataclass
class ResolvedServers:
    """A study whose arms name their servers, and the files of those that it named by file."""

    values: Mapping[str, Any]
    known: KnownNames | None
    files: dict[str, Path] = field(default_factory=dict)
    """By the name of the server."""
    faults: list[tuple[Key, str]] = field(default_factory=list)


def resolve_servers(
    values: Mapping[str, Any], folder: Path, known: KnownNames | None
) -> ResolvedServers:
    """The study with the name of the server instead of each file, unless `known` cannot tell it."""
    found = ResolvedServers(values, known)
    arms = values.get("arms")
    if known is None or known.own is None or not isinstance(arms, list):
        return found
    by_name = {given for arm in arms if not is_file(given := _server(arm))}
    arms = list(arms)
    for index, arm in enumerate(arms):
        given = _server(arm)
        if not is_file(given):
            continue
        path = (folder / expanded(given)).resolve()
        try:
            name, deployments = known.own(path)
        except HttpdynoError as error:
            lines = (f"`{given}`: {line}" for line in error.message.splitlines())
            found.faults += [(("arms", index, "server"), line) for line in lines]
            continue
        if name in by_name or found.files.setdefault(name, path) != path:
            found.faults.append((("arms", index, "server"), _taken_name(given, name)))
        known = replace(known, servers={**known.servers, name: deployments})
        arms[index] = {**arm, "server": name}
    found.values, found.known = {**values, "arms": arms}, known
    return found


def _server(arm: Any) -> str:
    given = arm.get("server") if isinstance(arm, dict) else None
    return given if isinstance(given, str) else ""


def is_file(given: str) -> bool:
    """True if it is the path of a file, and no name."""
    return "/" in given or given.endswith(".toml")


def _taken_name(given: str, name: str) -> str:
    return (
        f"`{given}` has the name `{name}`, which the server of another arm has too:"
        " expected another `name` in the server.toml of one of them"
    )
