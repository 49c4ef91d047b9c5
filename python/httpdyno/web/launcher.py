"""Starts runs as processes of their own: they outlive the page, and Ctrl-C on it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue

from httpdyno.errors import EnvironmentFault
from httpdyno.running.live.identity import Identity
from httpdyno.running.live.journal import folder_of, live_folder

LOG = "output.log"
WAIT_S = 0.5
MOST_STARTED = 8
"""Runs that the page has started and that have not ended: they would only wait for each other."""


@dataclass
class Launcher:
    """Starts runs on the thread that calls `work`."""

    studies: Path
    """The folder whose studies can be started; runs work in it."""
    _requests: SimpleQueue[tuple[list[str], Path, Future[str]] | None] = field(
        default_factory=SimpleQueue
    )
    _children: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start(self, arguments: list[str], folder: Path | None = None) -> Future[str]:
        """Starts `httpdyno ARGUMENTS` soon; the key of the run, or an EnvironmentFault."""
        started: Future[str] = Future()
        self._requests.put((arguments, folder or self.studies, started))
        return started

    def wake(self) -> None:
        """Ends the wait of `work`. A handler of signals may call it: a SimpleQueue allows that."""
        self._requests.put(None)

    def work(self) -> None:
        """Starts what is wanted, waits a moment, and lets ended processes go."""
        self._children = [child for child in self._children if child.poll() is None]
        with suppress(Empty):
            request = self._requests.get(timeout=WAIT_S)
            if request is None:
                return
            arguments, folder, started = request
            try:
                started.set_result(self._start(arguments, folder))
            except (OSError, EnvironmentFault) as error:
                started.set_exception(error)

    def _start(self, arguments: list[str], folder: Path) -> str:
        if len(self._children) >= MOST_STARTED:
            raise EnvironmentFault(f"{MOST_STARTED} runs from this page have not ended yet")
        live_folder().mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=".starting-", dir=live_folder())
        with os.fdopen(handle, "wb") as log:
            child = subprocess.Popen(
                # -P: nothing in the working folder is imported
                [sys.executable, "-P", "-m", "httpdyno", *arguments],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._children.append(child)
        key = Identity.of(child.pid).key
        folder_of(key).mkdir(mode=0o700, exist_ok=True)
        Path(name).replace(folder_of(key) / LOG)
        return key
