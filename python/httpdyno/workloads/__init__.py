"""The workloads, one per file: requests for the servers, and their correct replies."""

from __future__ import annotations

import difflib
from pathlib import Path

from httpdyno.errors import UsageError
from httpdyno.workloads import techempower
from httpdyno.workloads.bigtable import BIGTABLE, BIGTABLE_HTML
from httpdyno.workloads.bigtable_2011 import BIGTABLE_2011, BIGTABLE_2011_HTML
from httpdyno.workloads.echo import ECHO
from httpdyno.workloads.file import FILE, picture
from httpdyno.workloads.get_sum import GET_SUM
from httpdyno.workloads.hello import HELLO
from httpdyno.workloads.pong import PONG
from httpdyno.workloads.workload import Exchange, Queries, Workload

__all__ = [
    "TECHEMPOWER",
    "USUAL",
    "WORKLOADS",
    "Exchange",
    "Queries",
    "Workload",
    "get",
    "write_files",
]

_OURS = (PONG, HELLO, ECHO, FILE, BIGTABLE, BIGTABLE_2011)
_OTHERS = techempower.TECHEMPOWER
WORKLOADS: dict[str, Workload] = {
    workload.name: workload for workload in (*_OURS, GET_SUM, *_OTHERS)
}
USUAL = tuple(workload.name for workload in _OURS)
"""Those of a server that does not name its own."""
TECHEMPOWER = tuple(workload.name for workload in _OTHERS)
"""Those that a deployment may have beyond its server's."""


def get(name: str) -> Workload:
    """Find a workload by name. Raises UsageError with the nearest name if there is none."""
    try:
        return WORKLOADS[name]
    except KeyError:
        known = ", ".join(f"`{known}`" for known in WORKLOADS)
        nearest = difflib.get_close_matches(name, WORKLOADS, n=1)
        hint = f"did you mean `{nearest[0]}`?" if nearest else None
        raise UsageError(f"`{name}` is not a workload: expected {known}", hint=hint) from None


def write_files(folder: Path) -> None:
    """Write the static pages, for servers that serve files from disk."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in _files().items():
        (folder / name).write_bytes(content)


def _files() -> dict[str, bytes]:
    return {
        "pong": PONG.measured[0].answer,
        "hello": HELLO.measured[0].answer,
        "file.png": picture(),
        "bigtable.html": BIGTABLE_HTML,
        "bigtable-2011.html": BIGTABLE_2011_HTML,
    }
