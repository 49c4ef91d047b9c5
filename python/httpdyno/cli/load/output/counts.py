"""The counts of a load, in labelled lines."""

from __future__ import annotations

from collections.abc import Iterator

from httpdyno import units
from httpdyno.cli.load.arguments.precision import describe_precision, interval
from httpdyno.cli.load.output.reply_check import describe_check
from httpdyno.cli.load.output.words import describe_error
from httpdyno.engine_plan import EnginePlan
from httpdyno.measurement import Http2, Measurement, Quic, Sessions, Time
from httpdyno.measurement.nodes import UNSURE_CLOCK_NS
from httpdyno.output.printable import printable
from httpdyno.verdict.checks.words import statuses

__all__ = ["counts"]

Line = tuple[str, str]
"""A label, and the text beside it."""
_TO_ALLOW = "; `httpdyno doctor` shows how to allow it"


def counts(plan: EnginePlan, m: Measurement) -> list[Line]:
    """Calls, failures, connections, bytes, the generator, and how well p99 is known."""
    return [
        *_calls(m),
        *_failures(plan, m),
        ("checked", describe_check(plan, m)),
        *_connections(m),
        *_generator(plan, m),
        *_nodes(m),
        *_low_latency(m),
        *_kernel(m),
        *_precision(plan, m),
    ]


def _calls(m: Measurement) -> Iterator[Line]:
    c = m.calls
    failed = {"wrong status": c.wrong_status, "wrong body": c.wrong_body}
    lost = {"errors": sum(c.errors.values()), "in flight": c.in_flight}
    due = f"{c.due:,} due = {_sum({'sent': c.sent}, {'unsent': c.unsent})}"
    sent = _sum({"ok": c.ok}, failed | lost)
    time = f"in {units.duration(m.window_s)}"
    if m.stopped_by == "interrupt":
        time += " (interrupted)"
    if c.unsent or c.sent != c.ok:
        yield "calls", f"{due}, {time}"
        yield "", f"{c.sent:,} sent = {sent}"
    else:
        yield "calls", f"{due} = {sent}, {time}"
    if c.waited:
        yield "", f"{c.waited:,} waited for a free connection"
    if m.sessions is not None:
        yield from _sessions(m.sessions, c.unsent)
    if m.grpc is not None:
        yield "gRPC", _codes(m.grpc.statuses) or "no status"
    elif m.statuses:
        yield "statuses", statuses(m.statuses)


def _sessions(s: Sessions, unsent_calls: int) -> Iterator[Line]:
    yield (
        "sessions",
        f"{s.due:,} due, {s.started:,} started, {s.completed:,} completed, {s.failed:,} failed",
    )
    under_way = s.started - s.completed - s.failed
    if under_way > 0:
        rest = ": calls not yet reached count as unsent" if unsent_calls else ""
        yield "", f"{under_way:,} under way at the end{rest}"


def _sum(always: dict[str, int], others: dict[str, int]) -> str:
    """The parts of a count, without those that are zero."""
    parts = always | {part: count for part, count in others.items() if count}
    return " + ".join(f"{count:,} {part}" for part, count in parts.items())


def _failures(plan: EnginePlan, m: Measurement) -> Iterator[Line]:
    classes = sorted(m.calls.errors.items(), key=lambda item: -item[1])
    for place, (name, count) in enumerate(classes):
        words = f"{count:,} {name}: {describe_error(name, plan.timeouts)}"
        yield "errors" if place == 0 else "", words
    if m.first_failure is not None and m.calls.failed:
        yield "first failure", printable(m.first_failure)


def _connections(m: Measurement) -> Iterator[Line]:
    n = m.connections
    reset = n.errors.get("reset", 0)
    also = f", {reset:,} reset by it" if reset else ""
    yield (
        "connections",
        f"{n.opened:,} opened (peak {n.peak_open:,}), {n.failed:,} failed,"
        f" {n.closed_by_server:,} closed by the server{also}",
    )
    if m.http2 is not None:
        yield from _http2(m.http2)
    if m.quic is not None:
        yield "QUIC", _quic(m.quic)
    made = m.handshakes
    if made is not None and made.version is not None:
        done = f"{made.full:,} full handshakes, {made.resumed:,} resumed"
        suite = "" if made.cipher is None else f", {made.cipher}"
        yield "TLS", f"{done}; TLS {made.version}{suite}"
    rate = f" ({units.size(m.bytes_received / m.window_s)}/s)" if m.window_s else ""
    received = f"{units.size(m.bytes_received)} received{rate}"
    yield "bytes", f"{received}, {units.size(m.bytes_sent)} sent"


def _http2(h: Http2) -> Iterator[Line]:
    limit = "" if h.stream_limit is None else f" (limit of the server {h.stream_limit:,})"
    yield "streams", f"at most {h.most_streams:,} at once on a connection{limit}"
    if h.waited_for_stream:
        count = units.counted(h.waited_for_stream, "call")
        yield "", f"{count} waited for a free stream{_p99(h.stream_wait)}"
    if h.blocked_on_window:
        count = units.counted(h.blocked_on_window, "wait")
        yield "", f"{count} for the server's window{_p99(h.window_wait)}"
    if h.windows_used_up:
        yield "", f"our window was used up {units.counted(h.windows_used_up, 'time')}"
    if h.goaways:
        yield "", f"GOAWAY on {units.counted(h.goaways, 'connection')}: {_codes(h.goaway_codes)}"
    if h.resets:
        yield "", f"{sum(h.resets.values()):,} reset by the server: {_codes(h.resets)}"
    if h.resent:
        yield "", f"{units.counted(h.resent, 'call')} sent again: the server had not processed them"
    if h.cancels:
        yield "", f"{h.cancels:,} cancelled by timeouts"


def _quic(q: Quic) -> str:
    """`1,204 packets sent, 0 lost; 2,310 datagrams received; round trip 0.12 ms`."""
    trip = "" if q.mean_rtt_s is None else f"; round trip {units.duration(q.mean_rtt_s)}"
    return (
        f"{units.counted(q.packets_sent, 'packet')} sent, {q.packets_lost:,} lost;"
        f" {units.counted(q.datagrams_received, 'datagram')} received{trip}"
    )


def _p99(time: Time) -> str:
    """`, p99 3.10 ms`, if it is known."""
    return f", p99 {units.duration(time.p99_ns * 1e-9)}" if time.count else ""


def _codes(counts: dict[str, int]) -> str:
    """`REFUSED_STREAM 5, CANCEL 1`, the most frequent first."""
    ordered = sorted(counts.items(), key=lambda item: -item[1])
    return ", ".join(f"{printable(code)} {count:,}" for code, count in ordered)


def _generator(plan: EnginePlan, m: Measurement) -> Iterator[Line]:
    threads = units.counted(m.engine.threads, "thread")
    if m.engine.threads < plan.threads:
        threads += f" instead of {plan.threads:,} (at most one per connection)"
    lag = m.times.lag
    late = f", lag p99 {units.duration(lag.p99_ns * 1e-9)}" if lag.count else ""
    busy = f"{threads}, {units.percent(m.cpu.busy_share)} busy{late}"
    reason = m.engine.driver_reason
    if reason.startswith("io_uring is unavailable"):
        reason += _TO_ALLOW
    yield "generator", f"{busy}; {m.engine.driver} ({reason})"


def _nodes(m: Measurement) -> Iterator[Line]:
    """Each machine of several, beside the merged numbers."""
    for place, node in enumerate(m.nodes or []):
        p99 = units.duration(node.p99_ns * 1e-9)
        late = clock = ""
        if m.times.lag.count:
            late = f", lag p99 {units.duration(node.lag_p99_ns * 1e-9)}"
        if node.offset_error_ns is not None:
            clock = f", clock ±{units.duration(node.offset_error_ns * 1e-9)}"
            if node.offset_error_ns > UNSURE_CLOCK_NS:
                clock += " (its seconds may be shifted by as much)"
        yield (
            "machines" if place == 0 else "",
            f"{printable(node.name)}: {node.ok:,} ok, p99 {p99}, {units.percent(node.busy_share)}"
            f" busy{late}{clock}",
        )


def _low_latency(m: Measurement) -> Iterator[Line]:
    """The parts of --low-latency that this machine granted."""
    answers = m.engine.low_latency
    if answers is None:
        return
    parts = (
        ("shallow idle states", answers.shallow_idle),
        ("real-time priority", answers.real_time),
    )
    words = [name if grant.granted else f"no {name} ({grant.reason})" for name, grant in parts]
    shown = _TO_ALLOW if any(grant.refused for _, grant in parts) else ""
    yield "low latency", ", ".join(words) + shown


def _kernel(m: Measurement) -> Iterator[Line]:
    """The number of right calls with the kernel's timestamps."""
    if m.kernel is None:
        return
    if m.kernel.clock_set_ns is not None:
        moved = units.duration(abs(m.kernel.clock_set_ns) * 1e-9)
        way = "forward" if m.kernel.clock_set_ns > 0 else "back"
        yield "kernel", f"no times: the wall clock was set {way} by {moved} during the run"
        return
    whole = m.kernel.stamped + m.kernel.unstamped
    yield "kernel", f"{m.kernel.stamped:,} of {whole:,} right calls have kernel timestamps"


def _precision(plan: EnginePlan, m: Measurement) -> Iterator[Line]:
    if plan.stop.until is not None:
        yield "precision", describe_precision(plan.stop.until, m)
        return
    p99 = m.percentile(0.99)
    if p99 is not None:
        yield "p99", interval(p99, m.times.response)
