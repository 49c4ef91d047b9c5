"""The study behind `httpdyno capacity`: one capacity load on the arms of the command line."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from httpdyno.address import parse_url
from httpdyno.cli.capacity.flags import CapacityFlags
from httpdyno.errors import UsageError
from httpdyno.run import study_of_values
from httpdyno.servers import Catalogue, load_catalogue
from httpdyno.servers.subjects import kind_of, server_deployment
from httpdyno.study import Study

__all__ = ["capacity_study"]

NAME = "capacity"
"""The name of the study, under which `httpdyno report` finds its newest run."""
OWN = "mine"
"""The name of an arm of the user's own."""


def capacity_study(flags: CapacityFlags, keys: Mapping[str, Any]) -> Study:
    """The study of these flags; `keys`: all but its arms. Raises UsageError with every fault."""
    catalogue = load_catalogue()
    arms = {"arms": [_arm(text, flags.workload, catalogue) for text in flags.arms or ()]}
    values = {**keys, **(arms if flags.arms else _own(flags))}
    return study_of_values(values, NAME, catalogue)


def _arm(text: str, workload: str, catalogue: Catalogue) -> dict[str, Any]:
    """The arm of a server that is named. Raises UsageError for a URL or a command, and for a server
    without this workload."""
    match kind_of(text):
        case "url":
            raise UsageError(
                f"`{text}` is a URL: expected the name of a server", hint=f"use `--url {text}`"
            )
        case "command":
            command = shlex.quote(text.partition(":")[2])
            raise UsageError(
                f"`{text}` is a command: expected the name of a server",
                hint=f"use `--command {command}`",
            )
    found = server_deployment(text, catalogue)
    workloads = found.server.workloads_of(found.name)
    if workload not in workloads:
        listed = ", ".join(f"`{one}`" for one in workloads)
        raise UsageError(
            f"`{text}` does not serve `{workload}`: expected one of {listed}",
            hint="`--workload` names another one",
        )
    return {"server": str(found.file or found.server.name), "deployments": [found.name]}


def _own(flags: CapacityFlags) -> dict[str, Any]:
    """The arm of a URL or a command, and its workload: any 200 is a right reply."""
    if flags.url is not None:
        address = parse_url(flags.url)
        arm, path = {"name": OWN, "url": address.origin}, address.path
    else:
        arm, path = {"name": OWN, "start": str(flags.command)}, flags.path or "/"
    requests = [{"path": path, "expect": {"status": 200}}]
    return {"arms": [arm], "workloads": {"page": {"requests": requests}}}
