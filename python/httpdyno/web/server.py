"""The web server on a thread of its own, at the lowest priority, so that it disturbs no run.

Linux gives each thread a priority of its own. The main thread keeps the usual one: it starts runs,
and they inherit it.
"""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from httpdyno.web.launcher import Launcher
from httpdyno.web.listener import Listener

if TYPE_CHECKING:
    import uvicorn

LOWEST_PRIORITY = 19
ENDING_S = 2
"""Time that viewers have to take the last state, seconds."""


@contextmanager
def serving(listening: Listener, studies: Path, *, fleeting: bool = False) -> Iterator[Launcher]:
    """Serves the pages while the body runs. `fleeting`: they end with a run.

    The body has to call `launcher.work()`, which starts runs, until it wants to end.
    """
    import uvicorn  # noqa: PLC0415 - slow to import

    from httpdyno.web import templates  # noqa: PLC0415 - imports jinja2
    from httpdyno.web.app import make_app  # noqa: PLC0415 - imports starlette
    from httpdyno.web.page_server import PageServer  # noqa: PLC0415
    from httpdyno.web.site import Site  # noqa: PLC0415

    templates.compile_all()
    gc.freeze()  # what is loaded by now stays: the collector need not look at it again
    launcher = Launcher(studies)
    site = Site(listening, launcher, fleeting)
    config = uvicorn.Config(
        make_app(site),
        ws="none",
        loop="asyncio",
        lifespan="off",
        log_config=None,
        log_level="critical",
        access_log=False,  # it would contain the token
        server_header=False,
        date_header=False,  # the guard adds it
        timeout_graceful_shutdown=ENDING_S,
    )
    server = PageServer(config)
    thread = threading.Thread(target=_run, args=(server, listening), name="page", daemon=True)
    thread.start()
    try:
        yield launcher
    finally:
        site.close()
        server.end()
        thread.join(ENDING_S + 1)


def _run(server: uvicorn.Server, listening: Listener) -> None:
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), LOWEST_PRIORITY)
    server.run(sockets=[listening.socket])


def until(ended: Callable[[], bool], launcher: Launcher) -> None:
    """Starts runs for the page until `ended`."""
    while not ended():
        launcher.work()
