"""`httpdyno servers`: list, install, check and start the servers of the catalogue."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from httpdyno.cli.help import VerbCommand
from httpdyno.errors import ExitCode, HttpdynoError, UsageError

if TYPE_CHECKING:
    from httpdyno.servers import Catalogue, RunningServer, Server

__all__ = ["app"]

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="List, install, check and start the servers.",
)

Names = Annotated[list[str] | None, typer.Argument(metavar="[NAME]...", help="Servers by name.")]
Own = Annotated[
    list[Path] | None,
    typer.Option("--server", metavar="FILE", help="A server.toml of your own; repeatable."),
]
All = Annotated[bool, typer.Option("--all", help="Every server of the catalogue.")]
AsJson = Annotated[bool, typer.Option("--json", help="JSON on stdout, for programs.")]


@app.command(name="list", cls=VerbCommand)
def list_servers(server: Own = None, as_json: AsJson = False) -> None:
    """Show the catalogue: what can be measured, and what is installed.

    \b
    Examples:
      httpdyno servers list
      httpdyno servers list --json
      httpdyno servers list --server ./mine/server.toml
    """
    from httpdyno.cli.servers_view import show_list
    from httpdyno.servers import installed, load_catalogue

    rows = [(entry, installed(entry)) for entry in load_catalogue(server or ())]
    show_list(rows, as_json=as_json)


@app.command(cls=VerbCommand)
def install(
    names: Names = None,
    server: Own = None,
    every: All = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only print the commands that would run.")
    ] = False,
) -> int:
    """Install servers into the cache folder; what is installed already is left alone.

    \b
    Examples:
      httpdyno servers install tornado starlette
      httpdyno servers install --all
      httpdyno servers install --server ./mine/server.toml --dry-run
    """
    from httpdyno.servers import install as install_server

    def one(chosen: Server) -> bool:
        report = typer.echo if dry_run else _tell
        done = install_server(chosen, dry_run=dry_run, report=report)
        if not dry_run:
            typer.echo(f"{chosen.name} {done.version}  {done.prefix}")
        return True

    return _for_each(_chosen(names, server, every=every), one)


@app.command(cls=VerbCommand)
def check(
    names: Names = None,
    server: Own = None,
    every: All = False,
    deployment: Annotated[
        str | None, typer.Option("--deployment", metavar="NAME", help="Not the first one.")
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Prove a server's answers byte for byte, and see how it speaks HTTP.

    Exit code 3 when an answer is wrong or a server fails.

    \b
    Examples:
      httpdyno servers check tornado
      httpdyno servers check --all --json
      httpdyno servers check --server ./mine/server.toml
    """
    from httpdyno.cli.servers_view import Checked, show_check, show_json
    from httpdyno.servers import check_behaviour, check_workloads
    from httpdyno.workloads import get

    checked: list[Checked] = []

    def one(chosen: Server) -> bool:
        name = deployment or next(iter(chosen.deployments))
        with _started(chosen, name, None, None) as running:
            known = [get(workload) for workload in chosen.workloads]
            rows = check_workloads(running.host, running.port, known)
            habits = check_behaviour(running.host, running.port, chosen.ready.path)
        result = Checked(chosen.name, running.installation.version, name, rows, habits)
        checked.append(result)
        if not as_json:
            show_check(result)
        return result.ok

    code = _for_each(_chosen(names, server, every=every), one)
    if as_json:
        show_json(checked)
    return code


@app.command(cls=VerbCommand)
def start(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A server by name.")],
    server: Own = None,
    deployment: Annotated[
        str | None, typer.Option("--deployment", metavar="NAME", help="Not the first one.")
    ] = None,
    port: Annotated[
        int | None, typer.Option("--port", min=1, max=65535, help="Not just any free port.")
    ] = None,
    cpus: Annotated[
        str | None, typer.Option("--cpus", metavar="LIST", help="Its cores, such as `0` or `0,1`.")
    ] = None,
) -> None:
    """Start a server on 127.0.0.1, print its address, and end it with Ctrl-C.

    \b
    Examples:
      httpdyno servers start nginx
      httpdyno servers start tornado --deployment 4-processes --port 8080 --cpus 0
    """
    from httpdyno.servers import ServerFailure, load_catalogue

    chosen = load_catalogue(server or ()).get(name)
    cores = _cores(cpus)
    with _started(chosen, deployment or next(iter(chosen.deployments)), port, cores) as running:
        typer.echo(f"http://{running.address}{chosen.ready.path}")
        _tell(f"its log: {running.log}; Ctrl-C ends it")
        code = _until_asked_to_end(running)
        if code is not None:
            message = f"`{chosen.name}` ended by itself with code {code}"
            raise ServerFailure(message, stage="start", log=running.log)


def _chosen(names: list[str] | None, own: list[Path] | None, *, every: bool) -> list[Server]:
    """The servers that were asked for: by name, by file, or all."""
    from httpdyno.servers import load_catalogue
    from httpdyno.servers.catalogue import load_server

    catalogue: Catalogue = load_catalogue(own or ())
    if every:
        return list(catalogue)
    if names:
        return [catalogue.get(name) for name in names]
    if own:
        return [load_server(path) for path in own]
    raise UsageError(
        "no server given: expected names, `--server FILE` or `--all`",
        hint="`httpdyno servers list` shows the names",
    )


def _for_each(servers: list[Server], one: Callable[[Server], bool]) -> int:
    """Do it for each server; one that fails is told about, and the others still get their turn."""
    codes: list[int] = []
    for server in servers:
        try:
            codes.append(ExitCode.OK if one(server) else ExitCode.TARGET)
        except HttpdynoError as error:
            codes.append(error.exit_code)
            if len(servers) == 1:
                raise
            _tell(f"error: {error}")
    wrong = [code for code in codes if code != ExitCode.OK]
    return min(wrong, default=ExitCode.OK)


@contextmanager
def _started(
    server: Server, deployment: str, port: int | None, cpus: list[int] | None
) -> Iterator[RunningServer]:
    """A server, installed if need be, started, and ended at the end."""
    from httpdyno.servers import install as install_server
    from httpdyno.servers import reap_leftovers
    from httpdyno.servers import start as start_server
    from httpdyno.servers.folders import cache_folder

    for told in reap_leftovers():
        _tell(told)
    server.deployment(deployment)
    installation = install_server(server, report=_tell)
    log = cache_folder() / "logs" / f"{server.name}-{deployment}.log"
    log.unlink(missing_ok=True)
    with start_server(installation, deployment, cpus=cpus, port=port, log=log) as running:
        yield running


def _until_asked_to_end(running: RunningServer) -> int | None:
    """Wait for Ctrl-C or SIGTERM (None), or for the server's own end (its exit code)."""
    import signal
    from time import sleep

    def ask(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, ask)
    try:
        while running.exit_code is None:
            sleep(0.2)
        return running.exit_code
    except KeyboardInterrupt:
        return None
    finally:
        signal.signal(signal.SIGTERM, before)


def _cores(text: str | None) -> list[int] | None:
    """`0,1` as numbers. Raises UsageError for other text and for a core that is not there."""
    if text is None:
        return None
    from httpdyno.cli.values import usable_cpus

    try:
        return usable_cpus(text)
    except ValueError as wrong:
        raise UsageError(
            f"`--cpus {text}`: {wrong}", hint="httpdyno servers start --help"
        ) from None


def _tell(text: str) -> None:
    typer.echo(text, err=True)
