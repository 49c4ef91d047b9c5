"""The study behind `httpdyno capacity`: one capacity load on the arms of the command line."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from httpdyno.errors import UsageError
from httpdyno.output.printable import printable
from httpdyno.output.secrets import masked_url
from httpdyno.servers import Catalogue, load_server
from httpdyno.servers.named import path_and_part

__all__ = ["NAME", "Arm", "OwnArm", "Wanted", "arm_of", "study_text"]

NAME = "capacity"
"""The name of the study, under which `httpdyno report` finds its newest run."""
OWN = "mine"
"""The name of an arm of the user's own."""


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
    `./mine/server.toml:1-process`; the first deployment unless one is named.

    Raises UsageError for a server or a deployment that does not exist, and for a URL.
    """
    if "://" in text:
        shown = printable(masked_url(text))
        raise UsageError(
            f"`{shown}` is a URL: expected the name of a server", hint=f"use `--url {shown}`"
        )
    file = path_and_part(text, (".toml",))
    if text.startswith((".", "/", "~")) or (file is not None and file[0].suffix == ".toml"):
        path, wanted = file or (Path(text).expanduser(), None)
        path = path / "server.toml" if path.is_dir() else path
        server, named = load_server(path), str(path)
    else:
        named, _, wanted = text.partition("/")
        server = catalogue.get(named, _OWN)
    deployment = wanted or server.default_deployment
    return Arm(named, deployment, server.workloads_of(deployment))


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
