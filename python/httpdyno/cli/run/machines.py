"""`--on`: the machines of a study, taken for as long as it runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from httpdyno.cli.values import Values, plain_text

if TYPE_CHECKING:
    from httpdyno.running.live.events import Events
    from httpdyno.running.machines.site import Site

__all__ = ["On", "machines", "read_on"]

NODE_WAIT_S = 60.0


@dataclass(frozen=True)
class On:
    """The machines to use."""

    cluster: str
    certificates: Path | None
    wait: bool
    node_wait_s: float


def read_on(
    values: Values,
    on: str | None,
    certificates: Path | None,
    *,
    wait: bool,
    node_wait: str | None,
) -> On | None:
    """The flags together; None: this machine. Adds to the faults."""
    values.read("--on", on, plain_text)
    node_wait_s = values.seconds("--node-wait", node_wait, zero=True)
    if on is None:
        given = {"--certificates": certificates, "--wait": wait or None, "--node-wait": node_wait}
        for flag in (name for name, value in given.items() if value is not None):
            values.faults.add(f"`{flag}` applies only with `--on`")
        return None
    return On(on, certificates, wait, NODE_WAIT_S if node_wait_s is None else node_wait_s)


@contextmanager
def machines(on: On | None, events: Events) -> Iterator[Site | None]:
    """The machines of a run, given back at its end; None: this one alone."""
    if on is None:
        yield None
        return
    from httpdyno.cli.serve.recording import own_command
    from httpdyno.running.live.events import Stage
    from httpdyno.scale.cluster import connect
    from httpdyno.scale.server.site import ClusterSite

    events.send(Stage(f"connecting to the machines of {on.cluster}"))
    with connect(
        on.cluster,
        certificates=on.certificates,
        wait=on.wait,
        say=events.note,
        command=own_command(),
    ) as cluster:
        site = ClusterSite(cluster, on.node_wait_s)
        try:
            site.survey(events.note)
            yield site
        finally:
            site.close()
