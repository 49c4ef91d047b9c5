"""The flags of `httpdyno load`, as they are typed; `plan.py` says what they mean.

Values stay text here so that all faults are told at once. This file must not postpone annotations:
Typer reads them.
"""

from dataclasses import dataclass, field
from typing import Annotated

from typer import Argument, Option

_HOW_HARD = "How hard"
_HOW_LONG = "How long"
_WHAT = "What is asked"
_ANSWER = "What the right answer is"
_PATIENCE = "How long to wait"
_CONNECTIONS = "Connections"
_GENERATOR = "The generator"
_OUTPUT = "Output"


@dataclass(frozen=True)
class LoadFlags:
    """What was typed after `httpdyno load`."""

    url: Annotated[str, Argument(metavar="URL", help="http://HOST[:PORT][/PATH][?QUERY]")]

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

    timeout: Annotated[
        str | None,
        Option(
            "--timeout",
            metavar="TIME",
            rich_help_panel=_PATIENCE,
            help="For the whole reply (30s).",
        ),
    ] = None
    connect_timeout: Annotated[
        str | None,
        Option(
            "--connect-timeout",
            metavar="TIME",
            rich_help_panel=_PATIENCE,
            help="For a connection (5s).",
        ),
    ] = None
    first_byte_timeout: Annotated[
        str | None,
        Option(
            "--first-byte-timeout",
            metavar="TIME",
            rich_help_panel=_PATIENCE,
            help="For the first byte of a reply (as --timeout).",
        ),
    ] = None

    no_keep_alive: Annotated[
        bool,
        Option(
            "--no-keep-alive",
            rich_help_panel=_CONNECTIONS,
            help="Ask the server to close after each reply.",
        ),
    ] = False
    calls_per_connection: Annotated[
        str | None,
        Option(
            "--calls-per-connection",
            metavar="N",
            rich_help_panel=_CONNECTIONS,
            help="Close a connection after so many calls (never).",
        ),
    ] = None
    unix: Annotated[
        str | None,
        Option(
            "--unix",
            metavar="PATH",
            rich_help_panel=_CONNECTIONS,
            help="Connect to this Unix socket; URL then only names host and path.",
        ),
    ] = None
    source: Annotated[
        list[str],
        Option(
            "--source",
            metavar="ADDRESS",
            rich_help_panel=_CONNECTIONS,
            help="Connect from this address; may be repeated.",
        ),
    ] = field(default_factory=list)
    source_ports: Annotated[
        str | None,
        Option(
            "--source-ports",
            metavar="FIRST-LAST",
            rich_help_panel=_CONNECTIONS,
            help="Connect from these ports.",
        ),
    ] = None

    threads: Annotated[
        str | None,
        Option(
            "--threads",
            metavar="N",
            rich_help_panel=_GENERATOR,
            help="Engine threads (1).",
        ),
    ] = None
    cpus: Annotated[
        str | None,
        Option(
            "--cpus",
            metavar="LIST",
            rich_help_panel=_GENERATOR,
            help="Pin the engine's threads to these processors: 2,3 or 2-5.",
        ),
    ] = None
    driver: Annotated[
        str,
        Option(
            "--driver",
            metavar="NAME",
            rich_help_panel=_GENERATOR,
            help="auto, io_uring or epoll; `httpdyno probe` tells what auto takes.",
        ),
    ] = "auto"
    seed: Annotated[
        str | None,
        Option(
            "--seed",
            metavar="N",
            rich_help_panel=_GENERATOR,
            help="Of the random arrivals (1).",
        ),
    ] = None
    spin: Annotated[
        bool,
        Option(
            "--spin",
            rich_help_panel=_GENERATOR,
            help="Spin through the last microseconds of a wait: exacter, and a core burns.",
        ),
    ] = False
    kernel_timestamps: Annotated[
        bool,
        Option(
            "--kernel-timestamps",
            rich_help_panel=_GENERATOR,
            help="Also time each call by the kernel's stamps: TCP, on epoll, 2 µs more a call.",
        ),
    ] = False

    json: Annotated[
        str | None,
        Option(
            "--json",
            metavar="FILE|-",
            rich_help_panel=_OUTPUT,
            help="Write everything measured; docs/reference/measurement.md describes it.",
        ),
    ] = None
    hdr: Annotated[
        str | None,
        Option(
            "--hdr",
            metavar="FILE|-",
            rich_help_panel=_OUTPUT,
            help="Write the percentiles of the response time, in ms, for HdrHistogram's plotter.",
        ),
    ] = None
    intervals: Annotated[
        str | None,
        Option(
            "--intervals",
            metavar="FILE|-",
            rich_help_panel=_OUTPUT,
            help="Write each second as a line of JSON.",
        ),
    ] = None
    fail_if: Annotated[
        list[str],
        Option(
            "--fail-if",
            metavar="'p99>20ms'",
            rich_help_panel=_OUTPUT,
            help="Exit with code 5 when this is so; may be repeated. Of p50 p90 p99 p99.9 min mean"
            " max (also service_p99, first_byte_p99, connect_p99, lag_p99), rate, error_rate,"
            " achieved, due, sent, ok, failed, in_flight.",
        ),
    ] = field(default_factory=list)
    quiet: Annotated[
        bool,
        Option(
            "--quiet",
            "-q",
            rich_help_panel=_OUTPUT,
            help="No progress and no summary: only files, errors and the exit code.",
        ),
    ] = False
