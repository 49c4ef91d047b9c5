"""A server that runs already, in place of one that was started."""

from __future__ import annotations

from httpdyno.engine_plan import Target
from httpdyno.servers.process.listening_process import listening_pid
from httpdyno.servers.process.usage import UsageMeter


class AttachedServer:
    """A server that runs already, as a measurement needs it; nothing is started or stopped."""

    exit_code: int | None = None
    """Not known: it is not our child."""
    killed_because: str | None = None

    def __init__(self, target: Target) -> None:
        self.target = target
        self.host = target.host
        self.port = target.port

    @property
    def address(self) -> str:
        """`127.0.0.1:3000`, or the path of its Unix socket."""
        return address_of(self.target)

    def usage_meter(self) -> UsageMeter | None:
        """A meter of the process that listens there, with its descendants.

        None when the server is on another machine, belongs to another user, or has several
        processes that listen and none that is the parent of all.
        """
        pid = listening_pid(self.target)
        return None if pid is None else UsageMeter(pid)

    def __enter__(self) -> AttachedServer:
        return self

    def __exit__(self, *_: object) -> None:
        """Leaves the server as it is."""


def address_of(target: Target) -> str:
    """Where a server listens, for people: `127.0.0.1:3000`, or a path."""
    if target.unix is not None:
        return target.unix
    host = f"[{target.host}]" if ":" in target.host else target.host
    return f"{host}:{target.port}"
