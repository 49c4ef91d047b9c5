"""A database of PostgreSQL: filled once, made anew for each trial, and asked for its counters.

It is told apart from all others of its server by its name, and nothing else there is touched. The
counters are those of the extension pg_stat_statements, if the server has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, quote, unquote, urlsplit

from httpdyno.errors import EnvironmentFault, UsageError
from httpdyno.extras import install_command
from httpdyno.output.printable import printable

if TYPE_CHECKING:
    from psycopg import Connection, Error

CONNECT_S = 10
_STATEMENTS = """
    SELECT query, calls, rows FROM pg_stat_statements
    JOIN pg_database ON pg_database.oid = dbid WHERE datname = %s
"""
_RESET = """
    SELECT pg_stat_statements_reset(0, oid, 0) FROM pg_database WHERE datname = %s
"""
_CLIENTS = """
    SELECT count(*) FROM pg_stat_activity
    WHERE datname = %s AND backend_type = 'client backend' AND pid <> pg_backend_pid()
"""
_COMMENT = re.compile(r"/\*.*?\*/|--[^\n]*", re.DOTALL)
_KIND = re.compile(r"[\s(]*([a-z]+)", re.IGNORECASE)
_READS = ("select", "table", "values")
_WRITES = ("update", "insert", "delete", "merge")


@dataclass(frozen=True)
class Counters:
    """The statements that a database has executed, and the rows that they returned or changed."""

    queries: int = 0
    """All that read or change rows, whatever their tables are."""
    reads: int = 0
    rows_read: int = 0
    rows_written: int = 0


class Database:
    """A database in a server of PostgreSQL that the user at `url` may create databases in."""

    def __init__(self, url: str, name: str, user: tuple[str, str] | None = None) -> None:
        """Connects. `user`: the name and the password of the owner, who is created in a server of
        this run; None: the user at `url`. Raises EnvironmentFault."""
        self._url = url
        self.name = name
        self._template = f"{name}_template"
        self._owner_url = url if user is None else _with_user(url, *user)
        self._connection = _connect(url)
        self.version = str(self._connection.info.parameter_status("server_version") or "?")
        self.counts_statements = False
        with self._explain_errors():
            if user is not None:
                self._do(f"CREATE ROLE \"{user[0]}\" LOGIN PASSWORD '{user[1]}'")
                self._do("CREATE EXTENSION pg_stat_statements")
        with suppress(EnvironmentFault), self._explain_errors():
            self._do("SELECT 1 FROM pg_stat_statements LIMIT 1")
            self.counts_statements = True
        self._owner = f' OWNER "{user[0]}"' if user is not None else ""

    @property
    def address(self) -> str:
        """The URL for the servers."""
        return with_database(self._owner_url, self.name)

    def fill(self, statements: Iterable[str], source: str = "") -> None:
        """Makes the database from which each trial gets a copy. `source`: the file of the
        statements, for errors."""
        with self._explain_errors():
            self._do(f'CREATE DATABASE "{self._template}"{self._owner}')
            with _connect(with_database(self._owner_url, self._template)) as owner:
                for statement in statements:
                    with self._explain_errors(source, statement):
                        owner.execute(statement)
                owner.execute("VACUUM ANALYZE")

    def reset(self) -> None:
        """Makes the database anew; connections to it are cut."""
        with self._explain_errors():
            self._do(f'DROP DATABASE IF EXISTS "{self.name}" WITH (FORCE)')
            self._do(f'CREATE DATABASE "{self.name}" TEMPLATE "{self._template}"{self._owner}')

    def reset_counters(self) -> None:
        """Sets the counters of its statements to zero."""
        if self.counts_statements:
            with self._explain_errors():
                self._connection.execute(_RESET, [self.name])

    def counters(self, tables: Sequence[str] = ()) -> Counters | None:
        """The counters since they were set to zero; None: the server does not count statements.
        `tables`: those of the reads and rows; none: all tables."""
        if not self.counts_statements:
            return None
        with self._explain_errors():
            return count_queries(self._connection.execute(_STATEMENTS, [self.name]), tables)

    def connections(self) -> int:
        """The connections that servers have to it now."""
        with self._explain_errors():
            return self._number(self._connection.execute(_CLIENTS, [self.name]).fetchone())

    def number(self, query: str) -> int:
        """The only value that a query of the database returns."""
        with self._explain_errors(), _connect(with_database(self._url, self.name)) as there:
            return self._number(there.execute(query).fetchone())

    def drop(self) -> None:
        """Removes what it has made in the server."""
        with suppress(EnvironmentFault), self._explain_errors():
            for name in (self.name, self._template):
                self._do(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')

    def disconnect(self) -> None:
        """Ends the connection to the server."""
        self._connection.close()

    def _do(self, statement: str) -> None:
        self._connection.execute(statement)

    @staticmethod
    def _number(row: Any) -> int:
        return int(row[0])

    @contextmanager
    def _explain_errors(self, source: str = "", statements: str = "") -> Iterator[None]:
        from psycopg import Error  # noqa: PLC0415 - an optional dependency

        try:
            yield
        except Error as error:
            why = _first_line(error)
            if source:
                line = _line(error, statements)
                raise UsageError(f"{source}{line}: PostgreSQL refuses it: {why}") from None
            raise EnvironmentFault(f"the database `{self.name}`: {why}") from None


def _line(error: Error, statements: str) -> str:
    """The line of the statements that an error is about, if PostgreSQL names its place."""
    place = error.diag.statement_position
    return f", line {statements.count(chr(10), 0, int(place) - 1) + 1}" if place else ""


def count_queries(rows: Iterable[Sequence[Any]], tables: Sequence[str]) -> Counters:
    """The counters of statements: (text, calls, rows) each, as PostgreSQL normalises them."""
    named = re.compile("|".join(rf"\b{re.escape(one)}\b" for one in tables), re.IGNORECASE)
    queries = reads = rows_read = rows_written = 0
    for text, calls, touched in rows:
        plain = _COMMENT.sub(" ", text)
        kind = _kind(plain)
        if kind is None:
            continue
        queries += calls
        if not named.search(plain):
            continue
        if kind in _WRITES:
            rows_written += touched
        else:
            reads += calls
            rows_read += touched
    return Counters(queries, reads, rows_read, rows_written)


def _kind(text: str) -> str | None:
    """The first word of a statement about rows, of a `WITH` that of what follows; None: another."""
    found = _KIND.match(text)
    kind = found[1].lower() if found else ""
    if kind == "with":
        changes = re.search(r"\b(update|insert|delete|merge)\b", text, re.IGNORECASE)
        return changes[1].lower() if changes else "select"
    return kind if kind in (*_READS, *_WRITES) else None


def _connect(url: str) -> Connection[Any]:
    try:
        import psycopg  # noqa: PLC0415 - an optional dependency
    except ModuleNotFoundError:
        raise EnvironmentFault(
            "a database beside the server needs psycopg, which is not installed",
            hint=f"`{install_command('postgres')}`",
        ) from None
    try:
        return psycopg.connect(
            url, autocommit=True, connect_timeout=CONNECT_S, application_name="httpdyno"
        )
    except (psycopg.Error, UnicodeError) as error:
        raise EnvironmentFault(
            f"PostgreSQL at `{_address(url)}` cannot be reached: {_first_line(error)}"
        ) from None


def _address(url: str) -> str:
    """Host and port of a URL."""
    parts = urlsplit(url)
    return parts.netloc.rpartition("@")[2] or "(its default address)"


def with_database(url: str, name: str) -> str:
    """The URL of another database of the same server."""
    return _join(urlsplit(url)._replace(path=f"/{name}"))


def libpq_variables(url: str) -> dict[str, str]:
    """The variables of libpq with the parts of a URL, for drivers that take no such URL."""
    parts = urlsplit(url)
    values = {
        "PGHOST": parts.hostname,
        "PGPORT": str(parts.port or 5432),
        "PGUSER": parts.username,
        "PGPASSWORD": parts.password,
        "PGDATABASE": parts.path.removeprefix("/"),
    }
    return {name: unquote(value) for name, value in values.items() if value}


def _with_user(url: str, name: str, password: str) -> str:
    parts = urlsplit(url)
    place = f"{quote(name, safe='')}:{quote(password, safe='')}@{parts.netloc.rpartition('@')[2]}"
    return _join(parts._replace(netloc=place))


def _join(parts: SplitResult) -> str:
    """The URL, with `//` also before an empty host: that of a Unix socket is in its query."""
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.scheme}://{parts.netloc}{parts.path}{query}"


def _first_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return printable((lines or [type(error).__name__])[0])
