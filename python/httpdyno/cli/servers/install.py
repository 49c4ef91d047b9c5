"""`httpdyno servers install`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from httpdyno.cli.servers.choice import All, Names, Own, chosen, own_words
from httpdyno.cli.servers.many import Outcome, ask_each, exit_code, left_out
from httpdyno.cli.servers.work import interruptible, tell
from httpdyno.errors import HttpdynoError

if TYPE_CHECKING:
    from httpdyno.servers import Server

__all__ = ["install", "install_many"]


def install(
    names: Names = None,
    server: Own = None,
    every: All = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only print the commands that would run.")
    ] = False,
) -> int:
    """Install servers into the cache folder; what is installed already is left alone.

    Debian packages that a server needs are installed too, as root or with `sudo`; nothing else of
    this machine is touched. Exit code 3 when a server fails to install, 4 when something is
    missing.

    \b
    Examples:
      httpdyno servers install tornado starlette
      httpdyno servers install --all
      httpdyno servers install --server ./mine/server.toml --dry-run
    """
    from httpdyno.cli.servers.many_view import show_outcomes

    servers = chosen(names, server, every=every)
    if dry_run:
        return _tell_commands(servers)
    if len(servers) == 1:
        with interruptible():
            return _install_one(servers[0])
    outcomes = install_many(servers, server)
    show_outcomes(outcomes)
    return exit_code(outcomes)


def install_many(servers: list[Server], own: list[Path] | None) -> list[Outcome]:
    """All Debian packages first, in one transaction; then two builds at a time."""
    from httpdyno.cli.servers.many_view import Progress

    tried, rows = left_out(servers)
    _install_packages_of(tried)
    progress = Progress("installing", len(tried))
    words = own_words(own)
    return [*ask_each(tried, lambda one: ["install", one.name, *words], progress.tell), *rows]


def _install_packages_of(servers: list[Server]) -> None:
    """One transaction for all; when it fails, each server tries for itself and tells its own."""
    from httpdyno.servers.folders import cache_folder
    from httpdyno.servers.installation import debian
    from httpdyno.servers.installation.requirements import missing_packages

    wanted = sorted({package for server in servers for package in missing_packages(server)})
    if not wanted:
        return
    try:
        with interruptible():
            debian.install_packages(wanted, cache_folder() / "logs" / "apt.log", tell)
    except HttpdynoError as error:
        tell(f"note: {error.message}; trying the packages of each server by themselves")


def _install_one(server: Server) -> int:
    from httpdyno.servers import install as install_server

    done = install_server(server, system=True, report=tell)
    typer.echo(f"{server.name} {done.version}  {done.prefix}")
    return 0


def _tell_commands(servers: list[Server]) -> int:
    from httpdyno.servers import install as install_server

    for server in servers:
        if server.unavailable is not None and len(servers) > 1:
            typer.echo(f"# {server.name} cannot be had: {server.unavailable}")
        else:
            install_server(server, dry_run=True, report=typer.echo)
    return 0
