"""A PostgreSQL of one run: made in a scratch folder, on a free port of 127.0.0.1, then ended.

PostgreSQL refuses to run as root. So root runs it as the user `postgres`, or else `nobody`, with
a folder that belongs to that user.
"""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
from collections.abc import Sequence
from pathlib import Path
from time import monotonic, sleep

from httpdyno.errors import EnvironmentFault
from httpdyno.servers import UsageMeter
from httpdyno.servers.failure import last_words, quote_log
from httpdyno.servers.process.port import HOST, free_port
from httpdyno.services.database import Database
from httpdyno.services.supervised_program import SupervisedProgram, User

OWNER = "benchmark"
DATABASE = "hello_world"
STARTS_WITHIN_S = 60.0
GRACE_S = 5.0
SETTINGS = {
    "listen_addresses": HOST,
    "unix_socket_directories": "",
    "max_connections": "500",
    "ssl": "off",
    "shared_buffers": "256MB",
    "work_mem": "64MB",
    "synchronous_commit": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "shared_preload_libraries": "pg_stat_statements",
    "pg_stat_statements.track": "top",
    "pg_stat_statements.track_utility": "off",
    "log_min_messages": "warning",
    "log_timezone": "UTC",
    "timezone": "UTC",
}
"""Those of TechEmpower's PostgreSQL where they matter; docs/guides/bring-a-database.md says why."""
_SYSTEM = "httpdyno"


class PostgreSQL:
    """A running server of PostgreSQL with one database, `database`."""

    def __init__(self, programs: Path, cpus: Sequence[int] | None, name: str, log: Path) -> None:
        """Makes and starts it on these cores (None: all). Raises EnvironmentFault or
        ServerFailure."""
        user = _user()
        self._supervised = SupervisedProgram(name, log, user)
        try:
            self._password = secrets.token_urlsafe(16)
            self._programs = self._usable(programs, user)
            self._make()
            self.port = free_port()
            self._start(cpus)
            self.database = Database(
                f"postgresql://{_SYSTEM}:{self._password}@{HOST}:{self.port}/postgres",
                DATABASE,
                (OWNER, secrets.token_urlsafe(16)),
            )
        except BaseException:
            self._supervised.close(0.0)
            raise

    def usage_meter(self) -> UsageMeter | None:
        """A meter of its processes."""
        return self._supervised.usage_meter()

    @property
    def exit_code(self) -> int | None:
        """Its exit code; None while it runs."""
        return self._supervised.exit_code

    def __enter__(self) -> PostgreSQL:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self.database.disconnect()
        finally:
            self._supervised.close(GRACE_S)

    @property
    def _data(self) -> Path:
        return self._supervised.folder / "data"

    def _usable(self, programs: Path, user: User | None) -> Path:
        """The folder of the programs; a copy where the user cannot reach them."""
        folder = self._supervised.folder
        programs = programs.resolve()
        if user is None:
            return programs
        for one in (folder, *folder.parents):
            if not one.stat().st_mode & 0o001:
                raise EnvironmentFault(
                    f"PostgreSQL refuses to run as root, and `{one}` is closed to other users",
                    hint="set `TMPDIR` to a folder that all users may enter, such as /tmp",
                )
        self._data.mkdir(mode=0o700)
        os.chown(self._data, *user)
        if all(one.stat().st_mode & 0o001 for one in (programs, *programs.parents)):
            return programs
        copy = folder / "programs"
        shutil.copytree(programs, copy, symlinks=True)
        return copy

    def _make(self) -> None:
        secret = self._supervised.folder / "password"
        secret.touch(mode=0o600)
        secret.write_text(self._password, encoding="ascii")
        if (user := _user()) is not None:
            os.chown(secret, *user)
        words = ["-D", str(self._data), "-U", _SYSTEM, "-A", "scram-sha-256"]
        words += [f"--pwfile={secret}", "-E", "UTF8", "--locale=C", "--no-sync"]
        self._supervised.run(
            [self._program("initdb"), *words], self._environment(), STARTS_WITHIN_S
        )
        secret.unlink()

    def _start(self, cpus: Sequence[int] | None) -> None:
        settings = {**SETTINGS, "port": str(self.port)}
        lines = (f"{name} = '{value}'\n" for name, value in settings.items())
        with (self._data / "postgresql.conf").open("a", encoding="utf-8") as file:
            file.writelines(lines)
        command = [self._program("postgres"), "-D", str(self._data)]
        self._supervised.start(command, self._environment(), cpus)
        deadline = monotonic() + STARTS_WITHIN_S
        while not self._is_ready():
            if self.exit_code is not None:
                words = last_words(self._supervised.log, 3)
                raise self._supervised.failure(f"PostgreSQL ended at once: {quote_log(words)}")
            if monotonic() > deadline:
                raise self._supervised.failure(f"not ready after {STARTS_WITHIN_S:g} s")
            sleep(0.02)

    def _is_ready(self) -> bool:
        """True once its file of the postmaster says so (its last line; pg_ctl reads it, too)."""
        try:
            lines = (self._data / "postmaster.pid").read_text(encoding="utf-8").splitlines()
        except OSError:
            return False
        return len(lines) > 7 and lines[7].strip() == "ready"

    def _program(self, name: str) -> str:
        return str(self._programs / "bin" / name)

    @staticmethod
    def _environment() -> dict[str, str]:
        return {"PATH": os.defpath, "LANG": "C", "LC_ALL": "C", "PGSYSCONFDIR": "/"}


def _user() -> User | None:
    """The user that runs PostgreSQL in the place of root; None: this process's own."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            found = pwd.getpwnam(name)
        except KeyError:
            continue
        return found.pw_uid, found.pw_gid
    raise EnvironmentFault(
        "PostgreSQL refuses to run as root, and this system has no user `nobody`",
        hint="run httpdyno as another user",
    )
