"""`httpdyno reference`: the reference server, by hand."""

from __future__ import annotations

import re
import signal
import threading
from typing import Annotated

import typer

from httpdyno.cli.faults import Faults
from httpdyno.cli.values import Values, usable_cpus

__all__ = ["reference"]

MAX_THREADS = 1024  # as many as the server itself accepts


def reference(
    listen: Annotated[
        str, typer.Option("--listen", metavar="HOST:PORT", help="Where to listen; port 0: any.")
    ] = "127.0.0.1:8080",
    threads: Annotated[
        str | None, typer.Option("--threads", metavar="N", help="Server threads (1).")
    ] = None,
    cpus: Annotated[
        str | None,
        typer.Option("--cpus", metavar="LIST", help="Pin them to these processors: 0 or 0-3."),
    ] = None,
) -> None:
    """Start the reference server, and serve every workload until Ctrl-C.

    It answers from memory, as fast as this machine allows; and on request it waits, stalls and
    breaks in known ways, to try clients with. The query of a request says how:

    \b
      /hello?delay=10ms                 wait so long; also uniform:5ms-15ms, exponential:10ms
      /hello?fault=reset&share=0.1      break a tenth of the replies; also close, truncate:N,
                                        corrupt, garbage, never, status:503, drip:1/100ms
      /hello?chunked=1                  the body in chunks, with a trailer
      /control/stall?for=1s             the whole server stops for a second

    \b
    Examples:
      httpdyno reference
      httpdyno reference --listen 127.0.0.1:9000 --threads 2 --cpus 0,1
    """
    from httpdyno import engine

    faults = Faults("httpdyno reference --help")
    values = Values(faults)
    values.read("--listen", listen, _listening_address)
    count = values.read("--threads", threads, _thread_count) or 1
    pinned = values.read("--cpus", cpus, usable_cpus)
    faults.raise_any()
    ended = threading.Event()
    for asked in (signal.SIGINT, signal.SIGTERM):
        signal.signal(asked, lambda *_: ended.set())
    pages = served_pages()
    with engine.reference(listen, pages, count, pinned) as server:
        typer.echo(f"listening on http://{server.address}/ until Ctrl-C")
        for path in sorted({path for path, _type, _body in pages} | {"/echo?value=x"}):
            typer.echo(f"  http://{server.address}{path}")
        ended.wait()
        typer.echo(f"\nanswered {server.requests:,} requests", err=True)


def served_pages() -> list[tuple[str, str, bytes]]:
    """What every workload asks for, but echo, which is built in: (path, content type, body)."""
    from httpdyno.workloads import WORKLOADS

    pages = {
        exchange.path: (exchange.path, exchange.content_type, exchange.answer)
        for workload in WORKLOADS.values()
        for exchange in workload.measured
        if "?" not in exchange.path
    }
    return list(pages.values())


def _thread_count(text: str) -> int:
    digits = text.strip()
    if not digits.isdecimal() or not 1 <= int(digits) <= MAX_THREADS:
        raise ValueError(f"expected a whole number from 1 to {MAX_THREADS}")
    return int(digits)


def _listening_address(text: str) -> str:
    match = re.fullmatch(r"(\[[0-9a-fA-F:.]+\]|[^:\s]+):(\d+)", text)
    if match is None or int(match[2]) > 65535:
        raise ValueError("expected an address and a port, such as `127.0.0.1:8080`")
    return text
