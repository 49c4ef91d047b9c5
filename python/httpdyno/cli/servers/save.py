"""`httpdyno servers check --save FILE`: the last checks of the servers in one file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from httpdyno.cli.servers.work import report

if TYPE_CHECKING:
    from collections.abc import Sequence

    from httpdyno.servers import Conformance, Server

__all__ = ["save_checks"]


def save_checks(servers: Sequence[Server], file: Path) -> None:
    """Write the kept checks of each server's deployments. Raises EnvironmentFault when the file
    cannot be written."""
    from httpdyno.host.facts import machine_facts
    from httpdyno.servers import conformance, find_installation
    from httpdyno.servers.check import results

    entries: list[results.DeploymentResult] = []
    failures: dict[str, str] = {}
    for server in servers:
        installation = find_installation(server)
        checks: list[Conformance | None] = []
        if installation is not None:
            checks = [conformance(installation, name) for name in server.deployments]
        found = [one for one in checks if one is not None]
        entries += [results.result_of(one) for one in found]
        if not found and server.unavailable is None:
            failures[server.name] = _why_not(server, is_installed=installation is not None)
    facts = {fact.label: fact.value for fact in machine_facts()}
    machine = ", ".join(
        facts[label] for label in ("processor", "cores", "kernel") if label in facts
    )
    results.write(
        results.CheckResults(machine=machine, entries=tuple(entries), failures=failures), file
    )
    report(f"wrote {len(entries)} checks to {file}")


def _why_not(server: Server, *, is_installed: bool) -> str:
    unset = [name for name in server.install.needs if not os.environ.get(name)]
    if unset:
        return f"needs {', '.join(unset)}"
    return "its check failed" if is_installed else "not installed"
