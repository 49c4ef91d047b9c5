"""The study behind `httpdyno capacity`: one capacity load on the arms of the command line."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from httpdyno.address import parse_url
from httpdyno.cli.capacity.flags import CapacityFlags
from httpdyno.errors import UsageError
from httpdyno.output.printable import printable
from httpdyno.output.secrets import masked_url
from httpdyno.run import study_of_values
from httpdyno.servers import Catalogue, load_catalogue, load_server
from httpdyno.servers.named import path_and_part
from httpdyno.study import Study

__all__ = ["capacity_study"]

NAME = "capacity"
"""The name of the study, under which `httpdyno report` finds its newest run."""
OWN = "mine"
"""The name of an arm of the user's own."""

_OWN = "a server of your own is named by the path of its server.toml"


def capacity_study(flags: CapacityFlags, keys: Mapping[str, Any]) -> Study:
    """The study of these flags; `keys`: all but its arms. Raises UsageError with every fault."""
    catalogue = load_catalogue()
    arms = {"arms": [_arm(text, flags.workload, catalogue) for text in flags.arms or ()]}
    values = {**keys, **(arms if flags.arms else _own(flags))}
    return study_of_values(values, NAME, catalogue)


def _arm(text: str, workload: str, catalogue: Catalogue) -> dict[str, Any]:
    """The arm that `starlette/1-worker`, `starlette`, `./mine/server.toml` or
    `./mine/server.toml:1-process` names; the first deployment unless one is named.

    Raises UsageError for a server or a deployment that does not exist, for a URL, and for a server
    without this workload.
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
    workloads = server.workloads_of(deployment)
    if workload not in workloads:
        listed = ", ".join(f"`{one}`" for one in workloads)
        raise UsageError(
            f"`{text}` does not serve `{workload}`: expected one of {listed}",
            hint="`--workload` names another one",
        )
    return {"server": named, "deployments": [deployment]}


def _own(flags: CapacityFlags) -> dict[str, Any]:
    """The arm of a URL or a command, and its workload: any 200 is a right reply."""
    if flags.url is not None:
        address = parse_url(flags.url)
        arm, path = {"name": OWN, "url": address.origin}, address.path
    else:
        arm, path = {"name": OWN, "start": str(flags.command)}, flags.path or "/"
    requests = [{"path": path, "expect": {"status": 200}}]
    return {"arms": [arm], "workloads": {"page": {"requests": requests}}}
