"""`httpdyno servers check --save FILE`: the last checks of servers in one file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from httpdyno.cli.servers.work import tell
from httpdyno.errors import EnvironmentFault

if TYPE_CHECKING:
    from collections.abc import Sequence

    from httpdyno.servers import Conformance, Server

__all__ = ["save_checks"]


def save_checks(servers: Sequence[Server], file: Path) -> None:
    """Write what is kept of each server's deployments. Raises EnvironmentFault without the right
    to write there."""
    from httpdyno.host import machine_facts
    from httpdyno.servers import conformance, installed
    from httpdyno.servers.check import record

    entries: list[record.Entry] = []
    failures: dict[str, str] = {}
    for server in servers:
        done = installed(server)
        checks: list[Conformance | None] = []
        if done is not None:
            checks = [conformance(done, name) for name in server.deployments]
        found = [one for one in checks if one is not None]
        entries += [record.entry_of(one) for one in found]
        if not found and server.unavailable is None:
            failures[server.name] = _why_not(server, found_installed=done is not None)
    facts = {fact.label: fact.value for fact in machine_facts()}
    machine = ", ".join(
        facts[label] for label in ("processor", "cores", "kernel") if label in facts
    )
    try:
        record.write(record.Book(machine=machine, entries=tuple(entries), failures=failures), file)
    except OSError as error:
        raise EnvironmentFault(f"`{file}` cannot be written: {error.strerror}") from None
    tell(f"wrote {len(entries)} checks to {file}")


def _why_not(server: Server, *, found_installed: bool) -> str:
    unset = [name for name in server.install.needs if not os.environ.get(name)]
    if unset:
        return f"needs {', '.join(unset)}"
    return "its check failed" if found_installed else "not installed"
