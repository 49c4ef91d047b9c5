"""The answer of a load in a few sentences, for pages and for exports."""

from __future__ import annotations

from collections.abc import Sequence

from httpdyno import units
from httpdyno.doubts import Number, suspect_numbers
from httpdyno.limits.thresholds import ThresholdCheck
from httpdyno.measurement import Measurement
from httpdyno.verdict import Verdict

__all__ = ["answer", "failure"]


def answer(measured: Measurement, verdict: Verdict) -> str:
    """The numbers of a load in a sentence, with the first reason to doubt them."""
    why = verdict.reasons[0].text if verdict.reasons else ""
    if verdict.status == "invalid":
        return f"No result: {why}."
    doubted, times = suspect_numbers(verdict.status, verdict.reasons), measured.times.response

    def mark_value(number: Number, value: str) -> str:
        return f"{value}?" if number in doubted else value

    parts = [f"{mark_value('throughput', units.rate(measured.throughput_per_s))} right replies"]
    if times.count:
        parts.append(f"p50 {mark_value('p50', units.duration(times.p50_ns * 1e-9))}")
        parts.append(f"p99 {mark_value('p99', units.duration(times.p99_ns * 1e-9))}")
    parts.append(f"{mark_value('errors', units.percent(measured.error_share))} failed")
    return f"{', '.join(parts)}.{f' A number marked ? is suspect: {why}.' if doubted else ''}"


def failure(
    measured: Measurement, verdict: Verdict, thresholds: Sequence[ThresholdCheck]
) -> str | None:
    """Why the load fails a job of CI; None: it does not."""
    if verdict.status == "invalid":
        return answer(measured, verdict)
    failed = [checked.comparison for checked in thresholds if not checked.passed]
    if not failed:
        return None
    noun = "threshold" if len(thresholds) == 1 else "thresholds"
    return f"{len(failed)} of {len(thresholds)} {noun} failed: {'; '.join(failed)}."
