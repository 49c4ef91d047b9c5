"""The times of a load as text: a table of percentiles, and two small pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from operator import itemgetter

from httpdyno import units
from httpdyno.cli.live.sparkline import bars, shape
from httpdyno.cli.text_table import TextTable
from httpdyno.measurement import Measurement, Quantiles, Time
from httpdyno.output.table import Column, TextColumn

__all__ = ["COLUMNS", "LABEL", "bound", "pictures", "rows", "table"]

LABEL = 13
"""The width of the labels on the left."""
_CELL = 8
_NUMBERS = ("min", "mean", "p50", "p90", "p95", "p99", "p99.9", "max")
_DROPPED_LAST = ("p99", "max", "p50", "p99.9", "p90", "mean", "min", "p95")
"""The order in which a narrow terminal keeps columns; p99 stays."""
_MEANINGS = {
    "response": "due → last byte",
    "service": "sent → last byte",
    "first byte": "sent → first byte",
    "connect": "per connection",
    "TLS": "per handshake",
    "kernel": "left → arrived",
    "kernel gap": "service - kernel",
}
_BARS = 36
_FEWEST_BARS = 8
_SPAN = 29
"""The width of the text beside a picture."""
_Row = Mapping[str, str]
"""The fields of a kind of time, by the headings of their columns."""
COLUMNS: Sequence[Column[_Row]] = [
    TextColumn("milliseconds", itemgetter("milliseconds")),
    *[Column[_Row](name, itemgetter(name), drop=_DROPPED_LAST.index(name)) for name in _NUMBERS],
    TextColumn("", itemgetter(""), drop=len(_NUMBERS)),
]
_SAMPLE = [(i + 0.5) / 2000 for i in range(2000)]


def table(
    m: Measurement, quantiles: Quantiles, width: int, doubted: Set[str] = frozenset()
) -> TextTable[_Row]:
    """A row for each kind of time that was measured, in milliseconds.

    The headings of `doubted` columns are marked.
    """
    found = rows(m, quantiles)
    return TextTable(COLUMNS, found, width, first=LABEL, others=_CELL, gap=1, doubted=doubted)


def rows(m: Measurement, quantiles: Quantiles) -> list[_Row]:
    """The fields of each kind of time that was measured, in milliseconds."""
    found: list[_Row] = []
    for name, meaning in _MEANINGS.items():
        time: Time | None = getattr(m.times, name.lower().replace(" ", "_"))
        if time is not None and time.count:
            numbers = zip(_NUMBERS, _cells(time, quantiles), strict=True)
            found.append({"milliseconds": name, **dict(numbers), "": f"  {meaning}"})
    return found


def bound(time: Time, share: float, value_ns: int) -> str:
    """`≥` where the true percentile may be higher, because calls were given up."""
    return "≥" if time.is_lower_bound(share, value_ns) else ""


def pictures(m: Measurement, quantiles: Quantiles, width: int) -> list[str]:
    """The shape of the response times, and the replies of each second."""
    lines = []
    room = max(_FEWEST_BARS, min(2 * _BARS, width - LABEL - _SPAN))
    seen = m.times.response
    if seen.count:
        low, high = max(seen.min_ns, 1), seen.max_ns
        drawn = shape([*quantiles(seen.hdr, _SAMPLE), high], low, high, room)
        longest = bound(seen, 1.0, high) + units.duration(high * 1e-9)
        span = f"{units.duration(low * 1e-9)} to {longest} (log)"
        if drawn:
            lines.append(f"{'shape':<{LABEL}}{drawn}  {span}")
    seconds = [second.ok for second in m.seconds if 0 <= second.second < int(m.window_s)]
    if len(seconds) > 1 and any(seconds):
        span = f"{min(seconds):,}/s to {max(seconds):,}/s"
        lines.append(f"{'by second':<{LABEL}}{bars(seconds, room):<{room}}  {span}")
    return lines


def _cells(time: Time, quantiles: Quantiles) -> list[str]:
    p95_ns = time.between(quantiles(time.hdr, [0.95])[0], time.p90_ns, time.p99_ns)
    percentiles = (
        (0.50, time.p50_ns),
        (0.90, time.p90_ns),
        (0.95, p95_ns),
        (0.99, time.p99_ns),
        (0.999, time.p999_ns),
        (1.0, time.max_ns),
    )
    cells = [
        ("≥" if time.is_min_lower_bound else "") + _ms(time.min_ns),
        ("≥" if time.is_mean_lower_bound else "") + _ms(time.mean_ns),
    ]
    return cells + [bound(time, share, value) + _ms(value) for share, value in percentiles]


def _ms(nanoseconds: float) -> str:
    """Three significant digits, but no more than four decimals."""
    milliseconds = nanoseconds * 1e-6
    return units.significant(milliseconds) if milliseconds >= 0.01 else f"{milliseconds:.4f}"
