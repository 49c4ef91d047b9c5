"""Trials and cells as the rows of a result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from httpdyno.doubts import NUMBERS
from httpdyno.doubts.pace import Pace, pace_of
from httpdyno.doubts.together import in_trials
from httpdyno.measurement import Endpoint, EndpointStep, Measurement, Quantiles
from httpdyno.measurement.delayed_ack import delayed_ack
from httpdyno.metrics import MEASURED, Metric
from httpdyno.outcome import TrialOutcome
from httpdyno.plan import Cell
from httpdyno.result import (
    CellRow,
    EndpointRow,
    EndpointStepTrial,
    EndpointTrial,
    Estimate,
    FailureRow,
    Reason,
    Shape,
    TrialRow,
)
from httpdyno.statistics.doubts import cell_status, number_doubts
from httpdyno.statistics.intervals import level_estimate, median_estimate
from httpdyno.statistics.median_trial import (
    density,
    endpoint_spectra,
    median_trial,
    spectrum,
    timeline,
)
from httpdyno.statistics.noise.shape import shape_of
from httpdyno.statistics.pace import pace_of_trials

__all__ = ["by_block", "cell_row", "failure_reason", "trial_row"]


def trial_row(outcome: TrialOutcome) -> TrialRow:
    """One trial as a row; the measurements of an invalid one are left out."""
    m = outcome.measurement if outcome.usable else None
    server = outcome.server if outcome.usable else None
    return TrialRow(
        block=outcome.block,
        status=outcome.status,
        reasons=list(outcome.reasons),
        offered_per_s=m and m.offered_per_s,
        max_s=m and m.times.response.max_ns * 1e-9,
        server_threads=server and server.threads,
        server_processes=server and server.processes,
        generator_busy_share=m and m.cpu.busy_share,
        generator_lag_p99_s=m and _lag_p99_s(m),
        pace=_pace_of(outcome),
        endpoints=[_endpoint(one) for one in m.endpoints] if m else [],
        **{one.column: _read(one, outcome) for one in MEASURED},
    )


def _endpoint(one: Endpoint) -> EndpointTrial:
    times = one.response if one.response.count else None
    return EndpointTrial(
        name=one.name,
        calls=one.calls.ended + one.calls.in_flight,
        throughput_per_s=one.throughput_per_s,
        p50_s=times and times.p50_ns * 1e-9,
        p99_s=times and times.p99_ns * 1e-9,
        error_share=one.error_share,
        body_bytes=one.body_bytes,
        steps=tuple(_endpoint_step(step) for step in one.steps),
    )


def _endpoint_step(step: EndpointStep) -> EndpointStepTrial:
    p50, p99 = step.percentile(0.5), step.percentile(0.99)
    return EndpointStepTrial(
        begins_s=step.begins_s,
        ends_s=step.ends_s,
        from_per_s=step.from_per_s,
        to_per_s=step.to_per_s,
        calls=step.ok + step.failed,
        throughput_per_s=step.throughput_per_s,
        p50_s=p50 and p50.value_ns * 1e-9,
        p99_s=p99 and p99.value_ns * 1e-9,
        error_share=step.error_share,
        body_bytes=step.body_bytes,
    )


def _read(metric: Metric, outcome: TrialOutcome) -> float | None:
    """A number of a trial with a result; the share of errors of an invalid one counts too."""
    shown = outcome.usable or metric.name == "errors"
    return metric.read(outcome) if metric.read and shown else None


def _pace_of(outcome: TrialOutcome) -> Pace | None:
    m = outcome.measurement
    if m is None or not m.is_open:
        return None
    return pace_of(m, outcome.status, outcome.reasons)


def cell_row(
    cell: Cell,
    outcomes: Sequence[TrialOutcome],
    failures: Sequence[Reason],
    quantiles: Quantiles,
    *,
    sequential: bool = False,
) -> CellRow:
    """A cell from its trials, in the order of their blocks; without trials, with the reason."""
    rows = [trial_row(outcome) for outcome in sorted(outcomes, key=lambda one: one.block)]
    usable = [outcome for outcome in outcomes if outcome.usable]
    estimates = {one.column: _estimate(rows, one.column, sequential=sequential) for one in MEASURED}
    ceilings = ((o.ceiling_per_s, o.ceiling_is_bound) for o in outcomes if o.ceiling_per_s)
    ceiling, is_bound = max(ceilings, key=lambda one: one[0], default=(None, False))
    throughput = estimates["throughput_per_s"]
    reasons = _reasons(outcomes)
    doubts = number_doubts(outcomes, reasons)
    pace = _pace(cell, rows)
    typical = median_trial(usable)
    response = typical.times.response if typical else None
    spectra = endpoint_spectra(typical, quantiles) if typical else {}
    return CellRow(
        arm=cell.arm.name,
        load=cell.load_name,
        point=cell.point.label,
        rate_per_s=cell.point.rate_per_s,
        status=cell_status(outcomes, doubts, cell.load.purpose),
        reasons=reasons or _without_trials(cell, failures),
        notes=[*cell.notes, *_explanations(usable)],
        doubts=doubts,
        trials=rows,
        ceiling_per_s=ceiling,
        ceiling_is_bound=is_bound,
        ceiling_share=throughput.value / ceiling if throughput and ceiling else None,
        pace=pace,
        latency_spectrum=spectrum(response, quantiles) if response else [],
        latency_density=density(response, quantiles) if response else [],
        timeline=timeline(typical) if typical else [],
        shape=_shape(cell, rows, usable, pace),
        endpoints=list(_endpoints(cell, rows, spectra, sequential=sequential)),
        **estimates,
    )


def _explanations(usable: Sequence[TrialOutcome]) -> Iterator[str]:
    """Sentences that explain the numbers of all trials with a result."""
    if text := delayed_ack(one.measurement for one in usable if one.measurement):
        yield text


def _endpoints(
    cell: Cell,
    rows: Sequence[TrialRow],
    spectra: Mapping[str, list[tuple[float, float]]],
    *,
    sequential: bool,
) -> Iterator[EndpointRow]:
    """The endpoints of the trials; none of the steps of a search, which have rates of their own."""
    if cell.load.purpose == "capacity":
        return
    found: dict[str, list[EndpointTrial]] = {}
    for trial in rows:
        for one in trial.endpoints:
            found.setdefault(one.name, []).append(one)
    for name, trials in found.items():
        estimates = {
            column: _estimate(trials, column, sequential=sequential)
            for column in ("throughput_per_s", "p50_s", "p99_s", "error_share")
        }
        yield EndpointRow(name=name, spectrum=spectra.get(name, []), **estimates)


def _pace(cell: Cell, rows: Sequence[TrialRow]) -> Pace | None:
    is_open = cell.point.rate_per_s is not None and cell.load.purpose == "open"
    return pace_of_trials(rows) if is_open else None


def _estimate(
    rows: Sequence[TrialRow] | Sequence[EndpointTrial], name: str, *, sequential: bool
) -> Estimate | None:
    """The level over the trials with a result; the error shares of invalid trials count too."""
    values = [getattr(row, name) for row in rows]
    known = [float(value) for value in values if value is not None]
    # Shares of errors are zero in most trials: with a logarithm here and none there, they would
    # change from one statistic to the other.
    of = median_estimate if name == "error_share" else level_estimate
    return of(known, sequential=sequential)


def _lag_p99_s(m: Measurement) -> float | None:
    """The p99 of the lag. That of a closed load has a value only after think time."""
    lag_ns = m.times.lag.p99_ns
    return lag_ns * 1e-9 if m.is_open or lag_ns else None


def _shape(
    cell: Cell, rows: Sequence[TrialRow], usable: Sequence[TrialOutcome], pace: Pace | None
) -> Shape | None:
    """The shape of p99 at a rate that the arm kept up with, else of throughput; none of a search
    for a capacity."""
    if cell.load.purpose == "capacity":
        return None
    if pace == "kept up":
        return shape_of({r.block: r.p99_s for r in rows if r.p99_s}, "p99")
    values = {r.block: r.throughput_per_s for r in rows if r.throughput_per_s}
    counts = [m.throughput_per_s * m.window_s for one in usable if (m := one.measurement)]
    step = 1 / max(1.0, min(counts, default=1.0))
    return shape_of(values, "throughput", step=step)


def _reasons(outcomes: Sequence[TrialOutcome]) -> list[Reason]:
    """Each reason once, worst and most frequent first, with its number of trials."""
    found: dict[str, list[Reason]] = {}
    measured = [outcome for outcome in outcomes if not outcome.is_skipped]
    for outcome in measured:
        for reason in outcome.reasons:
            found.setdefault(reason.code, []).append(reason)
    rows = sorted(found.values(), key=lambda same: (same[0].status != "invalid", -len(same)))
    return [_count(same, len(measured), len(outcomes) - len(measured)) for same in rows]


def _without_trials(cell: Cell, failures: Sequence[Reason]) -> list[Reason]:
    if cell.refused is None:
        return list(failures)
    hint = "compare this server under the other loads"
    return [Reason(code="refused", status="invalid", text=cell.refused, hint=hint)]


def failure_reason(failure: FailureRow, command: str, *, in_study: bool) -> Reason:
    """The reason why a cell has no trials; `command` began the run.

    `in_study`: its study says which replies are right. A corrected study is another one, which
    `--resume` would not find.
    """
    hint = f"fix it, then run `{command} --resume`"
    if failure.log:
        hint = f"read the log: {failure.log}; {hint}"
    if failure.stage == "check" and in_study:
        hint = (
            f"if the study expects the wrong reply, correct it there and run `{command}` again; if"
            f" the server is wrong, {hint}"
        )
    return Reason(code=failure.stage, status="invalid", text=failure.reason, hint=hint)


def _count(same: Sequence[Reason], of: int, skipped: int) -> Reason:
    doubted = {number for reason in same for number in reason.doubts}
    doubts = tuple(number for number in NUMBERS if number in doubted)
    first = same[0].model_copy(update={"doubts": doubts})
    if of == 1 and not skipped:
        return first
    text = in_trials([reason.text for reason in same], of, skipped)
    return first.model_copy(update={"text": text})


def by_block(row: CellRow | None, name: str) -> Mapping[int, float]:
    """One field of a cell's trials by block, without the trials that lack it.

    No capacities where a bound counts as one of the highest: the starts that lack a number would be
    the best ones.
    """
    if row and name == "capacity_per_s" and row.capacity and row.capacity.high_is_bound:
        return {}
    trials = row.trials if row else []
    values = {trial.block: getattr(trial, name) for trial in trials}
    return {block: value for block, value in values.items() if value is not None}
