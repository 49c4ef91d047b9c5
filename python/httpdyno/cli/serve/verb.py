"""`httpdyno serve`: the pages of all runs, live and stored."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import click

from httpdyno.cli import shared_flags as shared
from httpdyno.cli.faults import Faults
from httpdyno.cli.flags import option
from httpdyno.cli.signals import stoppable
from httpdyno.cli.store import hand_on, read_store
from httpdyno.cli.values import Values, listening_address, plain_text
from httpdyno.output.echo import echo

__all__ = ["serve"]


def serve(
    listen: Annotated[str | None, shared.listening("127.0.0.1:8765")] = None,
    studies: Annotated[
        Path,
        option(
            "--studies DIR", "Folder whose studies can be started (default: the working folder)"
        ),
    ] = Path(),
    token: Annotated[bool, option("--token", "Ask for a token on this machine too")] = False,
    open_it: shared.Open = False,
    database: shared.Store = None,
) -> None:
    """Show stored runs and those under way on a page in the browser, until Ctrl-C.

    The page shows what is measured now, pauses, cancels and resumes runs, starts studies of the
    catalogue and of a folder, and compares any two arms.

    An address that other machines can reach needs the token in the printed link: whoever has it
    can start and cancel runs. The connection is not encrypted.

    \b
    Examples:
      httpdyno serve
      httpdyno serve --studies ./benchmarks --open
      httpdyno serve --listen 0.0.0.0:8765
    """
    faults = Faults("httpdyno serve --help")
    values = Values(faults)
    address = values.read("--listen", listen, listening_address)
    values.read("--studies", str(studies), plain_text)
    if not studies.is_dir():
        faults.add(f"`--studies {studies}`: expected a folder")
    url = read_store(values, database)
    faults.raise_any()
    hand_on(url)
    from httpdyno.web.listener import listen_at
    from httpdyno.web.server import serving, until

    with (
        stoppable(say=lambda _: None) as stop,
        listen_at(address, with_token=token) as listening,
        serving(listening, studies.resolve()) as launcher,
    ):
        stop.ask = launcher.wake
        echo(f"serving on {listening.link()} until Ctrl-C")
        sys.stdout.flush()
        if open_it:
            click.launch(listening.link())
        until(lambda: stop.requested, launcher)
