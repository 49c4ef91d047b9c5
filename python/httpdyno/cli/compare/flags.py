"""The flags of `compare`, and their values once they are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from httpdyno.cli import shared_flags as shared
from httpdyno.cli.values import Values, plain_text
from httpdyno.output.secrets import MASK, is_secret, masked_url
from httpdyno.warm_up import STUDY_S

if TYPE_CHECKING:
    from httpdyno.metrics import ComparedBy

__all__ = ["Flags", "read_margins", "read_variables", "without_credentials"]

SERVERS, LOAD, DECISION = "Servers", "Load", "Decision"


def text(flag: str, metavar: str, about: str, group: str) -> typer.models.OptionInfo:
    """An option that takes a text."""
    option: typer.models.OptionInfo = typer.Option(
        flag, metavar=metavar, help=about, rich_help_panel=group
    )
    return option


Start = Annotated[
    list[str] | None,
    text(
        "--start",
        "CMD",
        "Command that starts a revision's server, with {port} in it; a second one is for B",
        SERVERS,
    ),
]
Build = Annotated[
    list[str] | None,
    text("--build", "CMD", "Command that builds a revision; a second one is for B", SERVERS),
]
Ready = Annotated[
    str | None,
    text("--ready", "PATH", "Path that answers 200 when the server is ready", SERVERS),
]
Env = Annotated[
    list[str] | None,
    text("--env", "NAME=VALUE", "Variable for the servers' environment; repeatable", SERVERS),
]
Cores = Annotated[str | None, text("--cores", "N", "Cores of each server (default 1)", SERVERS)]
CanaryFlag = Annotated[
    str | None,
    text(
        "--canary",
        "C",
        "Old build, measured too: tells if this machine changed (not with --on)",
        SERVERS,
    ),
]
PathFlag = Annotated[str | None, text("--path", "PATH", "GET this path (default /)", LOAD)]
AnyBody = Annotated[
    bool,
    typer.Option("--any-body", help="Accept replies with different bodies", rich_help_panel=LOAD),
]
WorkloadFlag = Annotated[
    str | None,
    text("--workload", "NAME", "Built-in workload such as hello, or a workload.toml", LOAD),
]
Connections = Annotated[
    str | None, text("--connections", "N", "Connections at full speed (default 10)", LOAD)
]
Rate = Annotated[
    str | None,
    text("--rate", "R", "Rate for p99 and CPU (default: 50 % of the slower one)", LOAD),
]
Duration = Annotated[
    str | None,
    text(
        "--duration",
        "TIME",
        "Time of each measurement (default 2s); at a rate up to 10s, for enough calls",
        LOAD,
    ),
]
WarmUp = Annotated[str | None, shared.warm_up(STUDY_S, LOAD)]
Margin = Annotated[
    list[str] | None,
    text(
        "--margin",
        "[METRIC=]SHARE",
        "How much worse is too much (default 5%, and p99=50%); METRIC: throughput, p99 or cpu",
        DECISION,
    ),
]
Blocks = Annotated[str | None, shared.blocks("default 10", DECISION)]
Seed = Annotated[str | None, shared.shuffle_seed("default 1", DECISION)]
OtherMachine = Annotated[
    bool,
    typer.Option(
        "--other-machine",
        help="Accept a saved baseline from another machine",
        rich_help_panel=DECISION,
    ),
]


@dataclass(frozen=True)
class Flags:
    """The values of all flags that say what to compare and how."""

    a: str
    b: str
    canary: str | None
    start: Sequence[str]
    build: Sequence[str]
    ready: str | None
    env: Mapping[str, str]
    cores: int
    path: str | None
    any_body: bool
    workload: str | None
    connections: int | None
    rate: float | None
    duration_s: float | None
    warm_up_s: float | None
    margins: Mapping[ComparedBy, float]
    blocks: int | None
    seed: int | None
    other_machine: bool


def read_variables(values: Values, texts: Sequence[str]) -> dict[str, str]:
    """`NAME=VALUE` of each `--env`."""
    pairs = [values.read("--env", given, _variable) for given in texts]
    return dict(pair for pair in pairs if pair is not None)


def read_margins(values: Values, texts: Sequence[str]) -> dict[ComparedBy, float]:
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
    """The command line as it is stored and shown: no credential in a variable or a URL."""
    shown = []
    for before, word in zip(["", *words], words, strict=False):
        head, text = ("--env=", word[6:]) if word.startswith("--env=") else ("", word)
        name, sign, _ = text.partition("=")
        if (head or before == "--env") and sign and is_secret(name):
            text = f"{name}={MASK}"
        shown.append(head + (masked_url(text) if "://" in text else text))
    return shown
