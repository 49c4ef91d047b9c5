"""The servers under test: their declaration, installation, processes and checks."""

from httpdyno.servers.check.answers import CheckRow, check_workloads
from httpdyno.servers.check.conformance import AnswerRow, Conformance, conformance
from httpdyno.servers.check.examine import examine
from httpdyno.servers.check.probes import ProbeResult, run_probes
from httpdyno.servers.declaration.load import Catalogue, load_catalogue, load_server
from httpdyno.servers.declaration.server import Server
from httpdyno.servers.declaration.tables import Deployment
from httpdyno.servers.failure import ServerFailure
from httpdyno.servers.installation.install import install, installed
from httpdyno.servers.installation.installation import Installation
from httpdyno.servers.process.elsewhere.attached import AttachedServer, start_or_attach
from httpdyno.servers.process.leftovers import reap_leftovers
from httpdyno.servers.process.running import RunningServer, Stopped
from httpdyno.servers.process.start import start
from httpdyno.servers.process.usage import Glance, Meter, Usage, UsageMeter

__all__ = [
    "AnswerRow",
    "AttachedServer",
    "Catalogue",
    "CheckRow",
    "Conformance",
    "Deployment",
    "Glance",
    "Installation",
    "Meter",
    "ProbeResult",
    "RunningServer",
    "Server",
    "ServerFailure",
    "Stopped",
    "Usage",
    "UsageMeter",
    "check_workloads",
    "conformance",
    "examine",
    "install",
    "installed",
    "load_catalogue",
    "load_server",
    "reap_leftovers",
    "run_probes",
    "start",
    "start_or_attach",
]
