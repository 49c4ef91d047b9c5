"""The servers under test: their declaration, installation, processes and checks.

Names are imported when they are first used: `httpdyno load` needs little of this, and at once.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from httpdyno.servers.check.answers import CheckRow, check_workloads
    from httpdyno.servers.check.conformance import AnswerRow, Conformance, conformance
    from httpdyno.servers.check.examine import examine
    from httpdyno.servers.check.probes import ProbeResult, run_probes
    from httpdyno.servers.declaration.load import Catalogue, load_catalogue, load_server
    from httpdyno.servers.declaration.server import Server
    from httpdyno.servers.declaration.tables import Deployment
    from httpdyno.servers.failure import ServerFailure
    from httpdyno.servers.installation.install import find_installation, install
    from httpdyno.servers.installation.installation import Installation
    from httpdyno.servers.process.attached_server import AttachedServer
    from httpdyno.servers.process.leftovers import reap_leftovers
    from httpdyno.servers.process.running_server import RunningServer, StopOutcome
    from httpdyno.servers.process.start import start
    from httpdyno.servers.process.start_or_attach import start_or_attach
    from httpdyno.servers.process.usage import Meter, QuickUsage, Usage, UsageMeter

__all__ = [
    "AnswerRow",
    "AttachedServer",
    "Catalogue",
    "CheckRow",
    "Conformance",
    "Deployment",
    "Installation",
    "Meter",
    "ProbeResult",
    "QuickUsage",
    "RunningServer",
    "Server",
    "ServerFailure",
    "StopOutcome",
    "Usage",
    "UsageMeter",
    "check_workloads",
    "conformance",
    "examine",
    "find_installation",
    "install",
    "load_catalogue",
    "load_server",
    "reap_leftovers",
    "run_probes",
    "start",
    "start_or_attach",
]

_FILES = {
    "check.answers": (
        "CheckRow",
        "check_workloads",
    ),
    "check.conformance": (
        "AnswerRow",
        "Conformance",
        "conformance",
    ),
    "check.examine": ("examine",),
    "check.probes": (
        "ProbeResult",
        "run_probes",
    ),
    "declaration.load": (
        "Catalogue",
        "load_catalogue",
        "load_server",
    ),
    "declaration.server": ("Server",),
    "declaration.tables": ("Deployment",),
    "failure": ("ServerFailure",),
    "installation.install": (
        "install",
        "find_installation",
    ),
    "installation.installation": ("Installation",),
    "process.attached_server": ("AttachedServer",),
    "process.leftovers": ("reap_leftovers",),
    "process.running_server": (
        "RunningServer",
        "StopOutcome",
    ),
    "process.start": ("start",),
    "process.start_or_attach": ("start_or_attach",),
    "process.usage": (
        "QuickUsage",
        "Meter",
        "Usage",
        "UsageMeter",
    ),
}
_FILE_OF = {name: file for file, names in _FILES.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in _FILE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_FILE_OF[name]}"), name)
