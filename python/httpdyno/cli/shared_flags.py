"""Flags that mean the same in several verbs: each name, help text and type once.

Where verbs have defaults or headings of their own, a function makes the flag from them. A flag that
means something else in each verb, such as `--until`, is declared in the verb.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from httpdyno.choices import SPACINGS
from httpdyno.cli.exports import NAMES
from httpdyno.cli.flags import one_of, option

__all__ = [
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
    "export",
    "github",
    "listening",
    "on",
    "shuffle_seed",
    "wait",
    "warm_up",
]

_PAGE = "Page"


def on(heading: str | None = None) -> Any:
    """`--on`, which `certificates` and `wait` go with."""
    return option(
        "--on HOSTS|ADDRESS",
        "Machines to use: a hosts.toml, or a scheduler such as tls://10.0.1.1:8786 (default: this"
        " one); `httpdyno hosts --help` has the steps",
        heading,
    )


def certificates(heading: str | None = None) -> Any:
    """`--certificates` of a coordinator."""
    return option(
        "--certificates FOLDER",
        "This machine's certificates for the scheduler (default: `coordinator` beside those of"
        " HOSTS, or certificates/coordinator)",
        heading,
    )


def wait(heading: str | None = None) -> Any:
    """`--wait` for machines that are in use."""
    return option("--wait", "Wait while another load or run uses the machines of --on", heading)


On = Annotated[str | None, on()]
Certificates = Annotated[Path | None, certificates()]
Wait = Annotated[bool, wait()]
NodeWait = Annotated[
    str | None,
    option(
        "--node-wait TIME",
        "With --on: time for a lost machine to come back, before the run ends (default 60s)",
    ),
]
OwnCertificates = Annotated[
    str | None,
    option(
        "--certificates FOLDER|-", "Folder with ca.pem, certificate.pem and key.pem of this machine"
    ),
]


def listening(default: str) -> Any:
    """`--listen` of a verb that serves until Ctrl-C."""
    return option(
        "--listen HOST:PORT", f"Address to listen on (default {default}; port 0: a free one)"
    )


Serve = Annotated[bool, option("--serve", "Show the run live on a page", _PAGE)]
Listen = Annotated[
    str | None,
    option(
        "--listen HOST:PORT",
        "Address of that page (default 127.0.0.1:8765); other machines need its token",
        _PAGE,
    ),
]
Stay = Annotated[bool, option("--stay", "Keep the page until Ctrl-C", _PAGE)]


def arrivals(heading: str | None = None) -> Any:
    """`--arrivals` of an open load."""
    return option(
        "--arrivals SPACING",
        "Spacing of arrivals: constant (default), uniform or exponential",
        heading,
        choices=SPACINGS,
    )


def warm_up(default_s: float, heading: str | None = None) -> Any:
    """`--warm-up`; `httpdyno.warm_up` has the defaults."""
    default = f"{default_s * 1000:g}ms" if default_s < 1 else f"{default_s:g}s"
    default = default if default_s else "0"
    return option(
        "--warm-up TIME", f"Load before each measurement, not counted (default {default})", heading
    )


def blocks(default: str, heading: str | None = None) -> Any:
    """`--blocks` of a study; `default` as the help has it: `default 10`, `default: the study's`."""
    return option("--blocks N", f"Restarts of each server ({default})", heading)


def shuffle_seed(default: str, heading: str | None = None) -> Any:
    """`--seed` of a study; `default` as for `blocks`."""
    return option("--seed N", f"Seed of the shuffle ({default})", heading)


Url = Annotated[str | None, option("--url URL", "Measure a server that runs already")]
Command = Annotated[
    str | None, option("--command CMD", "Measure the server that CMD starts on {port}")
]
OwnServers = Annotated[
    list[Path] | None, option("--server FILE", "A server.toml of your own; repeatable")
]
Cpus = Annotated[
    str | None, option("--cpus LIST", "Processors to run on, such as 0,1 or 0-3 (default: all)")
]

Results = Annotated[
    Path | None, option("--results DIR", "Folder for the report (default: a new one)")
]
Resume = Annotated[
    bool, option("--resume", "Resume the newest such run: measure only what it lacks")
]
DryRun = Annotated[
    bool, option("--dry-run", "Show the plan and all commands, without running them")
]


def export(heading: str | None = None) -> Any:
    """`--export`, which may be repeated."""
    return option(
        "--export FORMAT=FILE",
        f"Write the result for another program: {', '.join(NAMES)}; repeatable",
        heading,
        complete=one_of(*(f"{name}=" for name in NAMES)),
    )


def github(heading: str | None = None) -> Any:
    """`--github` of a verb that measures without a study."""
    return option(
        "--github",
        "In a job of GitHub Actions: write the result to the job's summary, and annotate what"
        " fails it",
        heading,
    )


Export = Annotated[list[str] | None, export()]
Chart = Annotated[str | None, option("--chart FILE", "Also draw it, as a .png or .svg file")]
AsJson = Annotated[bool, option("--json", "Print JSON")]
Open = Annotated[bool, option("--open", "Open the page in a browser")]

Store = Annotated[
    str | None,
    option(
        "--store URL",
        "Database of results, such as `postgresql://httpdyno@db/bench`, or a `.sqlite` file"
        " (default: HTTPDYNO_STORE, or that of your settings, or a local file)",
    ),
]
OfStudy = Annotated[
    str | None, option("--study STUDY", "Only runs of this study, by its name or its file")
]
Since = Annotated[
    str | None,
    option(
        "--since DATE",
        "Only runs from this day on (UTC), such as `2026-11-01`; or of the last days: `30d`",
    ),
]
