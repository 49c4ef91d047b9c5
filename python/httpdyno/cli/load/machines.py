"""`--on`: the machines that send the load of `load`, or of each point of a sweep."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from httpdyno.cli.serve.recording import own_command
from httpdyno.cli.signals import tell
from httpdyno.running.machines.generator import LOCAL, Generator
from httpdyno.running.measuring.local_server import LocalServer, Readings

if TYPE_CHECKING:
    from httpdyno.cli.load.arguments.flags import LoadFlags
    from httpdyno.engine import OnProgress, Running
    from httpdyno.engine_plan import EnginePlan, Target

__all__ = ["follow_here", "generator_of", "replies_in_flight", "server_here"]


@contextmanager
def generator_of(flags: LoadFlags | None, plan: EnginePlan) -> Iterator[Generator]:
    """This machine, or those of `--on`, which are given back at the end."""
    if flags is None or flags.on is None:
        yield LOCAL
        return
    from httpdyno.scale.cluster import connect
    from httpdyno.scale.generator import Generators

    with connect(
        flags.on,
        certificates=flags.certificates,
        wait=flags.wait,
        say=tell,
        command=own_command(),
    ) as cluster:
        yield Generators(cluster, None if flags.threads is None else plan.threads)


def server_here(generator: Generator, plan: EnginePlan) -> LocalServer | None:
    """The server, if it may be on this machine. A loopback address of another machine is there."""
    if not generator.is_here and _is_loopback(plan.target):
        return None
    return LocalServer(plan.target)


def _is_loopback(target: Target) -> bool:
    from httpdyno.scale.hosts_file import is_loopback

    return target.host == "localhost" or is_loopback(target.host)


def follow_here(
    server: LocalServer | None, running: Running, show: OnProgress | None
) -> Readings | None:
    """Follows a load to its end; the counters of its server, if that is on this machine."""
    if server is not None:
        return server.follow(running, show)
    running.follow("done", show)
    return None


def replies_in_flight(running: Running, plan: EnginePlan) -> str | None:
    """The replies that a load waits for once it is stopped, in words; None: it waits for none."""
    waits = plan.stop.drain_s and running.wait("warm_up", 0)
    return f"replies in flight, at most {plan.stop.drain_s:g} s" if waits else None
