"""The machine: its facts and the doubts they raise, and the split of its cores."""

from httpdyno.host.facts import machine_facts
from httpdyno.host.machine import Machine
from httpdyno.host.pinning import Pinning, available, split

__all__ = ["Machine", "Pinning", "available", "machine_facts", "split"]
