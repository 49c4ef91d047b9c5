"""`httpdyno reference`: start the reference server."""

from __future__ import annotations

import sys
import threading
from typing import Annotated

from httpdyno.cli import shared_flags as shared
from httpdyno.cli.faults import Faults
from httpdyno.cli.flags import option
from httpdyno.cli.signals import stoppable
from httpdyno.cli.values import Values, listening_address, usable_cpus
from httpdyno.output.echo import echo

__all__ = ["reference"]

MAX_THREADS = 1024  # as many as the server itself accepts


def reference(
    listen: Annotated[str, shared.listening("127.0.0.1:8080")] = "127.0.0.1:8080",
    threads: Annotated[str | None, option("--threads N", "Server threads (default 1)")] = None,
    cpus: shared.Cpus = None,
) -> None:
    """Start the reference server, which answers every workload until Ctrl-C.

    It answers from memory, as fast as this machine can, over HTTP/1 and over
    HTTP/2 (in clear text, with prior knowledge). To test clients, the query of
    a request makes it wait, stall or fail in known ways:

    \b
      /hello?delay=10ms             delay the reply; also uniform:5ms-15ms and
                                    exponential:10ms
      /hello?fault=reset&share=0.1  fail a tenth of the replies; also close,
                                    truncate:N, corrupt, garbage, never,
                                    status:503, drip:1/100ms
      /hello?chunked=1              send the body in chunks, with a trailer
      /control/stall?for=1s         stop the whole server for a second

    \b
    Examples:
      httpdyno reference
      httpdyno reference --listen 127.0.0.1:9000 --threads 2 --cpus 0,1
    """
    from httpdyno import engine

    faults = Faults("httpdyno reference --help")
    values = Values(faults)
    values.read("--listen", listen, listening_address)
    count = values.count("--threads", threads, MAX_THREADS) or 1
    pinned = values.read("--cpus", cpus, usable_cpus)
    faults.raise_any()
    ended = threading.Event()
    pages = served_pages()
    # Asking it to stop is how one ends it: nothing to say, and no failure.
    with (
        stoppable(ask=ended.set, say=lambda _: None),
        engine.reference(listen, pages, count, pinned) as server,
    ):
        echo(f"listening on http://{server.address}/ until Ctrl-C")
        for path in sorted({path for path, _type, _body in pages} | {"/echo?value=x"}):
            echo(f"  http://{server.address}{path}")
        echo(f"try: httpdyno load http://{server.address}/hello")
        sys.stdout.flush()
        ended.wait()
        echo(f"\nanswered {server.requests:,} requests", err=True)


def served_pages() -> list[tuple[str, str, bytes]]:
    """The replies of every workload, as (path, content type, body); echo and gRPC are built in."""
    from httpdyno.workloads import WORKLOADS

    pages = {
        exchange.path: (exchange.path, exchange.content_type, exchange.answer)
        for workload in WORKLOADS.values()
        for exchange in workload.measured
        if "?" not in exchange.path and not exchange.grpc
    }
    return list(pages.values())
