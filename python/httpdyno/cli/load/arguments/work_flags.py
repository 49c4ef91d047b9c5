"""The flags of `httpdyno load` that say what is asked, how hard and for how long.

This file must not postpone annotations: Typer reads them.
"""

from dataclasses import dataclass, field
from typing import Annotated

from typer import Argument, Option

_HOW_HARD = "How hard"
_HOW_LONG = "How long"
_WHAT = "What is asked"
_ANSWER = "What the right answer is"


@dataclass(frozen=True)
class WorkFlags:
    """The work: requests, the right answers, the load and its end."""

    url: Annotated[str, Argument(metavar="URL", help="http[s]://HOST[:PORT][/PATH][?QUERY]")]

    connections: Annotated[
        str | None,
        Option(
            "--connections",
            "-c",
            metavar="N",
            rich_help_panel=_HOW_HARD,
            help="Connections: 10 of a closed load, at most 100 with --rate;"
            " with --sessions the most that may be open (no limit).",
        ),
    ] = None
    rate: Annotated[
        str | None,
        Option(
            "--rate",
            "-r",
            metavar="RATE",
            rich_help_panel=_HOW_HARD,
            help="Requests a second, whatever the server does: 5000, a ramp 1000:5000/30s,"
            " steps 1000x10s,2000x10s.",
        ),
    ] = None
    sessions: Annotated[
        str | None,
        Option(
            "--sessions",
            metavar="RATE",
            rich_help_panel=_HOW_HARD,
            help="Sessions a second, each a new connection; written as --rate is.",
        ),
    ] = None
    calls: Annotated[
        str | None,
        Option(
            "--calls",
            metavar="N",
            rich_help_panel=_HOW_HARD,
            help="Calls of a session (1).",
        ),
    ] = None
    arrivals: Annotated[
        str | None,
        Option(
            "--arrivals",
            metavar="SPACING",
            rich_help_panel=_HOW_HARD,
            help="Between arrivals: constant (the default), uniform or exponential.",
        ),
    ] = None
    burst: Annotated[
        str | None,
        Option(
            "--burst",
            metavar="N",
            rich_help_panel=_HOW_HARD,
            help="Calls pipelined together (1).",
        ),
    ] = None
    think: Annotated[
        str | None,
        Option(
            "--think",
            metavar="TIME",
            rich_help_panel=_HOW_HARD,
            help="Pause between a reply and the next call of its connection (none).",
        ),
    ] = None

    duration: Annotated[
        str | None,
        Option(
            "--duration",
            "-d",
            metavar="TIME",
            rich_help_panel=_HOW_LONG,
            help="Measure for so long: 10s, 2m (10s, unless --requests is given).",
        ),
    ] = None
    requests: Annotated[
        str | None,
        Option(
            "--requests",
            "-n",
            metavar="N",
            rich_help_panel=_HOW_LONG,
            help="Measure so many requests; with --sessions, so many sessions.",
        ),
    ] = None
    until: Annotated[
        str | None,
        Option(
            "--until",
            metavar="'p99±2%'",
            rich_help_panel=_HOW_LONG,
            help="Measure until this percentile is known so well (95 %), --duration at most (60s).",
        ),
    ] = None
    warm_up: Annotated[
        str | None,
        Option(
            "--warm-up",
            metavar="TIME",
            rich_help_panel=_HOW_LONG,
            help="Load for so long before measuring (none).",
        ),
    ] = None
    drain: Annotated[
        str | None,
        Option(
            "--drain",
            metavar="TIME",
            rich_help_panel=_HOW_LONG,
            help="Wait at most so long for what is in flight at the end (5s).",
        ),
    ] = None

    method: Annotated[
        str,
        Option("--method", "-X", metavar="METHOD", rich_help_panel=_WHAT, help="The method."),
    ] = "GET"
    header: Annotated[
        list[str],
        Option(
            "--header",
            "-H",
            metavar="'NAME: VALUE'",
            rich_help_panel=_WHAT,
            help="A header; may be repeated.",
        ),
    ] = field(default_factory=list)
    body: Annotated[
        str | None,
        Option(
            "--body",
            metavar="TEXT|@FILE",
            rich_help_panel=_WHAT,
            help="The body to send: text, or a file's content.",
        ),
    ] = None
    also: Annotated[
        list[str],
        Option(
            "--also",
            metavar="'METHOD PATH [xN]'",
            rich_help_panel=_WHAT,
            help="Ask this too, N times for each time of URL, without body; may be repeated.",
        ),
    ] = field(default_factory=list)
    http: Annotated[
        str,
        Option("--http", metavar="1.0|1.1", rich_help_panel=_WHAT, help="The HTTP version."),
    ] = "1.1"

    expect_status: Annotated[
        list[str],
        Option(
            "--expect-status",
            metavar="CODE",
            rich_help_panel=_ANSWER,
            help="A right status; may be repeated (any 2xx or 3xx).",
        ),
    ] = field(default_factory=list)
    expect_body: Annotated[
        str | None,
        Option(
            "--expect-body",
            metavar="TEXT|@FILE",
            rich_help_panel=_ANSWER,
            help="The right body, byte for byte.",
        ),
    ] = None
    expect_length: Annotated[
        str | None,
        Option(
            "--expect-length",
            metavar="BYTES",
            rich_help_panel=_ANSWER,
            help="The right body's length.",
        ),
    ] = None
    expect_same: Annotated[
        bool,
        Option(
            "--expect-same",
            rich_help_panel=_ANSWER,
            help="The right body is the first reply's.",
        ),
    ] = False
    check_every: Annotated[
        str | None,
        Option(
            "--check-every",
            metavar="N",
            rich_help_panel=_ANSWER,
            help="Check the body of every Nth reply only (1: all).",
        ),
    ] = None
