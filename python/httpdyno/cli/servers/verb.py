"""`httpdyno servers`: list, show, install, check and start the servers of the catalogue."""

from __future__ import annotations

from typing import Annotated

import typer

from httpdyno.cli.help import VerbCommand
from httpdyno.cli.servers.check import check
from httpdyno.cli.servers.choice import AsJson, Deployment, Filter, Own
from httpdyno.cli.servers.install import install
from httpdyno.cli.servers.work import started, tell, until_asked_to_end
from httpdyno.errors import UsageError

__all__ = ["app"]

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="List, install, check and start the servers.",
)


@app.command(name="list", cls=VerbCommand)
def list_servers(
    server: Own = None,
    language: Annotated[
        str | None, typer.Option("--language", metavar="NAME", help="Only of this language.")
    ] = None,
    post: Annotated[
        str | None, typer.Option("--post", metavar="NAME", help="Only of this comparison.")
    ] = None,
    can: Annotated[
        list[str] | None,
        typer.Option("--can", metavar="WHAT", help="A workload, or pipelining …; repeatable."),
    ] = None,
    maintained: Annotated[
        bool | None,
        typer.Option("--maintained/--unmaintained", help="Only those that are, or are not."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the catalogue: what can be measured, and what is installed.

    \b
    Examples:
      httpdyno servers list
      httpdyno servers list --language Haskell --can bigtable
      httpdyno servers list --post snap-2010 --json
      httpdyno servers list --server ./mine/server.toml
    """
    from httpdyno.cli.servers.view import show_list
    from httpdyno.servers import installed, load_catalogue

    wanted = Filter(language, post, tuple(can or ()), maintained)
    servers = wanted.of(list(load_catalogue(server or ())))
    show_list([(entry, installed(entry)) for entry in servers], as_json=as_json)


@app.command(cls=VerbCommand)
def show(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A server by name.")],
    server: Own = None,
    as_json: AsJson = False,
) -> None:
    """Show all about one server: its deployments, settings and their source, its last check.

    \b
    Examples:
      httpdyno servers show nginx
      httpdyno servers show misultin --json
    """
    from httpdyno.cli.servers.view import show_one
    from httpdyno.servers import conformance, installed, load_catalogue

    chosen = load_catalogue(server or ()).get(name)
    done = installed(chosen)
    checks = [conformance(done, one) for one in chosen.deployments] if done else []
    show_one(chosen, done, [found for found in checks if found is not None], as_json=as_json)


app.command(cls=VerbCommand)(install)
app.command(cls=VerbCommand)(check)


@app.command(cls=VerbCommand)
def start(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A server by name.")],
    server: Own = None,
    deployment: Deployment = None,
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
    with started(chosen, deployment or chosen.default_deployment, port, cores) as running:
        typer.echo(f"http://{running.address}{chosen.ready.path}")
        tell(f"its log: {running.log}; Ctrl-C ends it")
        code = until_asked_to_end(running)
        if code is not None:
            why = running.killed_because or f"with code {code}"
            message = f"`{chosen.name}` ended by itself: {why}"
            raise ServerFailure(message, stage="start", log=running.log)


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
