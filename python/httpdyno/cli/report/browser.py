"""Opens a page in the browser of this machine."""

from __future__ import annotations

import webbrowser
from pathlib import Path

from httpdyno.output.echo import echo

__all__ = ["open_page"]


def open_page(page: Path) -> None:
    """Open a local page; says so where no browser is found."""
    if not webbrowser.open(page.resolve().as_uri()):
        echo(f"no browser was found on this machine: open {page} yourself", err=True)
