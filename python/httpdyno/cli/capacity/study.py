"""The study behind `httpdyno capacity`: one capacity load on the arms of the command line."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from httpdyno.errors import UsageError
from httpdyno.output.printable import printable
from httpdyno.output.secrets import masked_url
from httpdyno.servers import Catalogue, Server, load_server

__all__ = ["NAME", "Arm", "OwnArm", "Wanted", "arm_of", "study_text"]

NAME = "capacity"
"""The name of the study, under which `httpdyno report` finds its newest run."""
OWN = "mine"
"""The name of an arm of the user's own."""
_FILE = re.compile(r"(?P<file>.*\.toml)(?:/(?P<deployment>[^/]+))?")


@dataclass(frozen=True)
class Arm:
    """An arm of the command line."""

    server: str
    """A name of the catalogue, or the path of a server.toml."""
    deployment: str
    workloads: Sequence[str]
    """Workloads that the deployment serves."""


@dataclass(frozen=True)
class OwnArm:
    """A server of the user's own: a command that starts it, or the address where it runs."""

    key: str
    """`start` or `url`, the key of a study."""
    value: str
    path: str
    """The path that is requested; any 200 is a right reply."""


@dataclass(frozen=True)
class Wanted:
    """The values of the flags."""

    workload: str
    """The workload of arms that are not the user's own."""
    limits: Sequence[str]
    restarts: int
    confirm: int
    connections: int | None
    arrivals: str
    step_s: float | None
    warm_up_s: float
    seed: int
    rate_max: float | None = None
    for_rate: float | None = None
    profile: bool = True


_OWN = "a server of your own is named by the path of its server.toml"


def arm_of(text: str, catalogue: Catalogue) -> Arm:
    """Reads `starlette/1-worker`, `starlette`, `./mine/server.toml` or
    `./mine/server.toml/1-process`; the first deployment unless one is named.

    Raises UsageError for a server or a deployment that does not exist, and for a URL.
    """
    if "://" in text:
        shown = printable(masked_url(text))
        raise UsageError(
            f"`{shown}` is a URL: expected the name of a server", hint=f"use `--url {shown}`"
        )
    match = _FILE.fullmatch(text)
    if match is not None or text.startswith((".", "/", "~")):
        path = Path(match["file"] if match else text).expanduser()
        server, named = load_server(path), str(path)
        wanted = match["deployment"] if match else None
    else:
        name, _, deployment = text.partition("/")
        server, named, wanted = catalogue.get(name, _OWN), name, deployment or None
    deployment = _deployment(text, server, wanted)
    return Arm(named, deployment, tuple(server.workloads_of(deployment)))


def _deployment(text: str, server: Server, wanted: str | None) -> str:
    known = list(server.deployments)
    if not known:
        why = server.unavailable or "it has no deployments"
        raise UsageError(f"`{text}` cannot be measured: {why}")
    if wanted is None:
        return known[0]
    if wanted not in known:
        nearest = difflib.get_close_matches(wanted, known, n=1)
        raise UsageError(
            f"`{wanted}` is not a deployment of `{server.name}`: expected"
            f" {', '.join(f'`{one}`' for one in known)}",
            hint=f"did you mean `{server.name}/{nearest[0]}`?" if nearest else None,
        )
    return wanted


def study_text(arms: Sequence[Arm], wanted: Wanted, own: OwnArm | None = None) -> str:
    """The study as TOML, as a file could have it."""
    limits = " and ".join(wanted.limits)
    head = {
        "title": f"Capacity at {limits}",
        "question": f"How many requests/s does each arm take at {limits}?",
        "workload": None if own else wanted.workload,
        "blocks": wanted.restarts,
        "seed": wanted.seed,
        "warm_up": wanted.warm_up_s,
    }
    load = {
        "title": f"capacity at {limits}",
        "kind": "capacity",
        "limits": list(wanted.limits),
        "connections": wanted.connections,
        "arrivals": wanted.arrivals,
        "duration": wanted.step_s,
        "confirm": wanted.confirm,
        "profile": wanted.profile,
        "rate_max": wanted.rate_max,
        "for_rate": wanted.for_rate,
    }
    tables = [_table({"server": one.server, "deployments": [one.deployment]}) for one in arms]
    workload = ""
    if own is not None:
        tables.append(_table({"name": OWN, own.key: own.value}))
        request = f"path = {_text(own.path)}, expect = {{ status = 200 }}"
        workload = f"[workloads.page]\nrequests = [{{ {request} }}]\n"
    return "\n".join(
        [
            _table(head),
            *(f"[[arms]]\n{table}" for table in tables),
            *([workload] if workload else []),
            f"[loads.capacity]\n{_table(load)}",
        ]
    )


def _table(values: Mapping[str, object]) -> str:
    """Keys and values of TOML, whose strings, numbers and lists are those of JSON."""
    lines = [f"{key} = {_text(value)}" for key, value in values.items() if value is not None]
    return "\n".join(lines) + "\n"


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
