"""A server to measure: started afresh, or the one that runs already."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from httpdyno.servers.installation.installation import Installation
from httpdyno.servers.process.attached_server import AttachedServer
from httpdyno.servers.process.port import HOST
from httpdyno.servers.process.running_server import RunningServer
from httpdyno.servers.process.start import start


def start_or_attach(
    installation: Installation,
    deployment: str,
    *,
    cpus: Sequence[int] | None,
    host: str = HOST,
    log: Path,
) -> RunningServer | AttachedServer:
    """A fresh server; or the one that runs already, where the declaration names its address."""
    at = installation.server.running_at
    if at is not None:
        return AttachedServer(at)
    return start(installation, deployment, cpus=cpus, host=host, log=log)
