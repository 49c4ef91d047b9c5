"""The report of a test, line for line as ab prints it."""

from __future__ import annotations

from collections.abc import Iterator

from httpdyno.compat.ab.results import Results
from httpdyno.compat.ab.times import Row, Times, milliseconds
from httpdyno.output.printable import printable

__all__ = ["report"]

_PERCENT = (50, 66, 75, 80, 90, 95, 98, 99)


def report(results: Results) -> str:
    """The whole report."""
    lines = [*_server(results), *_counts(results), *_rates(results)]
    if results.done:
        lines += _table(results)
    if results.options.percentiles and results.done > 1:
        lines += _percentiles(results.times)
    return "\n\n" + "".join(f"{line}\n" for line in lines)


def _server(results: Results) -> Iterator[str]:
    options = results.options
    yield f"Server Software:        {printable(results.software)}"
    yield f"Server Hostname:        {printable(options.url.host)}"
    yield f"Server Port:            {options.url.port}"
    if results.tls is not None:
        yield f"SSL/TLS Protocol:       {results.tls}"
        if options.server_name is not None:
            yield f"TLS Server Name:        {options.server_name}"
    yield ""
    yield f"Document Path:          {printable(options.url.path)}"
    length = "Variable" if options.any_length else f"{results.length} bytes"
    yield f"Document Length:        {length}"
    yield ""


def _counts(results: Results) -> Iterator[str]:
    failed, options = results.failures, results.options
    yield f"Concurrency Level:      {options.concurrency}"
    yield f"Time taken for tests:   {results.taken_s:.3f} seconds"
    yield f"Complete requests:      {results.done}"
    yield f"Failed requests:        {failed.total}"
    if failed.total:
        yield (
            f"   (Connect: {failed.connect}, Receive: {failed.receive},"
            f" Length: {failed.length}, Exceptions: {failed.exceptions})"
        )
    if results.other_than_2xx:
        yield f"Non-2xx responses:      {results.other_than_2xx}"
    if options.keep_alive:
        yield f"Keep-Alive requests:    {results.kept}"
    yield f"Total transferred:      {results.received} bytes"
    if options.body is not None:
        yield f"Total body sent:        {results.sent}"
    yield f"HTML transferred:       {results.content} bytes"


def _rates(results: Results) -> Iterator[str]:
    taken_s, done, options = results.taken_s, results.done, results.options
    if not taken_s or not done:
        return
    each_ms = taken_s * 1000 / done
    kib = taken_s * 1024
    yield f"Requests per second:    {done / taken_s:.2f} [#/sec] (mean)"
    yield f"Time per request:       {options.concurrency * each_ms:.3f} [ms] (mean)"
    yield (f"Time per request:       {each_ms:.3f} [ms] (mean, across all concurrent requests)")
    yield f"Transfer rate:          {results.received / kib:.2f} [Kbytes/sec] received"
    if options.body is not None:
        yield f"                        {results.sent / kib:.2f} kb/s sent"
        yield f"                        {(results.received + results.sent) / kib:.2f} kb/s total"


def _table(results: Results) -> Iterator[str]:
    times = results.times
    rows = {
        "Connect:": Row.of(times.connect),
        "Processing:": Row.of(times.processing),
        "Waiting:": Row.of(times.waiting),
        "Total:": Row.of(times.total),
    }
    yield ""
    yield "Connection Times (ms)"
    if not results.options.deviations:
        yield "              min   avg   max"
        for label, row in rows.items():
            yield f"{label:<12}{row.least:5d} {row.mean:5d}{row.most:5d}"
        return
    yield "              min  mean[+/-sd] median   max"
    for label, row in rows.items():
        yield (
            f"{label:<12}{row.least:5d} {row.mean:4d} {row.deviation:5.1f}"
            f" {row.median:6d} {row.most:7d}"
        )
    names = ("initial connection", "processing", "waiting", "total")
    for name, row in zip(names, rows.values(), strict=True):
        yield from _doubts(name, row)


def _doubts(name: str, row: Row) -> Iterator[str]:
    subject = f"The median and mean for the {name} time are"
    if row.distance > 2 * row.deviation:
        yield f"ERROR: {subject} more than twice the standard"
        yield "       deviation apart. These results are NOT reliable."
    elif row.distance > row.deviation:
        yield f"WARNING: {subject} not within a normal deviation"
        yield "        These results are probably not that reliable."


def _percentiles(times: Times) -> Iterator[str]:
    yield ""
    yield "Percentage of the requests served within a certain time (ms)"
    for percent in _PERCENT:
        yield f"  {percent}%  {milliseconds(times.served_within_us(percent)):5d}"
    yield f" 100%  {milliseconds(times.served_within_us(100)):5d} (longest request)"
