"""The machine: facts about it, what of them makes numbers doubtful, and how its cores are shared out."""

from httpdyno.host.pinning import Pinning, available, split

__all__ = ["Pinning", "available", "split"]
