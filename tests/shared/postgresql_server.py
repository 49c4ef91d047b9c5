"""A PostgreSQL server for tests: Debian's, as an unprivileged user, on a Unix socket of its own."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from time import sleep
from typing import Any

import pytest

HBA = """\
local closed all reject
local all locked scram-sha-256
local guarded guarded scram-sha-256
local all peer peer
local all all trust
"""
PASSWORD = "hunter2 s3cr3t/@:?"
SETTINGS = (
    "listen_addresses=",
    "fsync=off",  # the machine does not crash, and the tests crash no server
    "shared_buffers=16MB",
    "autovacuum=off",
)
DATABASES = count(1)


class PostgreSQL:
    """The server, and databases in it. The role `httpdyno` owns them; `locked` has a password."""

    def __init__(self, programs: Path) -> None:
        self.programs = programs
        self.folder = Path(tempfile.mkdtemp(prefix="httpdyno-pg-"))
        self._user: dict[str, Any] = {}
        if os.geteuid() == 0:  # PostgreSQL refuses to run as root
            names = [one.pw_name for one in pwd.getpwall()]
            user = pwd.getpwnam("postgres" if "postgres" in names else "nobody")
            os.chown(self.folder, user.pw_uid, user.pw_gid)
            self._user = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        self._server: subprocess.Popen[bytes] | None = None
        initdb = ["initdb", "-D", "data", "-U", "postgres", "-A", "trust", "-E", "UTF8", "-N"]
        if int(programs.parent.name) >= 15:  # names sort unlike their bytes
            initdb += ["--locale-provider=icu", "--icu-locale=en-US"]
        self._run([*initdb, "--locale=C.UTF-8"])
        (self.folder / "data" / "pg_hba.conf").write_text(HBA)
        self.start()
        self.sql("CREATE ROLE httpdyno LOGIN")
        self.sql(f"CREATE ROLE locked LOGIN PASSWORD '{PASSWORD}'")

    def _run(self, arguments: list[str]) -> None:
        program, *rest = arguments
        done = subprocess.run(
            [str(self.programs / program), *rest],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
            **self._user,
        )
        assert done.returncode == 0, done.stderr

    def start(self) -> None:
        """Start it, and wait until it answers."""
        import psycopg

        settings = [word for setting in SETTINGS for word in ("-c", setting)]
        command = [str(self.programs / "postgres"), "-D", "data", "-k", str(self.folder), *settings]
        with (self.folder / "log").open("ab") as log:
            self._server = subprocess.Popen(
                command, cwd=self.folder, stdout=log, stderr=log, **self._user
            )
        while True:
            try:
                psycopg.connect(self.dsn("postgres")).close()
            except psycopg.OperationalError:
                log_text = (self.folder / "log").read_text(errors="replace")
                assert self._server.poll() is None, log_text
                sleep(0.02)
            else:
                return

    def stop(self) -> None:
        """Stop it at once: connections are cut."""
        assert self._server is not None
        self._server.send_signal(signal.SIGINT)
        self._server.wait()

    @property
    def runs(self) -> bool:
        return self._server is not None and self._server.poll() is None

    def dsn(self, database: str, user: str = "postgres") -> str:
        return f"host={self.folder} user={user} dbname={database}"

    def sql(self, statement: str, database: str = "postgres", user: str = "postgres") -> list[Any]:
        """The rows of a statement, each statement in a transaction of its own."""
        import psycopg

        with psycopg.connect(self.dsn(database, user), autocommit=True) as connection:
            done = connection.execute(statement)
            return done.fetchall() if done.description else []

    def new_database(self) -> str:
        """The name of a new, empty database."""
        name = f"bench{next(DATABASES)}"
        self.sql(f"CREATE DATABASE {name} OWNER httpdyno")
        return name

    def url(self, database: str, user: str = "httpdyno") -> str:
        return f"postgresql://{user}@/{database}?host={self.folder}"

    def close(self) -> None:
        if self.runs:
            self.stop()
        shutil.rmtree(self.folder)


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgreSQL]:
    """The server. Skips where it is not installed."""
    pytest.importorskip("psycopg", reason="psycopg is not installed: pip install '.[postgres]'")
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not found:
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    server = PostgreSQL(found[-1].parent)
    try:
        yield server
    finally:
        server.close()
