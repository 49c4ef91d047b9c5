"""The trial with the median p99 of a cell: its distribution, and its course."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from httpdyno.measurement import Measurement, Quantiles, Time
from httpdyno.outcome import TrialOutcome
from httpdyno.result import SecondRow

SPECTRUM = (0, 10, 25, 50, 75, 90, 95, 97.5, 99, 99.5, 99.75, 99.9, 99.95, 99.99, 99.999)
"""Percentiles of the latency spectrum; those that a trial has too few requests for are left out."""
_PARTS = 200
"""A density is made from so many quantiles, less the outermost."""
_MOST_BINS, _LEAST_BIN = 40, 1.02
"""Bins of a density, and the least ratio of the ends of one."""
_DIGITS = 5
_MOST_ENDPOINTS = 20
"""Most endpoints with a spectrum."""


def median_trial(usable: Sequence[TrialOutcome]) -> Measurement | None:
    """The trial with the median p99; None without any reply."""
    measured = [
        o.measurement for o in usable if o.measurement and o.measurement.times.response.count
    ]
    measured.sort(key=lambda m: (m.times.response.p99_ns, m.started_at))
    return measured[(len(measured) - 1) // 2] if measured else None


def spectrum(response: Time, quantiles: Quantiles) -> list[tuple[float, float]]:
    """(percentile, seconds), as far as there are requests beyond the percentile."""
    seen = [p for p in SPECTRUM if round((100 - p) * response.count) >= 100]
    values = quantiles(response.hdr, [p / 100 for p in seen])
    return [(float(p), ns * 1e-9) for p, ns in zip(seen, values, strict=True)]


def endpoint_spectra(m: Measurement, quantiles: Quantiles) -> dict[str, list[tuple[float, float]]]:
    """The spectrum of each endpoint that has some; of very many, of those with most calls."""
    by_calls = sorted(m.endpoints, key=lambda one: one.response.count, reverse=True)
    return {
        one.name: spectrum(one.response, quantiles)
        for one in by_calls[:_MOST_ENDPOINTS]
        if one.response.count
    }


def density(response: Time, quantiles: Quantiles) -> list[tuple[float, float]]:
    """The share of the requests in each of some bins of equal ratio: see `CellRow`.

    Between two quantiles the requests are spread evenly on the logarithmic scale.
    """
    if response.count < _PARTS:
        return []
    shares = [part / _PARTS for part in range(1, _PARTS)]
    values = [max(1, ns) for ns in quantiles(response.hdr, shares)]
    low, high = float(values[0]), float(values[-1])
    if high < low * _LEAST_BIN:
        low, high = low / math.sqrt(_LEAST_BIN), high * math.sqrt(_LEAST_BIN)
    count = max(1, min(_MOST_BINS, int(math.log(high / low) / math.log(_LEAST_BIN))))
    edges = [low * (high / low) ** (at / count) for at in range(count + 1)]
    below = _below(edges, list(zip(values, shares, strict=True)))
    bins = [(edges[0], 0.0)]
    bins += [
        (edge, above - under)
        for edge, (under, above) in zip(edges[1:], pairwise(below), strict=True)
    ]
    return [(_short(edge * 1e-9), _short(share)) for edge, share in bins]


def _below(edges: Sequence[float], known: Sequence[tuple[float, float]]) -> list[float]:
    """The share of the requests below each edge; edges and known values ascend."""
    found, at = [], 0
    for edge in edges:
        while at + 1 < len(known) and known[at + 1][0] <= edge:
            at += 1
        value, share = known[at]
        if edge < value:
            found.append(known[0][1])
        elif at + 1 == len(known):
            found.append(share)
        else:
            following, more = known[at + 1]
            part = math.log(edge / value) / math.log(following / value)
            found.append(share + part * (more - share))
    return found


def timeline(measurement: Measurement) -> list[SecondRow]:
    """The seconds of a trial."""
    return [
        SecondRow(
            second=one.second,
            due=one.due,
            ok=one.ok,
            failed=one.failed,
            p50_s=one.p50_ns * 1e-9,
            p99_s=one.p99_ns * 1e-9,
        )
        for one in measurement.intervals
    ]


def _short(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")
