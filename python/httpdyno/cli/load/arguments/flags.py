"""The flags of `httpdyno load`, as they are typed; `plan.py` turns them into a plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import click

from httpdyno.choices import DRIVERS, TLS_VERSIONS
from httpdyno.cli import shared_flags as shared
from httpdyno.cli.command import command_of
from httpdyno.cli.flags import argument, switch, text, texts
from httpdyno.cli.load.arguments.grpc_flags import GrpcFlags
from httpdyno.cli.load.arguments.http_flags import HttpFlags
from httpdyno.cli.load.arguments.request_flags import REQUESTS, RequestFlags
from httpdyno.warm_up import LOAD_S

_HOW_HARD = "Load"
_HOW_LONG = "Duration"
_PATIENCE = "Timeouts"
_CONNECTIONS = "Connections"
_HTTP2 = "HTTP/2"
_TLS = "TLS, for https:// URLs"
_GENERATOR = "Load generator"
_MACHINES = "Several machines"
_OUTPUT = "Output"
ON_WRONG = ("fail", "retry")


@dataclass(frozen=True)
class PaceFlags:
    """The URL, how hard it is loaded, and for how long."""

    url: Annotated[
        str | None,
        argument(
            "URL",
            "http[s]://[USER:PASSWORD@]HOST[:PORT][/PATH][?QUERY]; may be left out with --urls; may"
            " have {random:1:10000} and other placeholders, as headers and bodies may. gRPC:"
            " grpc[s]://HOST:PORT/PACKAGE.SERVICE/METHOD",
        ),
    ] = None

    connections: str | None = text(
        "--connections N",
        "Connections (default 10); with --rate the most that are opened (default 100), with"
        " --sessions the most open at once (default: no limit)",
        _HOW_HARD,
        short="-c",
    )
    rate: str | None = text(
        "--rate RATE",
        "Requests per second, however slow the server is: 5000, a ramp 1000:5000/30s, or steps"
        " 1000x10s,2000x10s",
        _HOW_HARD,
        short="-r",
    )
    sessions: str | None = text(
        "--sessions RATE",
        "Sessions per second, each on a new connection; same notation as --rate",
        _HOW_HARD,
    )
    calls: str | None = text("--calls N", "Calls in each session (default 1)", _HOW_HARD)
    sessions_file: str | None = text(
        "--sessions-file FILE|-",
        "Sessions to replay in turn, in the format of httperf's --wsesslog; without --sessions the"
        " next one begins when one ends, -c of them at once (default 1)",
        _HOW_HARD,
    )
    session_cookies: bool = switch(
        "--session-cookies",
        "Send the cookies that a session's replies set with its later requests",
        _HOW_HARD,
    )
    on_wrong: str | None = text(
        "--on-wrong fail|retry",
        "End a session at its first wrong reply, or send the call again (default: go on)",
        _HOW_HARD,
        choices=ON_WRONG,
    )
    arrivals: Annotated[str | None, shared.arrivals(_HOW_HARD)] = None
    burst: str | None = text("--burst N", "Calls sent together, pipelined (default 1)", _HOW_HARD)
    think: str | None = text(
        "--think TIME",
        "Pause between a reply and the next call on a connection; in a --sessions-file or a session"
        " of a --workload, after bursts that name none (default 0)",
        _HOW_HARD,
    )

    duration: str | None = text(
        "--duration TIME",
        "How long to measure, such as 10s or 2m (default 10s, without --requests)",
        _HOW_LONG,
        short="-d",
    )
    requests: str | None = text(
        "--requests N",
        "How many requests to measure; with --sessions, how many sessions",
        _HOW_LONG,
        short="-n",
    )
    until: str | None = text(
        "--until 'p99±2%'",
        "Measure until this percentile is known so precisely (95 % CI), for --duration at most"
        " (default 60s)",
        _HOW_LONG,
    )
    warm_up: Annotated[str | None, shared.warm_up(LOAD_S, _HOW_LONG)] = None
    drain: str | None = text(
        "--drain TIME", "Longest wait for replies in flight at the end (default 5s)", _HOW_LONG
    )


@dataclass(frozen=True)
class LoadFlags(GrpcFlags, HttpFlags, RequestFlags, PaceFlags):
    """The arguments of `httpdyno load`."""

    gzip: bool = switch("--gzip", "Accept gzip, and check the decoded bodies", REQUESTS)
    window: str | None = text(
        "--window BYTES",
        "What the server may send on a stream before it is asked for more (default 1,073,741,823)",
        _HTTP2,
    )
    connection_window: str | None = text(
        "--connection-window BYTES", "The same for a connection (default 1,073,741,823)", _HTTP2
    )
    header_table: str | None = text(
        "--header-table BYTES", "HPACK table for the headers of replies (default 4096)", _HTTP2
    )
    encoder_table: str | None = text(
        "--encoder-table BYTES",
        "HPACK table for the headers of requests (default 0: equal requests have equal bytes)",
        _HTTP2,
    )
    max_frame: str | None = text(
        "--max-frame BYTES", "Longest frame from the server (default 16384)", _HTTP2
    )
    resend_refused: bool = switch(
        "--resend-refused",
        "Send a call again, once, if the server says that it has not processed it (REFUSED_STREAM,"
        " GOAWAY)",
        _HTTP2,
    )

    timeout: str | None = text(
        "--timeout TIME", "Longest wait for a complete reply (default 30s)", _PATIENCE
    )
    connect_timeout: str | None = text(
        "--connect-timeout TIME",
        "Longest wait for a connection, with its TLS handshake (default 5s)",
        _PATIENCE,
    )
    first_byte_timeout: str | None = text(
        "--first-byte-timeout TIME",
        "Longest wait for the first byte of a reply (default: --timeout)",
        _PATIENCE,
    )
    idle_timeout: str | None = text(
        "--idle-timeout TIME",
        "Longest time without progress: while connecting, until the first byte of a reply, and"
        " between its bytes (default: no limit)",
        _PATIENCE,
    )

    no_keep_alive: bool = switch(
        "--no-keep-alive", "Use a new connection for each request", _CONNECTIONS
    )
    calls_per_connection: str | None = text(
        "--calls-per-connection N",
        "Close a connection after N calls (default: never)",
        _CONNECTIONS,
    )
    close_with_reset: bool = switch(
        "--close-with-reset",
        "Close connections with a reset (RST), which leaves no port in TIME_WAIT",
        _CONNECTIONS,
    )
    send_buffer: str | None = text(
        "--send-buffer BYTES", "Send buffer of each socket (default: the kernel's)", _CONNECTIONS
    )
    receive_buffer: str | None = text(
        "--receive-buffer BYTES",
        "Receive buffer of each socket (default: the kernel's)",
        _CONNECTIONS,
    )
    unix: str | None = text(
        "--unix PATH",
        "Unix socket to connect to; URL then gives only the Host header and path",
        _CONNECTIONS,
    )
    source: list[str] = texts(
        "--source ADDRESS", "Address to connect from; repeatable", _CONNECTIONS
    )
    source_ports: str | None = text(
        "--source-ports FIRST-LAST", "Ports to connect from", _CONNECTIONS
    )

    proxy: str | None = text(
        "--proxy URL",
        "HTTP proxy: http://[USER:PASSWORD@]HOST[:PORT] (http_proxy and other environment"
        " variables are ignored)",
        _CONNECTIONS,
    )

    ca: str | None = text(
        "--ca FILE", "Certificates to trust (PEM; default: those that this machine trusts)", _TLS
    )
    insecure: bool = switch("--insecure", "Do not check the server's certificate", _TLS, short="-k")
    sni: str | None = text(
        "--sni NAME",
        "Server name to send and to expect in the certificate (default: the host)",
        _TLS,
    )
    cert: str | None = text("--cert FILE", "Client certificate (PEM)", _TLS)
    key: str | None = text("--key FILE", "Private key of --cert (PEM)", _TLS)
    tls_version: str | None = text(
        "--tls-version 1.2|1.3",
        "Only TLS version to use (default: the newest that the server has)",
        _TLS,
        choices=TLS_VERSIONS,
    )
    no_resume: bool = switch(
        "--no-resume", "Do not resume TLS sessions: a full handshake for each connection", _TLS
    )

    threads: str | None = text(
        "--threads N",
        "Engine threads, at most one per connection (default 1; with --on, on each machine: one"
        " per core)",
        _GENERATOR,
    )
    cpus: str | None = text(
        "--cpus LIST", "Processors to pin the engine threads to, such as 2,3 or 2-5", _GENERATOR
    )
    driver: str = text(
        "--driver NAME",
        "auto (default), io_uring or epoll; `httpdyno doctor` shows what auto chooses",
        _GENERATOR,
        choices=DRIVERS,
        default="auto",
    )
    seed: str | None = text(
        "--seed N", "Seed for random arrivals and values (default 1)", _GENERATOR
    )
    spin: bool = switch(
        "--spin", "Busy-wait: more precise, uses a whole core per thread", _GENERATOR
    )
    low_latency: bool = switch(
        "--low-latency",
        "Less lag without busy-waiting: no deep CPU idle states, real-time priority (where this"
        " user may)",
        _GENERATOR,
    )
    kernel_timestamps: bool = switch(
        "--kernel-timestamps",
        "Also time each call by the kernel's timestamps (TCP on epoll; costs about 2 µs per call)",
        _GENERATOR,
    )

    on: Annotated[str | None, shared.on(_MACHINES)] = None
    certificates: Annotated[Path | None, shared.certificates(_MACHINES)] = None
    wait: Annotated[bool, shared.wait(_MACHINES)] = False

    json: str | None = text(
        "--json FILE|-",
        "Write the complete measurement; see docs/reference/measurement.md",
        _OUTPUT,
    )
    hdr: str | None = text(
        "--hdr FILE|-",
        "Write the percentiles of the response time in ms, for HdrHistogram's plotter; to"
        " FILE.hlog, the histograms as its log, with one for each endpoint",
        _OUTPUT,
    )
    intervals: str | None = text(
        "--intervals FILE|-", "Write the counts of each second as a line of JSON", _OUTPUT
    )
    call_log: str | None = text(
        "--call-log FILE|-",
        "Write the times, the outcome and the sizes of each call as CSV (at most 10,000,000 calls)",
        _OUTPUT,
    )
    report: str | None = text(
        "--report FILE|-",
        "Write a page (HTML) with charts over time: percentiles, a heat map of response times,"
        " failures",
        _OUTPUT,
    )
    export: Annotated[list[str] | None, shared.export(_OUTPUT)] = None
    github: Annotated[bool, shared.github(_OUTPUT)] = False
    fail_if: list[str] = texts(
        "--fail-if 'p99>20ms'",
        "Exit with code 5 if this holds; repeatable. Metrics: p50 p90 p99 p99.9 min mean max (also"
        " service_p99, first_byte_p99, connect_p99, tls_p99, lag_p99), rate, achieved, due, sent,"
        " ok, failed, in_flight; shares of errors: errors, status_5xx, timeouts, wrong_body ...,"
        " which also allow this share. Of one endpoint: 'p99[POST /orders]>20ms'",
        _OUTPUT,
    )
    keep_secrets: bool = switch(
        "--keep-secrets", "Write credentials and bodies into --json (default: masked)", _OUTPUT
    )
    quiet: bool = switch(
        "--quiet",
        "No progress and no summary: only files, errors and the exit code",
        _OUTPUT,
        short="-q",
    )
    serve: shared.Serve = False
    listen: shared.Listen = None
    stay: shared.Stay = False


def flags_of(words: Sequence[str]) -> LoadFlags:
    """The flags in these words. Raises UsageError of Click for words that are none."""
    command = command_of(_flags, "load")
    parent = click.Context(click.Command("httpdyno"), info_name="httpdyno")
    with command.make_context("load", list(words), parent=parent) as context:
        flags: LoadFlags = context.command.invoke(context)
        return flags


def _flags(flags: LoadFlags) -> LoadFlags:
    return flags
