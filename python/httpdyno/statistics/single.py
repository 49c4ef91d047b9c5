"""The result of loads that were measured once each, without a study: those of `load` and `sweep`.

It has the form of a study's result, so that the same exports take it: one arm, the server, and a
cell for each load. Nothing was repeated, so the only intervals are those within a measurement.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from httpdyno.doubts.pace import pace_of
from httpdyno.measurement import Endpoint, Measurement, Quantiles
from httpdyno.metrics import MEASURED
from httpdyno.outcome import ServerCost, TrialOutcome
from httpdyno.result import (
    ArmInfo,
    CellRow,
    EndpointRow,
    EndpointTrial,
    Estimate,
    Fact,
    LoadInfo,
    Reason,
    Status,
    StudyResult,
)
from httpdyno.statistics.doubts import number_doubts
from httpdyno.statistics.median_trial import density, endpoint_spectra, spectrum, timeline
from httpdyno.statistics.rows import trial_row

__all__ = ["SingleMeasurement", "Subject", "result_of_singles"]

_ARM = "server"

_QUANTILES = {"p50": 0.5, "p99": 0.99}
"""The metrics that have an interval within a measurement."""


@dataclass(frozen=True)
class SingleMeasurement:
    """A load that was measured once, and its verdict."""

    point: str
    """The load in words, such as `2,000/s`: the name of its cell."""
    rate_per_s: float | None
    """The offered rate of an open load."""
    measurement: Measurement
    status: Status
    reasons: Sequence[Reason]
    server: ServerCost | None = None
    """None: the server is elsewhere, or belongs to another user."""


@dataclass(frozen=True)
class Subject:
    """The server that was measured, and by which command. Without secrets."""

    verb: str
    url: str
    load: LoadInfo
    answer: str
    command: str
    httpdyno_version: str
    seed: int
    complete: bool
    machine: Sequence[Fact]


def result_of_singles(
    subject: Subject, singles: Sequence[SingleMeasurement], quantiles: Quantiles
) -> StudyResult:
    """The result of these measurements, of which there is one at least."""
    measured = [one.measurement for one in singles]
    return StudyResult(
        name=f"{subject.verb} {subject.url}",
        title=f"{subject.verb.capitalize()} of {subject.url}",
        question=subject.load.description,
        source=None,
        answer=subject.answer,
        answer_lead=subject.answer,
        command=subject.command,
        httpdyno_version=subject.httpdyno_version,
        seed=subject.seed,
        blocks_planned=0,
        blocks_done=0,
        started_at=measured[0].started_at,
        ended_at=max(m.started_at + m.warm_up_s + m.window_s for m in measured),
        complete=subject.complete,
        machine=list(subject.machine),
        loads=[subject.load],
        arms=[_arm(subject)],
        cells=[_cell(subject.load.name, one, quantiles) for one in singles],
        comparisons=[],
        published=[],
        failures=[],
        notes=[],
    )


def _arm(subject: Subject) -> ArmInfo:
    return ArmInfo(
        name=_ARM,
        server=_ARM,
        deployment="",
        workload="",
        description=subject.url,
        version="",
        restarted=False,
    )


def _outcome(load: str, one: SingleMeasurement) -> TrialOutcome:
    """The measurement as the only trial of its cell."""
    return TrialOutcome(
        index=0,
        block=0,
        arm=_ARM,
        load=load,
        point=one.point,
        started_at=one.measurement.started_at,
        ended_at=one.measurement.started_at,
        status=one.status,
        reasons=tuple(one.reasons),
        measurement=one.measurement,
        server=one.server,
        ceiling_per_s=None,
    )


def _cell(load: str, one: SingleMeasurement, quantiles: Quantiles) -> CellRow:
    outcome = _outcome(load, one)
    doubts = number_doubts([outcome], list(one.reasons))
    response = one.measurement.times.response
    shown = outcome.usable and response.count > 0
    is_open, trial = one.rate_per_s is not None, trial_row(outcome)
    spectra = endpoint_spectra(one.measurement, quantiles) if shown else {}
    return CellRow(
        arm=outcome.arm,
        load=outcome.load,
        point=outcome.point,
        rate_per_s=one.rate_per_s,
        pace=pace_of(one.measurement, one.status, one.reasons) if is_open else None,
        status=one.status,
        reasons=list(one.reasons),
        trials=[trial],
        ceiling_per_s=None,
        ceiling_share=None,
        latency_spectrum=spectrum(response, quantiles) if shown else [],
        latency_density=density(response, quantiles) if shown else [],
        timeline=timeline(one.measurement) if shown else [],
        doubts=doubts,
        endpoints=[
            _endpoint(each, row, spectra.get(each.name, []))
            for each, row in zip(one.measurement.endpoints, trial.endpoints, strict=False)
        ],
        **{
            metric.column: _estimate(metric.name, getattr(trial, metric.column), one.measurement)
            for metric in MEASURED
        },
    )


def _endpoint(
    measured: Endpoint, row: EndpointTrial, spectrum: list[tuple[float, float]]
) -> EndpointRow:
    return EndpointRow(
        name=row.name,
        throughput_per_s=_estimate("throughput", row.throughput_per_s, measured),
        p50_s=_estimate("p50", row.p50_s, measured),
        p99_s=_estimate("p99", row.p99_s, measured),
        error_share=_estimate("errors", row.error_share, measured),
        spectrum=spectrum,
    )


def _estimate(name: str, value: float | None, measured: Measurement | Endpoint) -> Estimate | None:
    """The number of a metric, with the interval that a percentile has within the measurement."""
    if value is None:
        return None
    low = high = None
    if name in _QUANTILES:
        found = measured.percentile(_QUANTILES[name])
        if found is not None and found.low_ns is not None and found.high_ns is not None:
            low, high = found.low_ns * 1e-9, found.high_ns * 1e-9
    return Estimate(value=float(value), low=low, high=high, trials=1)
