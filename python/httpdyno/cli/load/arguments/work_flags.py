"""The flags of `httpdyno load` for requests, expected replies, load and duration.

This file must not postpone annotations: Typer reads them.
"""

from dataclasses import dataclass, field
from typing import Annotated

from typer import Argument, Option

_HOW_HARD = "Load"
_HOW_LONG = "Duration"
_WHAT = "Requests"
_ANSWER = "Expected replies"


@dataclass(frozen=True)
class WorkFlags:
    """Requests, expected replies, load and duration."""

    url: Annotated[str, Argument(metavar="URL", help="http[s]://HOST[:PORT][/PATH][?QUERY]")]

    connections: Annotated[
        str | None,
        Option(
            "--connections",
            "-c",
            metavar="N",
            rich_help_panel=_HOW_HARD,
            help="Connections (default 10); with --rate the most that are opened"
            " (default 100), with --sessions the most open at once (default: no"
            " limit)",
        ),
    ] = None
    rate: Annotated[
        str | None,
        Option(
            "--rate",
            "-r",
            metavar="RATE",
            rich_help_panel=_HOW_HARD,
            help="Requests per second, however slow the server is: 5000, a ramp"
            " 1000:5000/30s, or steps 1000x10s,2000x10s",
        ),
    ] = None
    sessions: Annotated[
        str | None,
        Option(
            "--sessions",
            metavar="RATE",
            rich_help_panel=_HOW_HARD,
            help="Sessions per second, each on a new connection; same notation as --rate",
        ),
    ] = None
    calls: Annotated[
        str | None,
        Option(
            "--calls",
            metavar="N",
            rich_help_panel=_HOW_HARD,
            help="Calls in each session (default 1)",
        ),
    ] = None
    arrivals: Annotated[
        str | None,
        Option(
            "--arrivals",
            metavar="SPACING",
            rich_help_panel=_HOW_HARD,
            help="Spacing of arrivals: constant (default), uniform or exponential",
        ),
    ] = None
    burst: Annotated[
        str | None,
        Option(
            "--burst",
            metavar="N",
            rich_help_panel=_HOW_HARD,
            help="Calls sent together, pipelined (default 1)",
        ),
    ] = None
    think: Annotated[
        str | None,
        Option(
            "--think",
            metavar="TIME",
            rich_help_panel=_HOW_HARD,
            help="Pause between a reply and the next call on a connection (default 0)",
        ),
    ] = None

    duration: Annotated[
        str | None,
        Option(
            "--duration",
            "-d",
            metavar="TIME",
            rich_help_panel=_HOW_LONG,
            help="How long to measure, such as 10s or 2m (default 10s, without --requests)",
        ),
    ] = None
    requests: Annotated[
        str | None,
        Option(
            "--requests",
            "-n",
            metavar="N",
            rich_help_panel=_HOW_LONG,
            help="How many requests to measure; with --sessions, how many sessions",
        ),
    ] = None
    until: Annotated[
        str | None,
        Option(
            "--until",
            metavar="'p99±2%'",
            rich_help_panel=_HOW_LONG,
            help="Measure until this percentile is known so precisely (95 % CI), for"
            " --duration at most (default 60s)",
        ),
    ] = None
    warm_up: Annotated[
        str | None,
        Option(
            "--warm-up",
            metavar="TIME",
            rich_help_panel=_HOW_LONG,
            help="Load before the measurement begins (default 0)",
        ),
    ] = None
    drain: Annotated[
        str | None,
        Option(
            "--drain",
            metavar="TIME",
            rich_help_panel=_HOW_LONG,
            help="Longest wait for replies in flight at the end (default 5s)",
        ),
    ] = None

    method: Annotated[
        str | None,
        Option(
            "--method",
            "-X",
            metavar="METHOD",
            rich_help_panel=_WHAT,
            help="Method (default GET; POST with --body)",
        ),
    ] = None
    header: Annotated[
        list[str],
        Option(
            "--header",
            "-H",
            metavar="'NAME: VALUE'",
            rich_help_panel=_WHAT,
            help="Header to send; repeatable",
        ),
    ] = field(default_factory=list)
    body: Annotated[
        str | None,
        Option(
            "--body",
            metavar="TEXT|@FILE",
            rich_help_panel=_WHAT,
            help="Body to send: text, or the content of a file (@/dev/stdin too)",
        ),
    ] = None
    also: Annotated[
        list[str],
        Option(
            "--also",
            metavar="'METHOD PATH [xN]'",
            rich_help_panel=_WHAT,
            help="Another request, sent N times for each request to URL, without a body;"
            " repeatable",
        ),
    ] = field(default_factory=list)
    http: Annotated[
        str,
        Option(
            "--http",
            metavar="1.0|1.1",
            rich_help_panel=_WHAT,
            help="HTTP version (default 1.1)",
            show_default=False,
        ),
    ] = "1.1"

    expect_status: Annotated[
        list[str],
        Option(
            "--expect-status",
            metavar="CODE",
            rich_help_panel=_ANSWER,
            help="Expected status (default: any 2xx or 3xx); repeatable",
        ),
    ] = field(default_factory=list)
    expect_body: Annotated[
        str | None,
        Option(
            "--expect-body",
            metavar="TEXT|@FILE",
            rich_help_panel=_ANSWER,
            help="Expected body, byte for byte",
        ),
    ] = None
    expect_length: Annotated[
        str | None,
        Option(
            "--expect-length",
            metavar="BYTES",
            rich_help_panel=_ANSWER,
            help="Expected length of the body",
        ),
    ] = None
    expect_same: Annotated[
        bool,
        Option(
            "--expect-same",
            rich_help_panel=_ANSWER,
            help="Expect the same body as in the first reply",
        ),
    ] = False
    check_every: Annotated[
        str | None,
        Option(
            "--check-every",
            metavar="N",
            rich_help_panel=_ANSWER,
            help="Check the body of every Nth reply (default 1: all)",
        ),
    ] = None
