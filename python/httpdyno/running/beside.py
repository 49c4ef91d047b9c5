"""The database of a study, from its start to its end with the run."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from httpdyno.errors import UsageError
from httpdyno.host.pinning import available, beside, cores_in_words
from httpdyno.output.places import expanded as path_of
from httpdyno.running.machines.site import Site, ThisMachine, this_machine
from httpdyno.running.variables import expanded, variables_of
from httpdyno.servers import Installation, UsageMeter
from httpdyno.services.database import Database, libpq_variables
from httpdyno.services.postgresql import PostgreSQL
from httpdyno.services.programs import programs
from httpdyno.study import Study
from httpdyno.study.own.service import Service
from httpdyno.workloads import get, world

VARIABLE = "DATABASE_URL"
"""The variable of the environment in which servers find the database."""


@dataclass(frozen=True)
class DatabaseBeside:
    """A database beside the servers of a run."""

    name: str
    database: Database
    meter: UsageMeter | None
    """Of its processes; None: it runs elsewhere, or its processes are not known."""
    cores: tuple[int, ...] = ()
    """Its processors; none: they are not known."""
    shares_server: bool = False
    """They are those of the server, too."""
    is_elsewhere: bool = False
    """It is in a server of the user's own, and its password is the user's."""

    def serving(self, installation: Installation) -> Installation:
        """The installation whose starts have its address. Raises UsageError for a command that
        would show the user's password in the list of processes."""
        server, placeholder = installation.server, f"{{{VARIABLE.lower()}}}"
        words = [word for one in server.deployments.values() for word in one.command]
        if self.is_elsewhere and any(placeholder in word for word in words):
            raise UsageError(
                f"the command of `{server.name}` has `{placeholder}`, which shows the password of"
                f" `url` to all users of this machine: expected a program that reads {VARIABLE}"
                " from its environment"
            )
        address = self.database.address
        return replace(installation, services={VARIABLE: address, **libpq_variables(address)})

    def reset(self) -> None:
        """Makes its rows as they were before the first trial; connections to it are cut."""
        self.database.reset()


@contextmanager
def database_of(
    study: Study, site: Site | None, folder: Path, report: Callable[[str], None]
) -> Iterator[tuple[Site, DatabaseBeside | None]]:
    """The machines of a run and the database of its study, which ends with the context.

    `site` None: this machine, without the processors of the database. Its log is in `folder`.
    Raises UsageError, EnvironmentFault or ServerFailure.
    """
    service = next(iter(study.services.items()), None)
    if service is None:
        yield site or this_machine(), None
        return
    name, table = service
    if site is not None and site.machines:
        raise UsageError(
            f"[services.{name}] is for servers on this machine: expected a study without services"
            " for `--on`"
        )
    statements = statements_of(study, table)
    with ExitStack() as stack:
        if table.url is None:
            found, cpus = _start(name, table, folder, report, stack)
            site = site or ThisMachine(cpus)
        else:
            found, site = _existing(study, name, table.url, stack), site or this_machine()
        report(_in_words(found))
        found.database.fill(statements, table.setup or "")
        found.reset()
        yield site, found


@contextmanager
def with_world(
    installation: Installation, deployment: str, log: Path, report: Callable[[str], None]
) -> Iterator[Installation]:
    """The installation with a fresh database beside it, if a workload of the deployment needs one.

    The database is on the processors that the server may use, too. Raises as `database_of`.
    """
    names = installation.server.workloads_of(deployment)
    if all(get(name).queries is None for name in names):
        yield installation
        return
    with PostgreSQL(programs("18", report), None, "db", log) as server:
        server.database.fill(world.statements())
        server.database.reset()
        yield DatabaseBeside("db", server.database, None).serving(installation)


def _start(
    name: str, table: Service, folder: Path, report: Callable[[str], None], stack: ExitStack
) -> tuple[DatabaseBeside, list[int]]:
    """A database of this run, and the processors that are left."""
    own, left = beside(available(), table.cores)
    where = programs(table.version or "18", report)
    server = stack.enter_context(PostgreSQL(where, own, name, folder / "logs" / f"{name}.log"))
    shares = not set(own).isdisjoint(left)
    meter = server.usage_meter()
    return DatabaseBeside(name, server.database, meter, tuple(own), shares), left


def _existing(study: Study, name: str, url: str, stack: ExitStack) -> DatabaseBeside:
    """A database in a server of the user's own."""
    variables = variables_of(study.env_file)
    whole = expanded(url, variables, f"`url` of [services.{name}]", write=str)
    database = Database(whole, f"httpdyno_{secrets.token_hex(4)}")
    stack.callback(database.disconnect)
    stack.callback(database.drop)
    return DatabaseBeside(name, database, None, is_elsewhere=True)


def statements_of(study: Study, table: Service) -> list[str]:
    """The statements that make and fill the tables. Raises UsageError for a file that cannot be
    read."""
    if table.setup is None:
        return world.statements()
    file = Path(study.file).parent / path_of(table.setup)
    try:
        return [file.read_text(encoding="utf-8")]
    except (OSError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or "it is no UTF-8"
        raise UsageError(f"`setup` is `{table.setup}`, which cannot be read: {why}") from None


def _in_words(found: DatabaseBeside) -> str:
    parts = [f"database `{found.name}`: PostgreSQL {found.database.version}"]
    if found.cores:
        parts.append(f" on {cores_in_words(found.cores)}")
    if found.shares_server:
        parts.append(", which is the server's, too: it takes CPU time from it")
    if not found.database.counts_statements:
        parts.append("; its queries are not counted, because it has no pg_stat_statements")
    return "".join(parts)
