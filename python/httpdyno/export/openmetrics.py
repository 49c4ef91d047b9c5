"""OpenMetrics text: gauges for the textfile collector of node_exporter, or a push gateway.

Only gauges, and no timestamps: the collector rejects a file that has them. When the run ended is a
gauge of its own. (OpenMetrics 1.0, section 4.)
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from httpdyno.export.checks import Check
from httpdyno.export.numbers import Number, numbers, value_of
from httpdyno.history.metrics import metrics_of
from httpdyno.metrics import EXPORTED, Metric
from httpdyno.output.printable import printable
from httpdyno.result import CellRow, StudyResult

_VERDICTS = {"invalid": 0, "suspect": 1, "valid": 2}
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})


def openmetrics(result: StudyResult, checks: Sequence[Check] = ()) -> str:
    """The numbers of a result, their intervals and verdicts, as one exposition."""
    return "\n".join([*_families(result), "# EOF"]) + "\n"


def _families(result: StudyResult) -> Iterator[str]:
    found = list(numbers(result))
    for metric in EXPORTED:
        yield from _of_endpoints(result, metric)
        name, unit = f"httpdyno_{metric.gauge}_{metric.unit.base}", metric.unit.base
        about = f"{metric.title}; bound: the estimate, or an end of its 95 % interval"
        if metric.name == "capacity":
            about += "; high_at_least: that end is at least so high"
        samples = [
            _sample(name, {**_labels(result, one.cell), "verdict": one.status, **bound}, value)
            for one in found
            if one.metric == metric
            for bound, value in _bounds(one)
        ]
        yield from _family(name, unit, about, samples)
    verdicts = [
        _sample("httpdyno_verdict", _labels(result, cell), _VERDICTS[cell.status])
        for cell in result.cells
        if cell.trials or cell.reasons
    ]
    yield from _family("httpdyno_verdict", "", "2: valid, 1: suspect, 0: no result", verdicts)
    study = {"study": result.name}
    ended = "httpdyno_run_ended_timestamp_seconds"
    yield from _family(
        ended, "seconds", "end of the run, Unix time", [_sample(ended, study, result.ended_at)]
    )
    complete = "httpdyno_run_complete"
    done = [_sample(complete, study, int(result.complete))]
    yield from _family(complete, "", "1: every planned trial is measured", done)


def _of_endpoints(result: StudyResult, metric: Metric) -> Iterator[str]:
    """The metric of each endpoint, if endpoints have it."""
    name = f"httpdyno_endpoint_{metric.gauge}_{metric.unit.base}"
    samples = [
        _sample(name, {**_labels(result, cell), "endpoint": one.name, "verdict": status}, value)
        for cell in result.cells
        if metric in metrics_of(cell) and (status := cell.status_of(metric.number)) != "invalid"
        for one in cell.endpoints
        if (value := value_of(one, metric)) is not None
    ]
    yield from _family(name, metric.unit.base, f"{metric.title}, by endpoint", samples)


def _family(name: str, unit: str, about: str, samples: Sequence[str]) -> Iterator[str]:
    if not samples:
        return
    yield f"# TYPE {name} gauge"
    if unit:
        yield f"# UNIT {name} {unit}"
    yield f"# HELP {name} {_escape(about)}"
    yield from samples


def _bounds(number: Number) -> Iterator[tuple[dict[str, str], float]]:
    yield {"bound": "value"}, number.estimate.value
    low, high = number.estimate.low, number.estimate.high
    if low is not None and high is not None and math.isfinite(low + high):
        yield {"bound": "low"}, low
        yield {"bound": "high_at_least" if number.high_is_bound else "high"}, high


def _labels(result: StudyResult, cell: CellRow) -> dict[str, str]:
    return {"study": result.name, "arm": cell.arm, "load": cell.load, "point": cell.point}


def _sample(name: str, labels: Mapping[str, str], value: float) -> str:
    shown = ",".join(f'{label}="{_escape(text)}"' for label, text in labels.items())
    return f"{name}{{{shown}}} {value!r}"


def _escape(text: str) -> str:
    return printable(text).translate(_ESCAPES)
