"""`httpdyno servers install`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from httpdyno.cli import shared_flags as shared
from httpdyno.cli.flags import option
from httpdyno.cli.servers.choice import All, Names, choose_servers, own_words
from httpdyno.cli.servers.many import Outcome, exit_code, left_out, run_each
from httpdyno.cli.servers.work import report
from httpdyno.cli.signals import stoppable
from httpdyno.errors import HttpdynoError
from httpdyno.output.echo import echo
from httpdyno.output.printable import printable

if TYPE_CHECKING:
    from httpdyno.servers import Server

__all__ = ["install", "install_many"]

_WAITING_FOR = "the running command to end"


def install(
    names: Names = None,
    server: shared.OwnServers = None,
    every: All = False,
    dry_run: Annotated[
        bool, option("--dry-run", "Print the commands and run none of them")
    ] = False,
) -> int:
    """Install servers into the cache folder; those already installed are skipped.

    Missing Debian packages are installed too, as root or with `sudo`. Nothing else outside the
    cache folder is changed. Exit code 3 when a server fails to install, 4 when something that it
    needs is missing.

    \b
    Examples:
      httpdyno servers install tornado starlette
      httpdyno servers install --all
      httpdyno servers install --server ./mine/server.toml --dry-run
    """
    from httpdyno.cli.servers.many_view import show_outcomes

    servers = choose_servers(names, server, every=every)
    if dry_run:
        return _show_commands(servers)
    if len(servers) == 1:
        with stoppable(_WAITING_FOR):
            return _install_one(servers[0])
    outcomes = install_many(servers, server)
    show_outcomes(outcomes)
    return exit_code(outcomes)


def install_many(servers: list[Server], own: list[Path] | None) -> list[Outcome]:
    """Install all Debian packages in one transaction, then the servers, two at a time."""
    from httpdyno.cli.servers.many_view import showing
    from httpdyno.running.live.events import Events

    tried, rows = left_out(servers)
    _install_packages_of(tried)
    words = own_words(own)
    events = Events()
    with showing(events, "installing", len(tried)) as say:
        outcomes = run_each(tried, lambda one: ["install", one.name, *words], events, say)
    return [*outcomes, *rows]


def _install_packages_of(servers: list[Server]) -> None:
    """Install the packages of all servers. After a failure each server tries its own, and fails
    with its own reason."""
    from httpdyno.servers.folders import cache_folder
    from httpdyno.servers.installation import debian
    from httpdyno.servers.installation.requirements import missing_packages

    packages = sorted({package for server in servers for package in missing_packages(server)})
    if not packages:
        return
    try:
        with stoppable(_WAITING_FOR):
            debian.install_packages(packages, cache_folder() / "logs" / "apt.log", report)
    except HttpdynoError as error:
        report(f"note: {error.message}; trying the packages of each server by themselves")


def _install_one(server: Server) -> int:
    from httpdyno.servers import install as install_server

    done = install_server(server, system=True, report=report)
    echo(" ".join(filter(None, (server.name, done.version, printable(str(done.prefix))))))
    return 0


def _show_commands(servers: list[Server]) -> int:
    from httpdyno.servers import install as install_server

    for server in servers:
        if server.unavailable is not None and len(servers) > 1:
            echo(f"# {server.name} is unavailable: {server.unavailable}")
        else:
            install_server(server, dry_run=True, report=lambda line: echo(printable(line)))
    return 0
