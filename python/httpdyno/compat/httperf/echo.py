"""The command line as httperf repeats it: with defaults, in its own order."""

from __future__ import annotations

import os
from collections.abc import Iterator

from httpdyno.compat.httperf.options import Options
from httpdyno.output.secrets import masked_header, masked_url

__all__ = ["echo"]


def echo(options: Options) -> str:
    """The effective command line in one line."""
    return " ".join(["httperf", *_output(options), *_connections(options), *_workload(options)])


def _output(options: Options) -> Iterator[str]:
    if options.verbose:
        yield "--verbose"
    for name, printed in (("reply", options.print_reply), ("request", options.print_request)):
        if printed:
            yield f"--print-{name}" + ("" if printed == "whole" else f"={printed}")


def _connections(options: Options) -> Iterator[str]:
    if options.hog:
        yield "--hog"
    if options.close_with_reset:
        yield "--close-with-reset"
    for name in ("think_timeout", "timeout", "runtime"):
        if getattr(options, name):
            yield f"--{name.replace('_', '-')}={getattr(options, name):g}"
    number, clients = options.client
    yield f"--client={number}/{clients}"
    yield f"--server={options.server}"
    if options.server_name:
        yield f"--server_name={options.server_name}"  # so it is written
    yield f"--port={options.port}"
    yield f"--uri={masked_url(os.fsdecode(options.uri))}"
    if options.failure_status:
        yield f"--failure-status={options.failure_status}"
    if options.http != "1.1":
        yield f"--http-version={options.http}"
    if options.max_connections:
        yield f"--max-connections={options.max_connections}"
    if options.max_piped_calls:
        yield f"--max-piped-calls={options.max_piped_calls}"
    yield from _pace(options)
    yield f"--send-buffer={options.send_buffer}"
    if options.retry_on_failure:
        yield "--retry-on-failure"
    yield f"--recv-buffer={options.recv_buffer}"
    if options.session_cookies:
        yield "--session-cookies"
    yield from _tls(options)


def _pace(options: Options) -> Iterator[str]:
    pace = options.pace
    if not pace.mean_s:
        return
    if pace.kind == "d":
        yield f"--rate={1 / pace.mean_s:g}"
    else:
        yield f"--period={pace.kind}" + ",".join(f"{value:g}" for value in pace.values)


def _tls(options: Options) -> Iterator[str]:
    if options.ssl:
        yield "--ssl"
    if not options.ssl_reuse:
        yield "--ssl-no-reuse"
    for name, value in (
        ("cert", options.ssl_certificate),
        ("key", options.ssl_key),
        ("ca-file", options.ssl_ca_file),
    ):
        if value:
            yield f"--ssl-{name}={value}"
    if options.ssl_verify:
        yield "--ssl-verify"
    if options.ssl_protocol:
        yield f"--ssl-protocol={options.ssl_protocol}"


def _workload(options: Options) -> Iterator[str]:
    if options.add_header:
        shown = "\\n".join(map(masked_header, options.add_header.split("\\n")))
        yield f"--add-header='{shown}'"
    if options.add_header_file:
        yield f"--add-header-file='{options.add_header_file}'"
    if options.method:
        yield f"--method={options.method}"
    if options.use_timer_cache:
        yield "--use-timer-cache"
    yield from _calls(options)
    if options.periodic_stats:
        yield "--periodic-stats"


def _calls(options: Options) -> Iterator[str]:
    logged, sessions, working_set = options.wsesslog, options.wsess, options.wset
    if logged:
        yield f"--wsesslog={logged.count},{logged.think_s:.3f},{logged.file}"
        return
    if sessions:
        yield f"--wsess={sessions.count},{sessions.calls},{sessions.think_s:.3f}"
    else:
        yield f"--num-conns={options.num_conns}"
        yield f"--num-calls={options.num_calls}"
    if options.burst_length != 1:
        yield f"--burst-length={options.burst_length}"
    if working_set:
        yield f"--wset={working_set.files},{working_set.miss_rate:.3f}"
