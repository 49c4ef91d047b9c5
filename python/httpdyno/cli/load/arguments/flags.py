"""The flags of `httpdyno load`, as they are typed; `plan.py` says what they mean.

Values stay text here so that all faults are told at once. This file must not postpone annotations:
Typer reads them.
"""

from dataclasses import dataclass, field
from typing import Annotated

from typer import Option

from httpdyno.cli.load.arguments.work_flags import WorkFlags

_PATIENCE = "How long to wait"
_CONNECTIONS = "Connections"
_TLS = "TLS, of https:// addresses"
_GENERATOR = "The generator"
_OUTPUT = "Output"


@dataclass(frozen=True)
class LoadFlags(WorkFlags):
    """What was typed after `httpdyno load`."""

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

    proxy: Annotated[
        str | None,
        Option(
            "--proxy",
            metavar="URL",
            rich_help_panel=_CONNECTIONS,
            help="Go through this HTTP proxy: http://[USER:PASSWORD@]HOST[:PORT]."
            " Environment variables such as http_proxy are not read.",
        ),
    ] = None

    ca: Annotated[
        str | None,
        Option(
            "--ca",
            metavar="FILE",
            rich_help_panel=_TLS,
            help="Trust these certificates (PEM), not those that this machine trusts.",
        ),
    ] = None
    insecure: Annotated[
        bool,
        Option(
            "--insecure",
            "-k",
            rich_help_panel=_TLS,
            help="Trust whoever answers.",
        ),
    ] = False
    sni: Annotated[
        str | None,
        Option(
            "--sni",
            metavar="NAME",
            rich_help_panel=_TLS,
            help="The server's name, sent and looked for in its certificate (the URL's host).",
        ),
    ] = None
    cert: Annotated[
        str | None,
        Option(
            "--cert",
            metavar="FILE",
            rich_help_panel=_TLS,
            help="Show this client certificate (PEM) when asked for one.",
        ),
    ] = None
    key: Annotated[
        str | None,
        Option(
            "--key",
            metavar="FILE",
            rich_help_panel=_TLS,
            help="The key of --cert (PEM).",
        ),
    ] = None
    tls_version: Annotated[
        str | None,
        Option(
            "--tls-version",
            metavar="1.2|1.3",
            rich_help_panel=_TLS,
            help="Speak only this version (1.2 or 1.3, the newest that the server speaks).",
        ),
    ] = None
    no_resume: Annotated[
        bool,
        Option(
            "--no-resume",
            rich_help_panel=_TLS,
            help="Make every handshake from nothing, as a stranger does.",
        ),
    ] = False

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
            help="Spin, not sleep, for a reply and just before a due time: exacter; a core burns.",
        ),
    ] = False
    low_latency: Annotated[
        bool,
        Option(
            "--low-latency",
            rich_help_panel=_GENERATOR,
            help="Keep processors from deep sleep and give the engine real-time priority, where"
            " this user may: less lag without spinning.",
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
            " max (also service_p99, first_byte_p99, connect_p99, tls_p99, lag_p99), rate,"
            " error_rate, achieved, due, sent, ok, failed, in_flight.",
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
