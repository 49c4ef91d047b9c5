"""The flags of `httpdyno load` for load and duration.

This file must not postpone annotations: Typer reads them.
"""

from dataclasses import dataclass
from typing import Annotated

from typer import Argument, Option

from httpdyno.cli import shared_flags as shared
from httpdyno.cli.completion.choices import one_of
from httpdyno.warm_up import LOAD_S

_HOW_HARD = "Load"
_HOW_LONG = "Duration"
ON_WRONG = ("fail", "retry")


@dataclass(frozen=True)
class WorkFlags:
    """The URL, load and duration."""

    url: Annotated[
        str | None,
        Argument(
            metavar="URL",
            help="http[s]://[USER:PASSWORD@]HOST[:PORT][/PATH][?QUERY]; may be left out with"
            " --urls",
            show_default=False,
        ),
    ] = None

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
    sessions_file: Annotated[
        str | None,
        Option(
            "--sessions-file",
            metavar="FILE|-",
            rich_help_panel=_HOW_HARD,
            help="Sessions to replay in turn, in the format of httperf's --wsesslog; without"
            " --sessions the next one begins when one ends, -c of them at once (default 1)",
        ),
    ] = None
    session_cookies: Annotated[
        bool,
        Option(
            "--session-cookies",
            rich_help_panel=_HOW_HARD,
            help="Send the cookies that a session's replies set with its later requests",
        ),
    ] = False
    on_wrong: Annotated[
        str | None,
        Option(
            "--on-wrong",
            metavar="fail|retry",
            autocompletion=one_of(*ON_WRONG),
            rich_help_panel=_HOW_HARD,
            help="End a session at its first wrong reply, or send the call again (default: go on)",
        ),
    ] = None
    arrivals: Annotated[str | None, shared.arrivals(_HOW_HARD)] = None
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
            help="Pause between a reply and the next call on a connection; in a --sessions-file,"
            " after bursts that name none (default 0)",
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
    warm_up: Annotated[str | None, shared.warm_up(LOAD_S, _HOW_LONG)] = None
    drain: Annotated[
        str | None,
        Option(
            "--drain",
            metavar="TIME",
            rich_help_panel=_HOW_LONG,
            help="Longest wait for replies in flight at the end (default 5s)",
        ),
    ] = None
