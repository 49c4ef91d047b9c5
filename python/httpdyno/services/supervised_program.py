"""A program of a service under a supervisor, which ends all of its processes."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import monotonic, sleep

from httpdyno.servers import UsageMeter
from httpdyno.servers.failure import ServerFailure, last_words, quote_log
from httpdyno.servers.process import leftovers
from httpdyno.servers.process.processes import TOKEN_VARIABLE, living_members
from httpdyno.servers.process.run_folders import new_run_folder
from httpdyno.servers.process.supervisor import Supervisor

User = tuple[int, int]
"""The numbers of a user and of a group."""


class SupervisedProgram:
    """The programs of one service, one after the other, and their scratch folder.

    A killed httpdyno leaves neither behind: see `leftovers.py`.
    """

    def __init__(self, name: str, log: Path, user: User | None) -> None:
        """Makes the scratch folder. `user` runs the programs; None: this process's own."""
        self.name = name
        self.log = log
        self._user = user
        self._token = uuid.uuid4().hex
        self.folder = new_run_folder(self._token)
        self._record = leftovers.new_record(self._token, [name], self.folder)
        self._supervisor: Supervisor | None = None
        log.parent.mkdir(parents=True, exist_ok=True)

    def run(self, command: Sequence[str], environment: Mapping[str, str], within_s: float) -> None:
        """Runs a program to its end. Raises ServerFailure if it fails or takes longer."""
        self.start(command, environment, None)
        deadline = monotonic() + within_s
        while self.exit_code is None and monotonic() < deadline:
            sleep(0.01)
        code = self.exit_code
        self._end()
        if code != 0:
            words = quote_log(last_words(self.log, 3))
            why = f"took more than {within_s:g} s" if code is None else words
            raise self.failure(f"`{Path(command[0]).name}` failed: {why}")

    def start(
        self, command: Sequence[str], environment: Mapping[str, str], cpus: Sequence[int] | None
    ) -> None:
        """Starts a program in the scratch folder, on these cores (None: all)."""
        self._supervisor = supervisor = Supervisor(self.log)
        leftovers.write(self._record)
        try:
            supervisor.start(
                command,
                folder=self.folder,
                environment={**environment, TOKEN_VARIABLE: self._token},
                cpus=cpus,
                user=self._user,
            )
        except OSError as error:
            raise self.failure(f"`{command[0]}` cannot be started: {error.strerror}") from None
        self._record = self._record.with_processes(supervisor.server_pid, supervisor.pid)
        leftovers.write(self._record)

    @property
    def exit_code(self) -> int | None:
        """The exit code of the program; None while it runs."""
        return None if self._supervisor is None else self._supervisor.exit_code()

    def usage_meter(self) -> UsageMeter | None:
        """A meter of all processes of the program; None: none runs."""
        if self._supervisor is None:
            return None
        return UsageMeter(self._supervisor.server_pid, self._supervisor.pid)

    def close(self, grace_s: float) -> None:
        """Asks the program to end (SIGINT), kills it after the grace, and removes the folder."""
        try:
            if self._supervisor is not None and self._supervisor.server_pid:
                self._ask_to_end(self._supervisor.server_pid, grace_s)
        finally:
            self._end()
            shutil.rmtree(self.folder, ignore_errors=True)
            leftovers.forget(self._record)

    def _ask_to_end(self, pid: int, grace_s: float) -> None:
        deadline = monotonic() + grace_s
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGINT)
        while living_members(self._record.leader) and monotonic() < deadline:
            sleep(0.01)

    def _end(self) -> None:
        if self._supervisor is not None:
            self._supervisor.close()
            self._supervisor = None

    def failure(self, what: str) -> ServerFailure:
        """The failure of the service, in a sentence."""
        return ServerFailure(f"the service `{self.name}`: {what}", stage="start", log=self.log)
