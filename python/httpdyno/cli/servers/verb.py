"""`httpdyno servers`: list, show, install, check and start the servers of the catalogue."""

from __future__ import annotations

from typing import Annotated

from httpdyno.cli import shared_flags as shared
from httpdyno.cli.command import Group
from httpdyno.cli.faults import Faults
from httpdyno.cli.flags import argument, option
from httpdyno.cli.servers.check import check
from httpdyno.cli.servers.choice import Filter
from httpdyno.cli.servers.install import install
from httpdyno.cli.servers.verify import verify
from httpdyno.cli.servers.work import announce, start_server
from httpdyno.cli.signals import stoppable
from httpdyno.cli.values import Values, usable_cpus

__all__ = ["app"]

app = Group("List, install, check and start servers.")


@app.verb("list")
def list_servers(
    server: shared.OwnServers = None,
    language: Annotated[str | None, option("--language NAME", "Only this language")] = None,
    post: Annotated[
        str | None, option("--post NAME", "Only servers of this published comparison")
    ] = None,
    tier: Annotated[
        str | None, option("--tier NAME", "Only `today`, `niche` or `history`: who chooses them")
    ] = None,
    can: Annotated[
        list[str] | None,
        option(
            "--can ABILITY",
            "Only servers with this workload or capability, such as `pipelining`; repeatable",
        ),
    ] = None,
    maintained: Annotated[
        bool | None, option("--maintained/--unmaintained", "Only maintained, or unmaintained, ones")
    ] = None,
    as_json: shared.AsJson = False,
) -> None:
    """List the catalogue of servers, those of today first, and which of them are installed.

    \b
    Examples:
      httpdyno servers list
      httpdyno servers list --tier today --language Python
      httpdyno servers list --language Haskell --can bigtable
      httpdyno servers list --post snap-2010 --json
      httpdyno servers list --server ./mine/server.toml
    """
    from httpdyno.cli.servers.view import show_list
    from httpdyno.servers import find_installation, load_catalogue

    only = Filter(language, post, tier, tuple(can or ()), maintained)
    servers = only.of(load_catalogue(server or ()).by_tier())
    show_list([(entry, find_installation(entry)) for entry in servers], as_json=as_json)


@app.verb()
def show(
    name: Annotated[str, argument("NAME", "Name of a server")],
    server: shared.OwnServers = None,
    as_json: shared.AsJson = False,
) -> None:
    """Show one server: metadata, deployments, settings with their sources, last check.

    \b
    Examples:
      httpdyno servers show nginx
      httpdyno servers show misultin --json
    """
    from httpdyno.cli.servers.view import show_one
    from httpdyno.servers import conformance, find_installation, load_catalogue

    chosen = load_catalogue(server or ()).get(name)
    done = find_installation(chosen)
    checks = [conformance(done, one) for one in chosen.deployments] if done else []
    show_one(chosen, done, [found for found in checks if found is not None], as_json=as_json)


app.verb()(install)
app.verb()(check)
app.verb()(verify)


@app.verb()
def start(
    name: Annotated[str, argument("NAME", "Name of a server")],
    server: shared.OwnServers = None,
    deployment: Annotated[
        str | None, option("--deployment NAME", "Deployment to start (default: the first)")
    ] = None,
    port: Annotated[
        str | None, option("--port PORT", "Port to listen on (default: a free one)")
    ] = None,
    cpus: shared.Cpus = None,
) -> None:
    """Start a server on 127.0.0.1 and print its address. Ctrl-C stops it.

    \b
    Examples:
      httpdyno servers start nginx
      httpdyno servers start tornado --deployment 4-processes --port 8080 --cpus 0
    """
    from httpdyno.servers import ServerFailure, load_catalogue

    faults = Faults("httpdyno servers start --help")
    values = Values(faults)
    number = values.count("--port", port, 65_535)
    cores = values.read("--cpus", cpus, usable_cpus)
    faults.raise_any()
    chosen = load_catalogue(server or ()).get(name)
    deployment = deployment or chosen.default_deployment
    with stoppable(f"`{name}` to stop"), start_server(chosen, deployment, number, cores) as running:
        code = announce(running)
        if code is not None:
            why = running.killed_because or f"exit code {code}"
            message = f"`{chosen.name}` ended by itself: {why}"
            raise ServerFailure(message, stage="start", log=running.log)
