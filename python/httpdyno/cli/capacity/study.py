"""The study behind `httpdyno capacity`: one capacity load on the arms of the command line."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from httpdyno.address import parse_server
from httpdyno.cli.capacity.flags import CapacityFlags
from httpdyno.cli.own_server import check_commands
from httpdyno.errors import UsageError
from httpdyno.run import study_of_values
from httpdyno.servers import Catalogue, load_catalogue
from httpdyno.servers.declaration.own import words
from httpdyno.servers.subjects import kind_of, server_deployment
from httpdyno.study import Study

__all__ = ["capacity_study"]

_HELP = "httpdyno capacity --help"
NAME = "capacity"
"""The name of the study, under which `httpdyno report` finds its newest run."""


def capacity_study(flags: CapacityFlags, keys: Mapping[str, Any]) -> Study:
    """The study of these flags; `keys`: all but the arms that are named. Raises UsageError with
    every fault."""
    catalogue = load_catalogue()
    if flags.arms:
        built_in = None if "workloads" in keys else keys["workload"]
        keys = {**keys, "arms": [_arm(text, built_in, catalogue) for text in flags.arms]}
    else:
        check_commands(keys["arms"][0])
    return study_of_values(keys, NAME, catalogue)


def _arm(text: str, workload: str | None, catalogue: Catalogue) -> dict[str, Any]:
    """The arm of a server that is named. Raises UsageError for another subject of `compare`, and
    for a server without this workload, which is built in."""
    match kind_of(text):
        case "url":
            raise UsageError(
                f"`{text}` is a URL: expected the name of a server",
                hint=f"use `--url {shlex.quote(_url(text))}`",
            )
        case "command":
            command = text.partition(":")[2]
            words("cmd", command)
            raise UsageError(
                f"`{text}` is a command: expected the name of a server",
                hint=f"use `--command {shlex.quote(command)}`",
            )
        case "revision":
            raise UsageError(
                f"`{text}` is a revision: expected the name of a server",
                hint="use `--command CMD`, in a folder with that revision",
            )
    if text.partition(":")[0].endswith(".json"):
        raise UsageError(f"`{text}` is a result: expected the name of a server", hint=_HELP)
    found = server_deployment(text, catalogue)
    workloads = found.server.workloads_of(found.name)
    if workload is not None and workload not in workloads:
        listed = ", ".join(f"`{one}`" for one in workloads)
        raise UsageError(
            f"`{text}` does not serve `{workload}`: expected one of {listed}",
            hint="`--workload` names another one",
        )
    return {"server": str(found.file or found.server.name), "deployments": [found.name]}


def _url(text: str) -> str:
    """The URL, if `--url` takes it. Raises UsageError."""
    try:
        parse_server(text)
    except ValueError as error:
        raise UsageError(
            f"`{text}` is a URL, and not the name of a server; `--url` does not take it: {error}",
            hint=_HELP,
        ) from None
    return text
