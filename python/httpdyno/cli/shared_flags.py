"""Flags that mean the same in several verbs: each name, help text and type once.

Where verbs have defaults or headings of their own, a function makes the flag from them. A flag that
means something else in each verb, such as `--until`, is declared in the verb.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from httpdyno.cli.completion.choices import one_of
from httpdyno.cli.exports import NAMES

__all__ = [
    "SPACINGS",
    "AsJson",
    "Certificates",
    "Chart",
    "Command",
    "Cpus",
    "DryRun",
    "Export",
    "Listen",
    "NodeWait",
    "OfStudy",
    "On",
    "Open",
    "OwnCertificates",
    "OwnServers",
    "PathOfCommand",
    "Results",
    "Resume",
    "Serve",
    "Since",
    "Stay",
    "Store",
    "Url",
    "Wait",
    "arrivals",
    "blocks",
    "certificates",
    "listening",
    "on",
    "shuffle_seed",
    "wait",
    "warm_up",
]

_PAGE = "Page"
SPACINGS = ("constant", "uniform", "exponential")


def on(heading: str | None = None) -> Any:
    """`--on`, which `certificates` and `wait` go with."""
    return typer.Option(
        "--on",
        metavar="HOSTS|ADDRESS",
        rich_help_panel=heading,
        help="Machines to use: a hosts.toml, or a scheduler such as tls://10.0.1.1:8786 (default:"
        " this one); `httpdyno hosts --help` has the steps",
    )


def certificates(heading: str | None = None) -> Any:
    """`--certificates` of a coordinator."""
    return typer.Option(
        "--certificates",
        metavar="FOLDER",
        rich_help_panel=heading,
        help="This machine's certificates for the scheduler (default: `coordinator` beside those of"
        " HOSTS, or certificates/coordinator)",
    )


def wait(heading: str | None = None) -> Any:
    """`--wait` for machines that are in use."""
    return typer.Option(
        "--wait",
        rich_help_panel=heading,
        help="Wait while another load or run uses the machines of --on",
    )


On = Annotated[str | None, on()]
Certificates = Annotated[Path | None, certificates()]
Wait = Annotated[bool, wait()]
NodeWait = Annotated[
    str | None,
    typer.Option(
        "--node-wait",
        metavar="TIME",
        help="With --on: time for a lost machine to come back, before the run ends (default 60s)",
    ),
]
OwnCertificates = Annotated[
    str | None,
    typer.Option(
        "--certificates",
        metavar="FOLDER|-",
        help="Folder with ca.pem, certificate.pem and key.pem of this machine",
    ),
]


def listening(default: str) -> Any:
    """`--listen` of a verb that serves until Ctrl-C."""
    return typer.Option(
        "--listen",
        metavar="HOST:PORT",
        show_default=False,
        help=f"Address to listen on (default {default}; port 0: a free one)",
    )


Serve = Annotated[
    bool, typer.Option("--serve", rich_help_panel=_PAGE, help="Show the run live on a page")
]
Listen = Annotated[
    str | None,
    typer.Option(
        "--listen",
        metavar="HOST:PORT",
        rich_help_panel=_PAGE,
        help="Address of that page (default 127.0.0.1:8765); other machines need its token",
    ),
]
Stay = Annotated[
    bool, typer.Option("--stay", rich_help_panel=_PAGE, help="Keep the page until Ctrl-C")
]


def arrivals(heading: str | None = None) -> Any:
    """`--arrivals` of an open load."""
    return typer.Option(
        "--arrivals",
        metavar="SPACING",
        autocompletion=one_of(*SPACINGS),
        rich_help_panel=heading,
        help="Spacing of arrivals: constant (default), uniform or exponential",
    )


def warm_up(default_s: float, heading: str | None = None) -> Any:
    """`--warm-up`; `httpdyno.warm_up` has the defaults."""
    default = f"{default_s * 1000:g}ms" if default_s < 1 else f"{default_s:g}s"
    default = default if default_s else "0"
    return typer.Option(
        "--warm-up",
        metavar="TIME",
        rich_help_panel=heading,
        help=f"Load before each measurement, not counted (default {default})",
    )


def blocks(default: str, heading: str | None = None) -> Any:
    """`--blocks` of a study; `default` as the help has it: `default 10`, `default: the study's`."""
    return typer.Option(
        "--blocks",
        metavar="N",
        rich_help_panel=heading,
        help=f"Restarts of each server ({default})",
    )


def shuffle_seed(default: str, heading: str | None = None) -> Any:
    """`--seed` of a study; `default` as for `blocks`."""
    return typer.Option(
        "--seed", metavar="N", rich_help_panel=heading, help=f"Seed of the shuffle ({default})"
    )


Url = Annotated[
    str | None, typer.Option("--url", metavar="URL", help="Measure a server that runs already")
]
Command = Annotated[
    str | None,
    typer.Option("--command", metavar="CMD", help="Measure the server that CMD starts on {port}"),
]
PathOfCommand = Annotated[
    str | None,
    typer.Option("--path", metavar="PATH", help="Path to request, with --command (default /)"),
]
OwnServers = Annotated[
    list[Path] | None,
    typer.Option("--server", metavar="FILE", help="A server.toml of your own; repeatable"),
]
Cpus = Annotated[
    str | None,
    typer.Option(
        "--cpus",
        metavar="LIST",
        help="Processors to run on, such as 0,1 or 0-3 (default: all)",
    ),
]

Results = Annotated[
    Path | None,
    typer.Option("--results", metavar="DIR", help="Folder for the report (default: a new one)"),
]
Resume = Annotated[
    bool,
    typer.Option("--resume", help="Resume the newest such run: measure only what it lacks"),
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Show the plan and all commands, without running them")
]
Export = Annotated[
    list[str] | None,
    typer.Option(
        "--export",
        metavar="FORMAT=FILE",
        autocompletion=one_of(*(f"{name}=" for name in NAMES)),
        help=f"Write the result for another program: {', '.join(NAMES)}; repeatable",
    ),
]
Chart = Annotated[
    str | None,
    typer.Option("--chart", metavar="FILE", help="Also draw it, as a .png or .svg file"),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON")]
Open = Annotated[bool, typer.Option("--open", help="Open the page in a browser")]

Store = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="URL",
        help="Database of results, such as `postgresql://httpdyno@db/bench`, or a `.sqlite` file"
        " (default: HTTPDYNO_STORE, or that of your settings, or a local file)",
    ),
]
OfStudy = Annotated[
    str | None,
    typer.Option(
        "--study", metavar="STUDY", help="Only runs of this study, by its name or its file"
    ),
]
Since = Annotated[
    str | None,
    typer.Option(
        "--since",
        metavar="DATE",
        help="Only runs from this day on (UTC), such as `2026-11-01`; or of the last days: `30d`",
    ),
]
