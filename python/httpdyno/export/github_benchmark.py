"""JSON for the GitHub action `benchmark-action/github-action-benchmark`.

The action knows one direction per file, so throughput (`customBiggerIsBetter`) and the others
(`customSmallerIsBetter`) are two formats.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from httpdyno import units
from httpdyno.export.checks import Check
from httpdyno.export.numbers import Number, numbers
from httpdyno.result import StudyResult


def github_bigger(result: StudyResult, checks: Sequence[Check] = ()) -> str:
    """The numbers of which more is better."""
    return _json(result, more_is_better=True)


def github_smaller(result: StudyResult, checks: Sequence[Check] = ()) -> str:
    """The numbers of which less is better."""
    return _json(result, more_is_better=False)


def _json(result: StudyResult, *, more_is_better: bool) -> str:
    chosen = [one for one in numbers(result) if one.metric.more_is_better == more_is_better]
    entries = [_entry(one) for one in chosen]
    return json.dumps(entries, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _entry(number: Number) -> dict[str, str | float]:
    entry: dict[str, str | float] = {
        "name": f"{number.place} · {number.metric.title}",
        "unit": number.metric.unit.name,
        "value": number.value,
    }
    bounds, extra = number.interval, [f"{number.estimate.trials} trials"]
    if bounds is not None and number.high_is_bound:
        low, high = map(units.significant, bounds)
        extra.append(f"95 % CI: {low} to at least {high}")
    elif bounds is not None and number.value > 0:
        half = (bounds[1] - bounds[0]) / 2 / number.value
        entry["range"] = f"± {half * 100:.1f} %"
    extra += [f"verdict: {number.status}", *number.doubts]
    entry["extra"] = "\n".join(extra)
    return entry
