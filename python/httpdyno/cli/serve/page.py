"""`--serve`: a page in the browser that shows the run while it is measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from httpdyno.cli.signals import stoppable
from httpdyno.cli.store import hand_on
from httpdyno.cli.values import listening_address
from httpdyno.output.echo import echo
from httpdyno.running.live.identity import Identity

if TYPE_CHECKING:
    from httpdyno.cli.values import Values

__all__ = ["Page", "on_page", "page_of"]


@dataclass(frozen=True)
class Page:
    """The page of a run."""

    is_shown: bool = False
    listen: str | None = None
    """Its address; None: the usual one, or a free one."""
    stay: bool = False


def page_of(values: Values, serve: bool, listen: str | None, stay: bool) -> Page:
    """The page that the flags ask for."""
    if stay and not (serve or listen):
        values.faults.add("`--stay` was given without `--serve`: expected both")
    address = values.read("--listen", listen, listening_address)
    return Page(serve or listen is not None, address, stay)


@contextmanager
def on_page(page: Page, store_url: str | None = None) -> Iterator[None]:
    """Within the body, the page is there; after it only with `--stay`, until Ctrl-C. It shows the
    runs of the database at `store_url`."""
    if not page.is_shown:
        yield
        return
    hand_on(store_url)
    from httpdyno.web.child import page_process
    from httpdyno.web.listener import listen_at

    with (
        listen_at(page.listen, or_free=page.listen is None) as listening,
        page_process(listening, fleeting=not page.stay) as process,
    ):
        echo(f"live page: {listening.link(f'/live/{Identity.own().key}')}", err=True)
        yield
        if page.stay:
            _stay(listening.link("/"), process.wait)


def _stay(link: str, wait: Callable[[], object]) -> None:
    echo(f"the page stays at {link} until Ctrl-C", err=True)
    with stoppable(say=lambda _: None):
        try:
            wait()
        except KeyboardInterrupt:
            return
