"""The servers under test: what they are, how they are installed, started, checked and ended."""

from httpdyno.servers.behaviour import BehaviourRow, check_behaviour
from httpdyno.servers.catalogue import Catalogue, load_catalogue, load_server
from httpdyno.servers.check import CheckRow, check_workloads
from httpdyno.servers.conformance import AnswerRow, Conformance, Habit, conformance
from httpdyno.servers.examine import examine
from httpdyno.servers.failure import ServerFailure
from httpdyno.servers.install import install, installed
from httpdyno.servers.installation import Installation
from httpdyno.servers.leftovers import reap_leftovers
from httpdyno.servers.parts import Deployment
from httpdyno.servers.running import Ending, RunningServer
from httpdyno.servers.server import Server
from httpdyno.servers.start import start
from httpdyno.servers.usage import Usage, UsageMeter

__all__ = [
    "AnswerRow",
    "BehaviourRow",
    "Catalogue",
    "CheckRow",
    "Conformance",
    "Deployment",
    "Ending",
    "Habit",
    "Installation",
    "RunningServer",
    "Server",
    "ServerFailure",
    "Usage",
    "UsageMeter",
    "check_behaviour",
    "check_workloads",
    "conformance",
    "examine",
    "install",
    "installed",
    "load_catalogue",
    "load_server",
    "reap_leftovers",
    "start",
]
