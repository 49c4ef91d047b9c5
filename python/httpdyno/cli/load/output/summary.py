"""What a load did, in a text that a person reads in ten seconds."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from httpdyno import units
from httpdyno.cli.load.arguments.precision import interval, told
from httpdyno.cli.load.arguments.thresholds import Crossing
from httpdyno.cli.load.output.sparkline import bars, shape
from httpdyno.cli.load.output.words import CLOSED_NOTE, describe_error, describe_load
from httpdyno.engine_plan import EnginePlan
from httpdyno.measurement import Measurement, Time
from httpdyno.verdict import Verdict

__all__ = ["SAMPLE_QUANTILES", "summary"]

SAMPLE_QUANTILES = [(i + 0.5) / 2000 for i in range(2000)]
"""Where the response time's distribution is asked for, to draw its shape."""

_LABEL = 13
_WIDTH = 78
_BARS = 36
_COLUMNS = ("p50", "p90", "p99", "p99.9", "max")
_MEANINGS = {
    "response": "due → last byte",
    "service": "sent → last byte",
    "first byte": "sent → first byte",
    "connect": "per connection",
    "TLS": "per handshake",
    "kernel": "left → arrived",
    "kernel gap": "rest of service",
}


def summary(
    plan: EnginePlan,
    measurement: Measurement,
    verdict: Verdict,
    crossings: Sequence[Crossing],
    response_sample_ns: Sequence[int],
) -> str:
    """The whole text. `response_sample_ns`: response times at SAMPLE_QUANTILES."""
    blocks = [
        [_headline(measurement, verdict), describe_load(plan)],
        _times(measurement),
        _pictures(measurement, response_sample_ns),
        _counts(measurement)
        + _connections(measurement)
        + _generator(measurement)
        + _low_latency(measurement)
        + _stamped(measurement)
        + _known(plan, measurement),
        _given_up(measurement),
        _closed_note(measurement),
        _verdict(verdict, crossings),
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block)


def _headline(m: Measurement, verdict: Verdict) -> str:
    rate = units.rate(m.throughput_per_s)
    if m.offered_per_s is not None:
        rate = f"{rate} of {units.rate(m.offered_per_s)} offered"
    seen = m.times.response
    p99 = f"{_bound(seen, 0.99, seen.p99_ns)}{units.duration(seen.p99_ns * 1e-9)}"
    late = f"p99 {p99}" if seen.count else "no times"
    lost = m.calls.failed + m.calls.in_flight
    failures = f"{units.percent(m.error_share)} failed" if lost else "none failed"
    return f"{verdict.status.upper()}: {rate}, {late}, {failures}, in {units.duration(m.window_s)}"


def _times(m: Measurement) -> list[str]:
    rows: list[tuple[str, Time | None]] = [
        ("response", m.times.response),
        ("service", m.times.service),
        ("first byte", m.times.first_byte),
        ("connect", m.times.connect),
        ("TLS", m.times.tls),
        ("kernel", m.times.kernel),
        ("kernel gap", m.times.kernel_gap),
    ]
    heading = " " * _LABEL + "".join(f"{column:>9}" for column in _COLUMNS)
    measured = [_row(name, time) for name, time in rows if time is not None and time.count]
    return [heading.rstrip(), *measured]


def _row(name: str, time: Time) -> str:
    values = (time.p50_ns, time.p90_ns, time.p99_ns, time.p999_ns, time.max_ns)
    shares = (0.50, 0.90, 0.99, 0.999, 1.0)
    cells = "".join(
        f"{_bound(time, share, value) + units.duration(value * 1e-9):>9}"
        for share, value in zip(shares, values, strict=True)
    )
    return f"{name:<{_LABEL}}{cells}   {_MEANINGS[name]}"


def _bound(time: Time, share: float, value_ns: int) -> str:
    """`≥` where the true percentile may lie above, for calls were given up."""
    return "≥" if time.is_lower_bound(share, value_ns) else ""


def _pictures(m: Measurement, sample_ns: Sequence[int]) -> list[str]:
    lines = []
    seen = m.times.response
    low, high = max(seen.min_ns, 1), seen.p9999_ns
    drawn = shape(sample_ns, low, high, _BARS) if seen.count else ""
    if drawn:
        span = f"{units.duration(low * 1e-9)} to {units.duration(high * 1e-9)} (log)"
        lines.append(f"{'shape':<{_LABEL}}{drawn}  {span}")
    seconds = [second.ok for second in m.intervals if 0 <= second.second < int(m.window_s)]
    if len(seconds) > 1 and any(seconds):
        span = f"{min(seconds):,} to {max(seconds):,} a second"
        lines.append(f"{'by second':<{_LABEL}}{bars(seconds, _BARS):<{_BARS}}  {span}")
    return lines


def _counts(m: Measurement) -> list[str]:
    c = m.calls
    failed = {"wrong status": c.wrong_status, "wrong body": c.wrong_body}
    lost = {"errors": sum(c.errors.values()), "in flight": c.in_flight}
    lines = [
        _labelled("calls", _sum(c.due, "due", {"sent": c.sent}, {"unsent": c.unsent})),
        _labelled("", _sum(c.sent, "sent", {"ok": c.ok}, failed | lost)),
    ]
    if c.waited:
        lines.append(_labelled("", f"{c.waited:,} waited for a free connection"))
    if m.sessions is not None:
        s = m.sessions
        text = (
            f"{s.due:,} due, {s.started:,} started, {s.completed:,} completed, {s.failed:,} failed"
        )
        lines.append(_labelled("sessions", text))
    statuses = ", ".join(f"{count:,} × {code}" for code, count in sorted(m.statuses.items()))
    if statuses and (len(m.statuses) > 1 or c.wrong_status):
        lines.append(_labelled("statuses", statuses))
    for place, (name, count) in enumerate(sorted(c.errors.items(), key=lambda item: -item[1])):
        text = f"{count:,} {name}: {describe_error(name)}"
        lines.append(_labelled("errors" if place == 0 else "", text))
    if m.first_failure is not None and c.failed:
        lines.append(_labelled("first failure", m.first_failure))
    return lines


def _sum(whole: int, name: str, always: dict[str, int], others: dict[str, int]) -> str:
    """A count and what it is made of, without the parts that are zero."""
    parts = always | {part: count for part, count in others.items() if count}
    return f"{whole:,} {name} = " + " + ".join(f"{n:,} {part}" for part, n in parts.items())


def _connections(m: Measurement) -> list[str]:
    n = m.connections
    text = f"{n.opened:,} opened, {n.failed:,} failed, {n.closed_by_server:,} closed by the server"
    received = f"{units.size(m.bytes_received)} in ({_per_second(m)})"
    return [
        _labelled("connections", f"{text}, at most {n.peak_open:,} open"),
        *_handshakes(m),
        _labelled("bytes", f"{received}, {units.size(m.bytes_sent)} out"),
    ]


def _handshakes(m: Measurement) -> list[str]:
    made = m.handshakes
    if made is None or made.version is None:
        return []
    text = f"{made.full:,} full handshakes, {made.resumed:,} resumed; TLS {made.version}"
    return [_labelled("TLS", f"{text}, {made.cipher}")]


def _per_second(m: Measurement) -> str:
    return f"{units.size(m.bytes_received / m.window_s)}/s" if m.window_s else "–"


def _generator(m: Measurement) -> list[str]:
    threads = "1 thread" if m.engine.threads == 1 else f"{m.engine.threads} threads"
    lag = m.times.lag
    late = f", lag p99 {units.duration(lag.p99_ns * 1e-9)}" if lag.count else ""
    text = f"{m.engine.driver} ({m.engine.driver_reason})"
    busy = f"{threads}, {units.percent(m.cpu.busy_share)} busy{late}"
    return [_labelled("generator", f"{busy}; {text}")]


def _low_latency(m: Measurement) -> list[str]:
    """What this machine granted of it; nothing where it was not asked for."""
    asked = m.engine.low_latency
    if asked is None:
        return []
    parts = (("shallow idle states", asked.shallow_idle), ("real-time priority", asked.real_time))
    words = [name if grant.granted else f"no {name} ({grant.reason})" for name, grant in parts]
    return [_labelled("low latency", ", ".join(words))]


def _stamped(m: Measurement) -> list[str]:
    """How many right calls the kernel's stamps were had of."""
    if m.kernel is None:
        return []
    if m.kernel.clock_set_ns is not None:
        moved = units.duration(abs(m.kernel.clock_set_ns) * 1e-9)
        way = "forward" if m.kernel.clock_set_ns > 0 else "back"
        text = f"no times: the wall clock was set {way} by {moved} during the run"
        return [_labelled("kernel", text)]
    whole = m.kernel.stamped + m.kernel.unstamped
    return [_labelled("kernel", f"{m.kernel.stamped:,} of {whole:,} right calls have its stamps")]


def _known(plan: EnginePlan, m: Measurement) -> list[str]:
    """Whether a percentile came to be known as well as was asked for, or how well p99 is."""
    if plan.stop.until is not None:
        return [_labelled("until", told(plan.stop.until, m))]
    p99 = m.validity.percentile(0.99) if m.validity else None
    return [] if p99 is None else [_labelled("p99 is", f"{interval(p99)}, at 95 %")]


def _given_up(m: Measurement) -> list[str]:
    censored = m.times.response.censored
    if not censored:
        return []
    text = f"≥: {censored:,} calls were given up; they count with the age they had then"
    return textwrap.wrap(text, _WIDTH)


def _closed_note(m: Measurement) -> list[str]:
    return textwrap.wrap(CLOSED_NOTE, _WIDTH) if m.load == "closed" else []


def _verdict(verdict: Verdict, crossings: Sequence[Crossing]) -> list[str]:
    lines = []
    for reason in verdict.reasons:
        lines.append(_labelled(reason.status, reason.text))
        lines.append(_labelled("", f"hint: {reason.hint}"))
    for crossing in crossings:
        lines.append(_labelled("crossed", f"{crossing.threshold}: {crossing.measured}"))
    return lines


def _labelled(label: str, text: str) -> str:
    """A label, and a text that is wrapped beside it."""
    indent = " " * _LABEL
    lines = textwrap.wrap(text, _WIDTH - _LABEL, break_on_hyphens=False) or [""]
    separator = " " * max(1, _LABEL - len(label))
    return f"{label}{separator}" + f"\n{indent}".join(lines)
