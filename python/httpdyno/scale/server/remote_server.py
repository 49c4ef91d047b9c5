"""A server that runs on its own machine, as a run sees it."""

from __future__ import annotations

import math
import tempfile
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from httpdyno.engine_plan import Target
from httpdyno.errors import HttpdynoError, NodeFault
from httpdyno.scale.server.agent import ServerState, StartedServer
from httpdyno.scale.server.callers import Caller, add_to, run_job
from httpdyno.servers import QuickUsage, Usage
from httpdyno.servers.log_limit import shorten
from httpdyno.servers.process.attached_server import address_of
from httpdyno.servers.process.running_server import INTERRUPTED_GRACE_S

__all__ = ["RemoteServer"]


class RemoteServer:
    """A started server; as a context manager it is stopped, and its log fetched, at the end."""

    def __init__(self, caller: Caller, watcher: Caller, up: StartedServer, log: Path) -> None:
        self._caller = caller
        self._watcher = watcher
        self._pids = up.pids
        self._log = log
        self._authority: tempfile.TemporaryDirectory[str] | None = None
        self.target = self._with_certificate(up)

    @property
    def address(self) -> str:
        """`10.0.0.2:41231`."""
        return address_of(self.target)

    @property
    def exit_code(self) -> int | None:
        """The exit code of its first process; None while it runs."""
        return self._look().exit_code

    @property
    def killed_because(self) -> str | None:
        """Why httpdyno killed it; None: it did not."""
        return self._look().killed_because

    def usage_meter(self) -> _Meter:
        """A meter of its processes."""
        return _Meter(self, self._watcher, self._pids)

    def __enter__(self) -> RemoteServer:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        interrupted = kind is not None and issubclass(kind, KeyboardInterrupt)
        grace_s = INTERRUPTED_GRACE_S if interrupted else math.inf
        try:
            add_to(self._log, run_job(self._caller, self._log, "stop", grace_s))
            shorten(self._log)
        except NodeFault:
            if kind is None:
                raise
        except HttpdynoError:
            if kind is None or interrupted:
                raise
        finally:
            if self._authority is not None:
                with suppress(OSError):
                    self._authority.cleanup()

    def usage(self) -> Usage:
        """The usage of its processes so far; zero when it has ended."""
        return self._look().usage or Usage(0.0, 0.0, 0, 0, 0, 0, 0, 0)

    def _look(self) -> ServerState:
        found: ServerState = self._caller.call("look")
        return found

    def _with_certificate(self, up: StartedServer) -> Target:
        """The target with its certificate in a file of this machine, where the plan is read."""
        tls = up.target.tls
        if tls is None or up.authority is None:
            return up.target
        self._authority = tempfile.TemporaryDirectory(prefix="httpdyno-")
        file = Path(self._authority.name) / "authority.pem"
        file.write_bytes(up.authority)
        return replace(up.target, tls=replace(tls, ca=str(file)))


class _Meter:
    """Reads the usage there. The agent that watches the machine samples the server meanwhile."""

    def __init__(self, server: RemoteServer, watcher: Caller, pids: tuple[int, int]) -> None:
        self._server = server
        self._watcher = watcher
        self._asked: Any = None
        self._last: QuickUsage | None = None
        watcher.call("attend", *pids)

    def snapshot(self) -> Usage:
        """The totals now."""
        return self._server.usage()

    def quick(self) -> QuickUsage | None:
        """The answer to the last call; it asks for the next one and does not wait."""
        if self._asked is not None and not self._asked.done():
            return self._last
        with suppress(Exception):  # the trial itself notices a machine that is lost
            if self._asked is not None:
                self._last = self._asked.result()
            self._asked = self._watcher.ask("quick", ())
        return self._last
