"""The flags of `capacity`, and the keys of a study that they stand for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from httpdyno.address import parse_server
from httpdyno.choices import SPACINGS
from httpdyno.cli import shared_flags as shared
from httpdyno.cli.flags import argument, option, text, texts
from httpdyno.cli.load.arguments.http_flags import HttpFlags, http_keys
from httpdyno.cli.load.arguments.own_workload import StudyWorkload
from httpdyno.cli.load.arguments.request_flags import StudyRequestFlags
from httpdyno.cli.own_server import read_own_server
from httpdyno.cli.values import Values, plain_text
from httpdyno.limits.thresholds import parse_limit
from httpdyno.warm_up import CAPACITY_S

__all__ = ["CapacityFlags", "read_keys", "with_url"]

MOST_RESTARTS = 1000
MOST_CONNECTIONS = 100_000
HELLO = "hello"
"""The workload of servers that are named."""


@dataclass(frozen=True)
class CapacityServers:
    """The servers and their limits."""

    arms: Annotated[
        list[str] | None,
        argument(
            "ARM...",
            "Server and deployment of the catalogue, such as starlette/1-worker; or a"
            " server.toml, with :DEPLOYMENT or its first; or one URL, as --url",
        ),
    ] = None
    url: shared.Url = None
    command: shared.Command = None
    limit: list[str] = texts(
        "--limit LIMIT", "Limit to hold, such as p99<20ms, p50<5ms or errors<0.1%; repeatable"
    )


@dataclass(frozen=True)
class CapacityFlags(HttpFlags, StudyRequestFlags, CapacityServers):
    """The flags as they are typed."""

    restarts: str = text("--restarts N", "Starts that are searched (default 5)", default="5")
    confirm: str = text("--confirm N", "Fresh starts that confirm it (default 5)", default="5")
    for_rate: str | None = text("--for RATE", "Also say how many cores this rate needs")
    rate_max: str | None = text(
        "--rate-max RATE", "End of the search (default: the generator's ceiling)"
    )
    connections: str | None = text(
        "--connections N",
        "Most connections at once (default: as many as the limits allow to be busy)",
    )
    arrivals: Annotated[str | None, shared.arrivals()] = None
    step: str | None = text(
        "--step TIME", "Least time of each rate (default 1s; 5s with random arrivals)"
    )
    warm_up: Annotated[str | None, shared.warm_up(CAPACITY_S)] = None
    profile: Annotated[
        bool,
        option(
            "--profile/--no-profile",
            "Also measure the cost at 25, 50 and 80 % of it, and an overload (default: yes)",
        ),
    ] = True
    seed: Annotated[str | None, shared.shuffle_seed("default 1")] = None
    json: Annotated[Path | None, option("--json FILE", "Write the result as JSON")] = None


def with_url(flags: CapacityFlags) -> CapacityFlags:
    """The flags, with `--url` for a URL that stands alone in the place of servers."""
    given = flags.arms or []
    if len(given) != 1 or "://" not in given[0] or flags.url or flags.command:
        return flags
    try:
        parse_server(given[0])
    except ValueError:
        return flags
    return replace(flags, arms=None, url=given[0])


def _servers_and_workload(
    values: Values, flags: CapacityFlags
) -> tuple[list[dict[str, Any]], StudyWorkload]:
    """The server of `--url`, `--command` or the URLs of a list, and what it is asked; servers that
    are named are asked for `hello` unless a flag says otherwise."""
    own = read_own_server(values, flags, flags.url, flags.command, arms=flags.arms or ())
    if flags.arms and not flags.given:
        return [], StudyWorkload(HELLO)
    if not (own.arms or flags.arms or flags.url or flags.command):
        values.faults.add(
            "no server is given: expected arms such as `starlette/1-worker`, `--url` or `--command`"
        )
    return own.arms, own.workload


def read_keys(values: Values, flags: CapacityFlags) -> dict[str, Any]:
    """The keys of the study, but for the arms that are named; faults are collected."""
    if not flags.limit:
        values.faults.add("`--limit` is missing: expected a limit such as `--limit 'p99<20ms'`")
    for given in flags.limit:
        values.read("--limit", given, parse_limit)
    values.read("--json", None if flags.json is None else str(flags.json), plain_text)
    arms, workload = _servers_and_workload(values, flags)
    warm_up_s = values.seconds("--warm-up", flags.warm_up, zero=True)
    limits, arrivals = " and ".join(flags.limit), flags.arrivals or SPACINGS[0]
    return {
        "title": f"Capacity at {limits}",
        "question": f"How many requests/s does each arm take at {limits}?",
        "arms": arms,
        **workload.keys,
        "blocks": values.count("--restarts", flags.restarts, MOST_RESTARTS),
        "seed": values.seed("1" if flags.seed is None else flags.seed),
        "warm_up": CAPACITY_S if warm_up_s is None else warm_up_s,
        "loads": {
            "capacity": {
                "title": f"capacity at {limits}",
                "kind": "capacity",
                **http_keys(values, workload.over_http2(flags)),
                "limits": flags.limit,
                "connections": values.count("--connections", flags.connections, MOST_CONNECTIONS),
                "arrivals": values.choice("--arrivals", arrivals, SPACINGS),
                "duration": values.seconds("--step", flags.step),
                "confirm": values.count("--confirm", flags.confirm, MOST_RESTARTS, least=0),
                "profile": flags.profile,
                "rate_max": values.rate("--rate-max", flags.rate_max),
                "for_rate": values.rate("--for", flags.for_rate),
            }
        },
    }
