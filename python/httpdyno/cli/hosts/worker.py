"""`httpdyno worker`: let a coordinator use this machine."""

from __future__ import annotations

import asyncio
import getpass
import re
import socket
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from httpdyno.cli import shared_flags as shared
from httpdyno.cli.faults import Faults
from httpdyno.cli.flags import argument, option
from httpdyno.cli.signals import stoppable
from httpdyno.cli.values import Values, ip_address, usable_cpus
from httpdyno.errors import UsageError
from httpdyno.host.pinning import available
from httpdyno.output.echo import echo

if TYPE_CHECKING:
    from httpdyno.scale.joining.certificates import Pems

__all__ = ["certificates_of", "until_stopped", "worker"]


def worker(
    scheduler: Annotated[
        str,
        argument(
            "SCHEDULER",
            "Address of the scheduler to join, such as tls://10.0.1.1:8786",
        ),
    ],
    name: Annotated[
        str | None, option("--name NAME", "Name in hosts.toml (default: the host's)")
    ] = None,
    listen: Annotated[
        str | None,
        option(
            "--listen ADDRESS",
            "Address to listen on for orders (default: the one towards the scheduler)",
        ),
    ] = None,
    address: Annotated[
        str | None,
        option(
            "--address ADDRESS",
            "Address to send load from (default: the one towards the server); on the server's"
            " machine, the server's address (default: --listen)",
        ),
    ] = None,
    role: Annotated[
        list[str] | None,
        option(
            "--role ROLE",
            "generator (default) or server; repeatable",
            choices=("generator", "server"),
        ),
    ] = None,
    cores: Annotated[
        str | None,
        option(
            "--cores LIST",
            "Processors of the engine or the server, such as 1-3 (default: all but the first)",
        ),
    ] = None,
    certificates: shared.OwnCertificates = None,
    rejoin: Annotated[
        str,
        option(
            "--rejoin TIME", "How long to look for a scheduler that does not answer (default 60s)"
        ),
    ] = "60s",
) -> None:
    """Join a scheduler, and send load for its coordinators until Ctrl-C.

    Who can reach the scheduler with a certificate of its authority runs code
    here, as the user of this process. Without certificates, both
    listen on this machine only (127.0.0.1).

    \b
    Examples:
      httpdyno worker tls://10.0.1.1:8786 --certificates certificates/a --name a
      httpdyno worker tcp://127.0.0.1:8786
    """
    from httpdyno.scale.hosts_file import ROLES, scheduler_address
    from httpdyno.scale.joining.place import divide_cores
    from httpdyno.scale.joining.worker import JoinSettings, serve

    faults = Faults("httpdyno worker --help")
    values = Values(faults)
    values.read("SCHEDULER", scheduler, scheduler_address)
    listening = values.read("--listen", listen, lambda text: _listening(text, scheduler))
    for_load = values.read("--address", address, ip_address)
    roles = [values.choice("--role", one, ROLES) for one in role or ["generator"]]
    own_cores = values.read("--cores", cores, usable_cpus)
    rejoin_s = values.seconds("--rejoin", rejoin, zero=True)
    named = values.read("--name", name or _own_name(), _worker_name)
    faults.raise_any()
    joining = JoinSettings(
        scheduler=scheduler,
        name=str(named),
        listen=listening,
        address=for_load,
        roles=tuple(known for known in ROLES if known in roles),
        place=divide_cores(available(), own_cores),
        pems=certificates_of(scheduler, certificates),
        rejoin_s=rejoin_s or 0.0,
    )
    echo(
        f"who can reach {scheduler} with a certificate of its authority runs code on this machine"
        f" as `{getpass.getuser()}`"
        if joining.pems is not None
        else f"every process of this machine can run code as `{getpass.getuser()}` by {scheduler}"
    )
    until_stopped(lambda ended, say: serve(joining, ended, say))


def certificates_of(scheduler: str, given: str | None) -> Pems | None:
    """The certificates of `--certificates`; `-` reads them from stdin, as `hosts up` sends them."""
    from httpdyno.scale.joining.security import pems_for
    from httpdyno.scale.joining.ssh import pems_of_text

    if given != "-":
        return pems_for(scheduler, None if given is None else Path(given))
    try:
        return pems_of_text(sys.stdin.read())
    except ValueError as wrong:
        raise UsageError(f"`--certificates -`: {wrong}") from None


def until_stopped(
    serve: Callable[[asyncio.Event, Callable[[str], None]], Awaitable[None]],
) -> None:
    """Runs a server until it ends, or a request to stop ends it."""

    async def run() -> None:
        ended, loop = asyncio.Event(), asyncio.get_running_loop()

        def ask() -> None:
            loop.call_soon_threadsafe(ended.set)

        # Asking it to stop is how one ends it: nothing to say, and no failure.
        with stoppable(ask=ask, say=lambda _: None):
            await serve(ended, _say)

    asyncio.run(run())


def _say(text: str) -> None:
    echo(text)
    sys.stdout.flush()


def _listening(text: str, scheduler: str) -> str:
    from httpdyno.scale.hosts_file import is_loopback

    address = ip_address(text)
    if scheduler.startswith("tcp://") and not is_loopback(address):
        raise ValueError(
            "expected a loopback address (127.0.0.0/8 or ::1) with a `tcp://` scheduler, which is"
            " not encrypted; for another one, use a `tls://` scheduler with `--certificates`"
        )
    return address


def _own_name() -> str:
    return re.sub(r"[^a-z0-9.-]", "-", socket.gethostname().lower())[:60].strip("-.") or "worker"


def _worker_name(text: str) -> str:
    from httpdyno.scale.hosts_file import checked_name

    return checked_name(text)
