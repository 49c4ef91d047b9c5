"""The flags of `httpdyno load`, as they are typed; `plan.py` turns them into a plan.

Values stay text here so that all faults are reported at once. This file must not postpone
annotations: Typer reads them.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from typer import Option

from httpdyno.cli import shared_flags as shared
from httpdyno.cli.completion.choices import one_of
from httpdyno.cli.load.arguments.request_flags import RequestFlags

_PATIENCE = "Timeouts"
_CONNECTIONS = "Connections"
_TLS = "TLS, for https:// URLs"
_GENERATOR = "Load generator"
_MACHINES = "Several machines"
_OUTPUT = "Output"
TLS_VERSIONS = ("1.2", "1.3")
DRIVERS = ("auto", "io_uring", "epoll")


@dataclass(frozen=True)
class LoadFlags(RequestFlags):
    """The arguments of `httpdyno load`."""

    timeout: Annotated[
        str | None,
        Option(
            "--timeout",
            metavar="TIME",
            rich_help_panel=_PATIENCE,
            help="Longest wait for a complete reply (default 30s)",
        ),
    ] = None
    connect_timeout: Annotated[
        str | None,
        Option(
            "--connect-timeout",
            metavar="TIME",
            rich_help_panel=_PATIENCE,
            help="Longest wait for a connection, with its TLS handshake (default 5s)",
        ),
    ] = None
    first_byte_timeout: Annotated[
        str | None,
        Option(
            "--first-byte-timeout",
            metavar="TIME",
            rich_help_panel=_PATIENCE,
            help="Longest wait for the first byte of a reply (default: --timeout)",
        ),
    ] = None
    idle_timeout: Annotated[
        str | None,
        Option(
            "--idle-timeout",
            metavar="TIME",
            rich_help_panel=_PATIENCE,
            help="Longest time without progress: while connecting, until the first byte of a reply,"
            " and between its bytes (default: no limit)",
        ),
    ] = None

    no_keep_alive: Annotated[
        bool,
        Option(
            "--no-keep-alive",
            rich_help_panel=_CONNECTIONS,
            help="Use a new connection for each request",
        ),
    ] = False
    calls_per_connection: Annotated[
        str | None,
        Option(
            "--calls-per-connection",
            metavar="N",
            rich_help_panel=_CONNECTIONS,
            help="Close a connection after N calls (default: never)",
        ),
    ] = None
    close_with_reset: Annotated[
        bool,
        Option(
            "--close-with-reset",
            rich_help_panel=_CONNECTIONS,
            help="Close connections with a reset (RST), which leaves no port in TIME_WAIT",
        ),
    ] = False
    send_buffer: Annotated[
        str | None,
        Option(
            "--send-buffer",
            metavar="BYTES",
            rich_help_panel=_CONNECTIONS,
            help="Send buffer of each socket (default: the kernel's)",
        ),
    ] = None
    receive_buffer: Annotated[
        str | None,
        Option(
            "--receive-buffer",
            metavar="BYTES",
            rich_help_panel=_CONNECTIONS,
            help="Receive buffer of each socket (default: the kernel's)",
        ),
    ] = None
    unix: Annotated[
        str | None,
        Option(
            "--unix",
            metavar="PATH",
            rich_help_panel=_CONNECTIONS,
            help="Unix socket to connect to; URL then gives only the Host header and path",
        ),
    ] = None
    source: Annotated[
        list[str],
        Option(
            "--source",
            metavar="ADDRESS",
            rich_help_panel=_CONNECTIONS,
            help="Address to connect from; repeatable",
        ),
    ] = field(default_factory=list)
    source_ports: Annotated[
        str | None,
        Option(
            "--source-ports",
            metavar="FIRST-LAST",
            rich_help_panel=_CONNECTIONS,
            help="Ports to connect from",
        ),
    ] = None

    proxy: Annotated[
        str | None,
        Option(
            "--proxy",
            metavar="URL",
            rich_help_panel=_CONNECTIONS,
            help="HTTP proxy: http://[USER:PASSWORD@]HOST[:PORT] (http_proxy and other"
            " environment variables are ignored)",
        ),
    ] = None

    ca: Annotated[
        str | None,
        Option(
            "--ca",
            metavar="FILE",
            rich_help_panel=_TLS,
            help="Certificates to trust (PEM; default: those that this machine trusts)",
        ),
    ] = None
    insecure: Annotated[
        bool,
        Option(
            "--insecure",
            "-k",
            rich_help_panel=_TLS,
            help="Do not check the server's certificate",
        ),
    ] = False
    sni: Annotated[
        str | None,
        Option(
            "--sni",
            metavar="NAME",
            rich_help_panel=_TLS,
            help="Server name to send and to expect in the certificate (default: the host)",
        ),
    ] = None
    cert: Annotated[
        str | None,
        Option(
            "--cert",
            metavar="FILE",
            rich_help_panel=_TLS,
            help="Client certificate (PEM)",
        ),
    ] = None
    key: Annotated[
        str | None,
        Option(
            "--key",
            metavar="FILE",
            rich_help_panel=_TLS,
            help="Private key of --cert (PEM)",
        ),
    ] = None
    tls_version: Annotated[
        str | None,
        Option(
            "--tls-version",
            metavar="1.2|1.3",
            autocompletion=one_of(*TLS_VERSIONS),
            rich_help_panel=_TLS,
            help="Only TLS version to use (default: the newest that the server has)",
        ),
    ] = None
    no_resume: Annotated[
        bool,
        Option(
            "--no-resume",
            rich_help_panel=_TLS,
            help="Do not resume TLS sessions: a full handshake for each connection",
        ),
    ] = False

    threads: Annotated[
        str | None,
        Option(
            "--threads",
            metavar="N",
            rich_help_panel=_GENERATOR,
            help="Engine threads, at most one per connection (default 1; with --on, on each"
            " machine: one per core)",
        ),
    ] = None
    cpus: Annotated[
        str | None,
        Option(
            "--cpus",
            metavar="LIST",
            rich_help_panel=_GENERATOR,
            help="Processors to pin the engine threads to, such as 2,3 or 2-5",
        ),
    ] = None
    driver: Annotated[
        str,
        Option(
            "--driver",
            metavar="NAME",
            autocompletion=one_of(*DRIVERS),
            rich_help_panel=_GENERATOR,
            help="auto (default), io_uring or epoll; `httpdyno probe` shows what auto chooses",
            show_default=False,
        ),
    ] = "auto"
    seed: Annotated[
        str | None,
        Option(
            "--seed",
            metavar="N",
            rich_help_panel=_GENERATOR,
            help="Seed for random arrivals (default 1)",
        ),
    ] = None
    spin: Annotated[
        bool,
        Option(
            "--spin",
            rich_help_panel=_GENERATOR,
            help="Busy-wait: more precise, uses a whole core per thread",
        ),
    ] = False
    low_latency: Annotated[
        bool,
        Option(
            "--low-latency",
            rich_help_panel=_GENERATOR,
            help="Less lag without busy-waiting: no deep CPU idle states, real-time priority"
            " (where this user may)",
        ),
    ] = False
    kernel_timestamps: Annotated[
        bool,
        Option(
            "--kernel-timestamps",
            rich_help_panel=_GENERATOR,
            help="Also time each call by the kernel's timestamps (TCP on epoll; costs"
            " about 2 µs per call)",
        ),
    ] = False

    on: Annotated[str | None, shared.on(_MACHINES)] = None
    certificates: Annotated[Path | None, shared.certificates(_MACHINES)] = None
    wait: Annotated[bool, shared.wait(_MACHINES)] = False

    json: Annotated[
        str | None,
        Option(
            "--json",
            metavar="FILE|-",
            rich_help_panel=_OUTPUT,
            help="Write the complete measurement; see docs/reference/measurement.md",
        ),
    ] = None
    hdr: Annotated[
        str | None,
        Option(
            "--hdr",
            metavar="FILE|-",
            rich_help_panel=_OUTPUT,
            help="Write the percentiles of the response time in ms, for HdrHistogram's plotter",
        ),
    ] = None
    intervals: Annotated[
        str | None,
        Option(
            "--intervals",
            metavar="FILE|-",
            rich_help_panel=_OUTPUT,
            help="Write the counts of each second as a line of JSON",
        ),
    ] = None
    call_log: Annotated[
        str | None,
        Option(
            "--call-log",
            metavar="FILE|-",
            rich_help_panel=_OUTPUT,
            help="Write the times, the outcome and the sizes of each call as CSV (at most"
            " 10,000,000 calls)",
        ),
    ] = None
    fail_if: Annotated[
        list[str],
        Option(
            "--fail-if",
            metavar="'p99>20ms'",
            rich_help_panel=_OUTPUT,
            help="Exit with code 5 if this holds; repeatable. Metrics: p50 p90 p99 p99.9"
            " min mean max (also service_p99, first_byte_p99, connect_p99, tls_p99,"
            " lag_p99), rate, achieved, due, sent, ok, failed, in_flight; shares of errors:"
            " errors, status_5xx, timeouts, wrong_body ..., which also allow this share",
        ),
    ] = field(default_factory=list)
    keep_secrets: Annotated[
        bool,
        Option(
            "--keep-secrets",
            rich_help_panel=_OUTPUT,
            help="Write credentials and bodies into --json (default: masked)",
        ),
    ] = False
    quiet: Annotated[
        bool,
        Option(
            "--quiet",
            "-q",
            rich_help_panel=_OUTPUT,
            help="No progress and no summary: only files, errors and the exit code",
        ),
    ] = False
    serve: shared.Serve = False
    listen: shared.Listen = None
    stay: shared.Stay = False
