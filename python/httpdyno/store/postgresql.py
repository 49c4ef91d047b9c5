"""PostgreSQL: how it is connected to, and its errors in words.

The states are the SQLSTATEs of "PostgreSQL Error Codes", an appendix of its manual.
"""

from __future__ import annotations

import re
import shlex
from typing import Any

from sqlalchemy import URL, Connection, Engine, event
from sqlalchemy.exc import DBAPIError

from httpdyno.errors import EnvironmentFault
from httpdyno.store.patience import LostDatabaseError

DRIVER = "postgresql+psycopg"
NAMES = ("postgres", "postgresql", DRIVER)
"""The schemes of its URLs."""
BUSY_S = 10
"""The longest wait for a lock that another process holds."""
MIGRATION_LOCK = 0x68747470
"""The advisory lock of whoever creates or migrates the tables."""

_DEFAULTS: dict[str, Any] = {
    "application_name": "httpdyno",
    "connect_timeout": 10,
    "tcp_user_timeout": 30_000,  # milliseconds; a network that was cut is noticed
    "prepare_threshold": None,  # so that a pooler such as PgBouncer may be in between
}
_GRANT = "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO"
_OWN = "give httpdyno a database of its own: `createdb bench`"
_FAULTS = {
    "3F000": (
        "it has no schema to create the tables in",
        "create the schema of `search_path`: `CREATE SCHEMA …`",
    ),
    "25006": ("it is read-only", "name its primary server, or a user who may write"),
    "53100": ("the disk of its server is full", "free some disk space on that server"),
    "55P03": ("another process keeps it locked", "wait for the other run to end, then try again"),
    "42P01": ("its tables are not those of httpdyno", _OWN),
    "42P07": ("its tables are not those of httpdyno", _OWN),
    "42703": ("its tables are not those of httpdyno", _OWN),
}
_PASSWORD = "put the password into `~/.pgpass` or PGPASSWORD"  # noqa: S105 - a hint
_NO_CONNECTION = (
    (
        "password authentication failed",
        "the user or the password is wrong",
        "check the user, and the password in the URL, `~/.pgpass` or PGPASSWORD",
    ),
    (
        "Peer authentication failed",
        "this Unix socket is only for the system user of the same name",
        "connect by TCP (`@localhost/…`), or allow `scram-sha-256` in pg_hba.conf",
    ),
    (
        "server does not support SSL",
        "it has no TLS, which `sslmode` requires",
        "turn on `ssl` in its postgresql.conf, or leave out `sslmode`",
    ),
    ("no password supplied", "it expects a password", _PASSWORD),
    (
        "pg_hba.conf",
        "it does not let this user in from this machine",
        "add a line for the user, the database and the address to its pg_hba.conf",
    ),
    (
        "Connection refused",
        "nothing listens there",
        "check host and port, start the server, and add this address to its `listen_addresses`",
    ),
    ("No such file or directory", "no server has this socket", "check the folder in `host`"),
    ("resolve host", "its host is unknown", "check the host's name"),
    ("Name or service not known", "its host is unknown", "check the host's name"),
    ("timeout expired", "its host does not answer", "check the host, the port and the firewall"),
)
_MISSING = re.compile(r'(database|role) "(.+)" does not exist')
_LOST = ("08", "57P")
"""The classes of states in which a server goes away, or comes back."""


def settings(url: URL) -> dict[str, Any]:
    """The settings of a connection that its URL does not have."""
    return {name: value for name, value in _DEFAULTS.items() if name not in url.query}


def prepare(engine: Engine) -> None:
    """Limits the wait for locks."""

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{BUSY_S}s'")


def fault(error: DBAPIError, name: str, user: str | None, *, connecting: bool) -> EnvironmentFault:
    """An error of PostgreSQL as one sentence; a LostDatabaseError if the server may come back."""
    state = getattr(error.orig, "sqlstate", None) or ""
    subject = f"the results database `{name}`"
    if connecting:
        return _not_connected(str(error.orig), subject)
    if error.connection_invalidated or state.startswith(_LOST):
        return LostDatabaseError(f"{subject}: the connection was lost", hint="start its server")
    if state in _FAULTS:
        what, to_do = _FAULTS[state]
        return EnvironmentFault(f"{subject}: {what}", hint=to_do)
    grant = f"its owner can give the rights: `{_GRANT} {user or 'THE_USER'}`"
    hint = grant if state == "42501" else None
    return EnvironmentFault(f"{subject}: {_first_line(error)}", hint=hint)


def _not_connected(message: str, subject: str) -> LostDatabaseError:
    if missing := _MISSING.search(message):
        kind, name = missing.groups()
        what, create = ("user", "createuser") if kind == "role" else ("database", "createdb")
        return LostDatabaseError(
            f"{subject}: its server has no {what} `{name}`",
            hint=f"create it there: `{create} {shlex.quote(name)}` (https://httpdyno.github.io/httpdyno/guides/team-store/)",
        )
    for sign, what, hint in _NO_CONNECTION:
        if sign in message:
            return LostDatabaseError(f"{subject}: {what}", hint=hint)
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    why = (lines or ["no reason is given"])[-1].rpartition("failed: ")[2].removeprefix("FATAL:")
    return LostDatabaseError(f"{subject} cannot be reached: {why.strip()}")


def _first_line(error: DBAPIError) -> str:
    return (str(error.orig).splitlines() or ["no reason is given"])[0]
