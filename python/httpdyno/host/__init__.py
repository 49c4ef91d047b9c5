"""The machine: facts about it, which of them make numbers doubtful, and how cores are shared."""

from httpdyno.host.facts import Machine, machine_facts
from httpdyno.host.pinning import Pinning, available, split

__all__ = ["Machine", "Pinning", "available", "machine_facts", "split"]
