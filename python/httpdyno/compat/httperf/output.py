"""httperf's output: its lines, labels, units and decimals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from httpdyno.compat.httperf.options import Options
from httpdyno.compat.httperf.statistics import SAMPLE_S, Statistics

TYPE_CHECKING = False
if TYPE_CHECKING:
    from httpdyno.measurement import Measurement, Quantiles, Sessions, Time

__all__ = ["report"]

END_OF_CHUNKS = 2
"""Bytes of the empty line after chunks and trailers, which httperf counts with the footer."""
MOST_OF_HISTOGRAM = 200_000
"""Most connections of which the histogram is exact."""


def report(
    options: Options,
    found: Statistics,
    measured: Measurement,
    quantiles: Quantiles,
) -> str:
    """All that is printed after a test."""
    lines = [
        *_rates(options, found),
        f"Maximum connect burst length: {measured.connections.begun_together}",
        *(_histogram(measured.connections.lifetime, quantiles) if options.verbose > 1 else ()),
        "",
        f"Total: connections {found.connections} requests {found.requests}"
        f" replies {found.replies} test-duration {found.seconds:.3f} s",
        "",
        *_connections(found, measured),
        "",
        f"Request rate: {found.per_s(found.requests):.1f} req/s"
        f" ({found.each_ms(found.requests):.1f} ms/req)",
        f"Request size [B]: {found.request_bytes:.1f}",
        "",
        *_replies(found, measured),
        "",
        *(_periodic_totals(measured) if options.periodic_stats else ()),
        *_costs(found, measured),
        "",
        *_errors(found),
    ]
    if options.has_sessions and measured.sessions is not None:
        lines += ["", *_sessions(found, measured.sessions)]
    return "\n".join(lines) + "\n"


def _rates(options: Options, found: Statistics) -> list[str]:
    """The lines that httperf prints while the test runs: by second, and for each sample."""
    timed: list[tuple[float, str]] = []
    for second, (ok, moved) in enumerate(found.by_second, start=1):
        timed.append((second, f"[{second:.6f} s] 200={ok}, 302={moved}"))
    if options.verbose and not found.reply_rate.of_all:
        for place, rate in enumerate(found.reply_rate.rates, start=1):
            timed.append((place * SAMPLE_S, f"reply-rate = {rate:<8.1f}"))
            if options.has_sessions:
                sessions = found.session_rate.rates[place - 1]
                timed.append((place * SAMPLE_S, f"session-rate = {sessions:<8.1f}"))
    return [line for _, line in sorted(timed, key=lambda one: one[0])]


def _connections(found: Statistics, measured: Measurement) -> Iterator[str]:
    times, life = measured.times, measured.connections.lifetime
    yield (
        f"Connection rate: {found.per_s(found.connections):.1f} conn/s"
        f" ({found.each_ms(found.connections):.1f} ms/conn,"
        f" <={measured.connections.peak_open} concurrent connections)"
    )
    shown = life.min_ns, life.mean_ns, life.max_ns, life.p50_ns, life.stdev_ns
    least, mean, greatest, median, deviation = (value * 1e-6 for value in shown)
    yield (
        f"Connection time [ms]: min {least:.1f} avg {mean:.1f} max {greatest:.1f}"
        f" median {median:.1f} stddev {deviation:.1f}"
    )
    connect_ns = times.connect.mean_ns + (times.tls.mean_ns if times.tls else 0)
    yield f"Connection time [ms]: connect {connect_ns * 1e-6:.1f}"
    length = found.replies / life.count if life.count else 0
    yield f"Connection length [replies/conn]: {length:.3f}"


def _replies(found: Statistics, measured: Measurement) -> Iterator[str]:
    samples, times = found.reply_rate, measured.times
    yield (
        f"Reply rate [replies/s]: min {samples.least:.1f} avg {samples.mean:.1f}"
        f" max {samples.greatest:.1f} stddev {samples.deviation:.1f} ({len(samples.rates)} samples)"
    )
    response_ns = times.first_byte.mean_ns
    transfer_ns = max(0.0, times.service.mean_ns - response_ns)
    yield f"Reply time [ms]: response {response_ns * 1e-6:.1f} transfer {transfer_ns * 1e-6:.1f}"
    header, content, footer = _sizes(found, measured)
    yield (
        f"Reply size [B]: header {header:.1f} content {content:.1f} footer {footer:.1f}"
        f" (total {header + content + footer:.1f})"
    )
    classes = " ".join(f"{digit}xx={n}" for digit, n in enumerate(found.by_class, start=1))
    yield f"Reply status: {classes}"


def _sizes(found: Statistics, measured: Measurement) -> tuple[int, int, int]:
    """Mean bytes of a reply's header, content and footer, in whole bytes as httperf divides."""
    seen = measured.replies
    if not found.replies:
        return 0, 0, 0
    sums = seen.header_bytes, seen.content_bytes, seen.footer_bytes
    header, content, footer = (total // found.replies for total in sums)
    return header, content, footer + (END_OF_CHUNKS if _is_chunked(measured) else 0)


def _is_chunked(measured: Measurement) -> bool:
    """True if the first reply was chunked. Servers send all replies of a test alike."""
    first = measured.first_reply
    return first is not None and any(
        name.lower() == "transfer-encoding" and value.lower().endswith("chunked")
        for name, value in first.headers
    )


def _periodic_totals(measured: Measurement) -> Iterator[str]:
    shown = " ".join(f"{status}={measured.statuses.get(status, 0)}" for status in ("200", "302"))
    yield f"Periodic stats: {shown}"
    yield ""


def _costs(found: Statistics, measured: Measurement) -> Iterator[str]:
    user, system = measured.cpu.user_s, measured.cpu.system_s
    shares = [100 * found.per_s(seconds) for seconds in (user, system, user + system)]
    yield (
        f"CPU time [s]: user {user:.2f} system {system:.2f} (user {shares[0]:.1f}%"
        f" system {shares[1]:.1f}% total {shares[2]:.1f}%)"
    )
    seen = measured.replies
    received = seen.header_bytes + seen.content_bytes
    per_s = found.per_s(measured.bytes_sent + received)
    yield f"Net I/O: {per_s / 1024:.1f} KB/s ({8e-6 * per_s:.1f}*10^6 bps)"


def _errors(found: Statistics) -> Iterator[str]:
    shown = [f"{name} {count}" for name, count in found.errors.items()]
    yield f"Errors: total {sum(found.errors.values())} {' '.join(shown[:4])}"
    yield f"Errors: {' '.join(shown[4:])}"


def _sessions(found: Statistics, sessions: Sessions) -> Iterator[str]:
    done, samples = sessions.completed, found.session_rate
    yield (
        f"Session rate [sess/s]: min {samples.least:.2f} avg {found.per_s(done):.2f}"
        f" max {samples.greatest:.2f} stddev {samples.deviation:.2f}"
        f" ({done}/{done + sessions.failed})"
    )
    connections = sessions.connections / done if done else 0.0
    yield f"Session: avg {connections:.2f} connections/session"
    for label, times in (("lifetime", sessions.lifetime), ("failtime", sessions.fail_time)):
        yield f"Session {label} [s]: {times.mean_ns * 1e-9:.1f}"
    yield f"Session length histogram: {' '.join(map(str, sessions.lengths or [0]))}"


def _histogram(life: Time, quantiles: Quantiles) -> Iterator[str]:
    """Connections by their lifetime in whole milliseconds."""
    yield from ("", "Connection lifetime histogram (time in ms):")
    if not life.count:
        return
    points = min(life.count, MOST_OF_HISTOGRAM)
    values = quantiles(life.hdr, [(place + 0.5) / points for place in range(points)])
    bins = Counter(value // 1_000_000 for value in values)
    before = -1
    for milliseconds, number in sorted(bins.items()):
        if milliseconds > before + 1:
            yield f"{':':>14}"
        yield f"{milliseconds + 0.5:16.1f} {round(number * life.count / points)}"
        before = milliseconds
