"""The flags of `compare`, and their values once they are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from httpdyno.cli import shared_flags as shared
from httpdyno.cli.flags import argument, switch, text, texts
from httpdyno.cli.load.arguments.http_flags import HttpFlags, http_keys
from httpdyno.cli.load.arguments.own_workload import StudyWorkload, read_workload
from httpdyno.cli.load.arguments.request_flags import ANSWER, StudyRequestFlags
from httpdyno.cli.values import Values, plain_text, url_path
from httpdyno.output.secrets import MASK, is_secret, masked_flags
from httpdyno.warm_up import STUDY_S

if TYPE_CHECKING:
    from httpdyno.metrics import ComparedBy

__all__ = ["CompareFlags", "FlagValues", "Pair", "read_flags", "without_credentials"]

SERVERS, LOAD, DECISION = "Servers", "Load", "Decision"
MOST_CORES = 4096
"""As many as an arm of a study may have."""
MOST_CONNECTIONS = 100_000
LEAST_RATE = 1.0
"""Of fewer requests per second, a measurement has too few for a p99."""


@dataclass(frozen=True)
class Pair:
    """The two builds as they are typed."""

    a: Annotated[str, argument("A", "Baseline: what B is compared with")]
    b: Annotated[str, argument("B", "The changed one")]


@dataclass(frozen=True)
class BuildFlags:
    """The servers, as they are typed."""

    start: list[str] = texts(
        "--start CMD",
        "Command that starts a revision's server, with {port} in it; a second one is for B",
        SERVERS,
    )
    build: list[str] = texts(
        "--build CMD", "Command that builds a revision; a second one is for B", SERVERS
    )
    ready: str | None = text(
        "--ready PATH", "Path that answers 200 when the server is ready", SERVERS
    )
    env: list[str] = texts(
        "--env NAME=VALUE", "Variable for the servers' environment; repeatable", SERVERS
    )
    cores: str | None = text("--cores N", "Cores of each server (default 1)", SERVERS)
    study: str | None = text(
        "--study FILE", "Study of one arm with `start`: its commands and its requests", SERVERS
    )
    canary: str | None = text(
        "--canary C",
        "Old build, measured too: tells if this machine changed (not with --on)",
        SERVERS,
    )


@dataclass(frozen=True)
class CompareFlags(HttpFlags, StudyRequestFlags, BuildFlags):
    """The flags as they are typed."""

    any_body: bool = switch(
        "--any-body",
        "Accept replies with different bodies (default: each must have that of the first one)",
        ANSWER,
    )
    connections: str | None = text(
        "--connections N", "Connections at full speed (default 10)", LOAD
    )
    rate: str | None = text(
        "--rate R",
        "Rate for p99 and CPU, of sessions if the workload is one (default: 50 % of the slower"
        " build)",
        LOAD,
    )
    duration: str | None = text(
        "--duration TIME",
        "Time of each measurement (default 2s); at a rate up to 10s, for enough calls",
        LOAD,
    )
    warm_up: Annotated[str | None, shared.warm_up(STUDY_S, LOAD)] = None
    margin: list[str] = texts(
        "--margin [METRIC=]SHARE",
        "How much worse is too much (default 5%, p99=50% and errors=1%); METRIC: throughput, p99,"
        " cpu or errors (of an endpoint)",
        DECISION,
    )
    blocks: Annotated[str | None, shared.blocks("default 10", DECISION)] = None
    seed: Annotated[str | None, shared.shuffle_seed("default 1", DECISION)] = None
    other_machine: bool = switch(
        "--other-machine", "Accept a saved baseline from another machine", DECISION
    )


@dataclass(frozen=True)
class FlagValues:
    """The flags, with the values of those that are no plain text."""

    pair: Pair
    flags: CompareFlags
    env: Mapping[str, str]
    cores: int
    http: Mapping[str, Any]
    """The keys of a load; empty: none is given."""
    connections: int | None
    rate: float | None
    duration_s: float | None
    warm_up_s: float | None
    margins: Mapping[ComparedBy, float]
    workload: StudyWorkload
    """The requests of the flags; without any, `GET /`."""
    blocks: int | None
    seed: int | None
    names: tuple[str | None, str | None] = (None, None)
    """Of both builds, in sentences; None: as they are typed."""


def read_flags(values: Values, pair: Pair, flags: CompareFlags) -> FlagValues:
    """Read the flags; faults are collected."""
    for name, words in (
        ("A", [pair.a]),
        ("B", [pair.b]),
        ("--start", flags.start),
        ("--build", flags.build),
        ("--canary", [flags.canary]),
        ("--study", [flags.study]),
    ):
        for word in words:
            values.read(name, word, plain_text)
    values.read("--ready", flags.ready, url_path)
    workload = read_workload(flags, values, is_same=not flags.any_body)
    return FlagValues(
        pair=pair,
        flags=flags,
        env=_variables(values, flags.env),
        cores=values.count("--cores", flags.cores, MOST_CORES) or 1,
        http=http_keys(values, workload.over_http2(flags)),
        connections=values.count("--connections", flags.connections, MOST_CONNECTIONS),
        rate=values.rate("--rate", flags.rate, LEAST_RATE),
        duration_s=values.seconds("--duration", flags.duration),
        warm_up_s=values.seconds("--warm-up", flags.warm_up, zero=True),
        margins=_margins(values, flags.margin),
        workload=workload,
        blocks=values.blocks(flags.blocks),
        seed=values.seed(flags.seed),
    )


def _variables(values: Values, texts: Sequence[str]) -> dict[str, str]:
    """`NAME=VALUE` of each `--env`."""
    pairs = [values.read("--env", given, _variable) for given in texts]
    return dict(pair for pair in pairs if pair is not None)


def _margins(values: Values, texts: Sequence[str]) -> dict[ComparedBy, float]:
    """The margin of each metric; the last one given for it counts."""
    from httpdyno.comparison.margins import margins, parse_margin

    read = [values.read("--margin", given, parse_margin) for given in texts]
    return margins([one for one in read if one is not None])


def _variable(given: str) -> tuple[str, str]:
    name, sign, value = plain_text(given).partition("=")
    if not sign or not name.isidentifier():
        raise ValueError("expected a name, `=` and a value, such as `MODE=production`")
    return name, value


def without_credentials(words: Sequence[str]) -> list[str]:
    """The command line as it is stored and shown: no credential in a variable, a header, a body or
    a URL."""
    shown = []
    for before, word in zip(["", *words], masked_flags(words), strict=False):
        head, text = ("--env=", word[6:]) if word.startswith("--env=") else ("", word)
        name, sign, _ = text.partition("=")
        if (head or before == "--env") and sign and is_secret(name):
            text = f"{name}={MASK}"
        shown.append(head + text)
    return shown
