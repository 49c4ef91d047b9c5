"""Bencher Metric Format, schema version 0: a measure with its interval, by benchmark.

Bencher creates a measure that it does not know under its name here, and suppresses the alerts of a
benchmark whose name ends in `-bencher-ignore`: suspect numbers get that suffix.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from httpdyno.export.checks import Check
from httpdyno.export.numbers import Number, numbers
from httpdyno.result import StudyResult

_IGNORED = "-bencher-ignore"
_LONGEST = 1024


def bencher(result: StudyResult, checks: Sequence[Check] = ()) -> str:
    """The numbers of a result as JSON for `bencher run --adapter json --file FILE`."""
    found: dict[str, dict[str, dict[str, float]]] = {}
    for number in numbers(result):
        metric = number.metric
        found.setdefault(_name(number), {})[metric.name + metric.unit.measure] = _estimate(number)
    return json.dumps(found, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _name(number: Number) -> str:
    suffix = "" if number.status == "valid" else _IGNORED
    return number.place[: _LONGEST - len(suffix)] + suffix


def _estimate(number: Number) -> dict[str, float]:
    bounds = number.interval
    if bounds is None:
        return {"value": number.value}
    measured = {"value": number.value, "lower_value": bounds[0]}
    # The format has no word for "at least".
    return measured if number.high_is_bound else {**measured, "upper_value": bounds[1]}
