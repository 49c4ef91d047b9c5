"""The report of a test as the HTML table of ab's `-w`."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from httpdyno.compat.ab.options import Markup
from httpdyno.compat.ab.results import Results
from httpdyno.compat.ab.times import milliseconds
from httpdyno.output.printable import printable

__all__ = ["table"]


def table(results: Results) -> str:
    """The whole table. What comes from the server or the URL is escaped."""
    markup = results.options.markup or Markup()
    rows = [_pair(markup, *pair) for pair in (*_server(results), *_counts(results))]
    rows += _rates(results, markup)
    if results.done:
        rows += _times(results, markup)
    inside = "".join(f"<tr {markup.row}>{row}</tr>\n" for row in rows)
    return f"\n\n<table {markup.table}>\n{inside}</table>\n"


def _pair(markup: Markup, label: str, value: str | None) -> str:
    if value is None:
        return f"<td colspan=4 {markup.cell} >{label}</td>"
    cell = f"colspan=2 {markup.cell}"
    return f"<th {cell}>{label}</th><td {cell}>{value}</td>"


def _server(results: Results) -> Iterator[tuple[str, str]]:
    options = results.options
    yield "Server Software:", _escape(results.software)
    yield "Server Hostname:", _escape(options.url.host)
    yield "Server Port:", str(options.url.port)
    yield "Document Path:", _escape(options.url.path)
    yield "Document Length:", "Variable" if options.any_length else f"{results.length} bytes"


def _counts(results: Results) -> Iterator[tuple[str, str | None]]:
    failed, options = results.failures, results.options
    yield "Concurrency Level:", str(options.concurrency)
    yield "Time taken for tests:", f"{results.taken_s:.3f} seconds"
    yield "Complete requests:", str(results.done)
    yield "Failed requests:", str(failed.total)
    if failed.total:
        classes = f"Length: {failed.length}, Exceptions: {failed.exceptions}"
        yield f"   (Connect: {failed.connect}, {classes})", None
    if results.other_than_2xx:
        yield "Non-2xx responses:", str(results.other_than_2xx)
    if options.keep_alive:
        yield "Keep-Alive requests:", str(results.kept)
    yield "Total transferred:", f"{results.received} bytes"
    if options.body is not None:
        yield "Total body sent:", str(results.sent)
    yield "HTML transferred:", f"{results.content} bytes"


def _rates(results: Results, markup: Markup) -> Iterator[str]:
    if not results.taken_s:
        return
    kib = results.taken_s * 1024
    yield _pair(markup, "Requests per second:", f"{results.done / results.taken_s:.2f}")
    yield _pair(markup, "Transfer rate:", f"{results.received / kib:.2f} kb/s received")
    if results.options.body is None:
        return
    cell = f"colspan=2 {markup.cell}"
    both = results.received + results.sent
    for rate in (f"{results.sent / kib:.2f} kb/s sent", f"{both / kib:.2f} kb/s total"):
        yield f"<td {cell}>&nbsp;</td><td {cell}>{rate}</td>"


def _times(results: Results, markup: Markup) -> Iterator[str]:
    """ab's table has no row for waiting; processing is the difference of the others."""
    cell, done = markup.cell, results.done
    connect, total = results.times.connect, results.times.total
    least = milliseconds(connect[0]), milliseconds(total[0])
    mean = milliseconds(connect.sum) // done, milliseconds(total.sum) // done
    most = milliseconds(connect[done - 1]), milliseconds(total[done - 1])
    between = tuple(pair[1] - pair[0] for pair in (least, mean, most))
    heads = "   ".join(f"<th {cell}>{name}</th>" for name in ("min", "avg", "max"))
    yield f"<th {cell} colspan=4>Connection Times (ms)</th>"
    yield f"<th {cell}>&nbsp;</th> {heads}"
    for label, values in (
        ("Connect:", (least[0], mean[0], most[0])),
        ("Processing:", between),
        ("Total:", (least[1], mean[1], most[1])),
    ):
        cells = "".join(f"<td {cell}>{value:5d}</td>" for value in values)
        yield f"<th {cell}>{label}</th>{cells}"


def _escape(text: str) -> str:
    return escape(printable(text))
