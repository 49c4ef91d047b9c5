"""Two arms beside each other, of one run or of two."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from httpdyno.doubts import Status
from httpdyno.errors import UsageError
from httpdyno.history import Difference, machine_key
from httpdyno.history.circumstances import circumstances, differences
from httpdyno.metrics import COMPARED, ComparedBy
from httpdyno.result import CellRow, Comparison, Estimate, StudyResult
from httpdyno.running.documents import study_of
from httpdyno.statistics.claims.changes import change, interval, no_interval, number
from httpdyno.statistics.claims.comparisons import metrics_of, values_of
from httpdyno.statistics.claims.family import between
from httpdyno.statistics.intervals import fewest
from httpdyno.statistics.unpaired_comparison import compare_unpaired
from httpdyno.store import RunSummary, StoredRun
from httpdyno.units import confidence, times
from httpdyno.web.pages.answers import page_response, site_of
from httpdyno.web.site import Site

MOST_RUNS = 100
_NOT_COMPARED = {
    "fell behind": "{} did not keep up with the rate",
    "unknown": "it is unknown if {} kept up with the rate",
}
_CHOICES = {"a": "a baseline A", "b": "an arm B to compare with it"}


@dataclass(frozen=True)
class Side:
    """One arm of one run."""

    run: StoredRun
    result: StudyResult
    arm: str

    @property
    def version(self) -> str:
        """The version of its server."""
        return next((one.version for one in self.result.arms if one.name == self.arm), "")

    @property
    def start(self) -> dict[str, str]:
        """Its declared start."""
        servers = (one.server for one in self.result.arms if one.name == self.arm)
        return study_of(self.run).start_of(next(servers, ""))


@dataclass(frozen=True)
class Line:
    """One metric at one load point."""

    where: str
    metric: str
    a: str
    b: str
    change: str
    """Empty where nothing can be compared."""
    interval: str
    """Or why there is none."""
    level: str
    """Its confidence level: `97.5 %`."""
    has_interval: bool
    outcome: str
    suspect: bool
    """One of the two numbers is suspect, and so is their ratio."""
    doubts: Sequence[str]
    """The reasons."""


async def compare(request: Request) -> Response:
    """The choice of two arms, and what they differ by."""
    site = site_of(request)
    runs = [run for run in await asyncio.to_thread(site.runs) if run.arms][:MOST_RUNS]
    options = [
        (f"{run.id}:{arm}", f"{run.id} · {run.study} · {arm}") for run in runs for arm in run.arms
    ]
    a = _whole(request.query_params.get("a", ""), runs)
    chosen = {"a": a, "b": _whole(request.query_params.get("b", ""), runs, unlike=a)}
    values: dict[str, Any] = {
        "options": [("", "–"), *options],
        "chosen": chosen,
        "sides": None,
        "lines": (),
    }
    has_choice = bool(request.query_params.keys() & chosen.keys())
    values["missing"] = [_CHOICES[name] for name, arm in chosen.items() if has_choice and not arm]
    if all(chosen.values()):
        of_a = await asyncio.to_thread(_side, site, chosen["a"])
        of_b = await asyncio.to_thread(_side, site, chosen["b"])
        found = await asyncio.to_thread(lambda: list(lines(of_a, of_b)))
        values |= {"sides": (of_a, of_b), "lines": found}
        values |= {"differences": what_differs(of_a, of_b)}
        values |= {"same_run": of_a.run.id == of_b.run.id}
        values["other_machine"] = machine_key(of_a.run.facts) != machine_key(of_b.run.facts)
    return page_response(request, "compare", **values)


def lines(a: Side, b: Side) -> Iterator[Line]:
    """The metrics that both have, in the order of the loads of B."""
    of_a = {(row.load, row.point): row for row in a.result.cells if row.arm == a.arm}
    places = [
        (before, row)
        for row in b.result.cells
        if row.arm == b.arm and (before := of_a.get((row.load, row.point))) is not None
    ]
    one_run = a.run.id == b.run.id
    needed = fewest(sequential=one_run and a.result.stopping is not None)
    compared = iter(between(a.result, places) if one_run else _compare_unpaired(places))
    for before, row in places:
        metrics = metrics_of(row, before)
        for one in islice(compared, len(metrics)):
            yield _line(one, before, row, needed)
        if row.rate_per_s is not None and not {"p99", "capacity"} & set(metrics):
            yield _overload_line(before, row)


def what_differs(a: Side, b: Side) -> Sequence[Difference]:
    """The recorded facts about the two runs that differ."""
    of_a, of_b = (
        circumstances(one.version, one.run.httpdyno_version, one.run.facts, one.start)
        for one in (a, b)
    )
    return differences(of_a, of_b)


def _compare_unpaired(places: Sequence[tuple[CellRow, CellRow]]) -> Iterator[Comparison]:
    """The comparisons of cells of two runs."""
    for before, after in places:
        for metric in metrics_of(after, before):
            yield compare_unpaired(
                list(values_of(before, metric).values()),
                list(values_of(after, metric).values()),
                names=(before.arm, after.arm),
                at=(after.load, after.point),
                metric=metric,
            )


def _line(one: Comparison, before: CellRow, after: CellRow, needed: int) -> Line:
    ratio = one.ratio
    return Line(
        where=f"{one.load} · {one.point}",
        metric=one.metric,
        a=_number(before, one.metric, one.baseline_value),
        b=_number(after, one.metric, one.arm_value),
        change="" if ratio is None else _change(one.metric, ratio.value),
        interval=_interval(one.metric, ratio, needed),
        level=confidence(one.level),
        has_interval=ratio is not None and ratio.low is not None,
        outcome=one.outcome,
        suspect="suspect" in {_status(row, one.metric) for row in (before, after)},
        doubts=_doubts(one.metric, before, after),
    )


def _overload_line(before: CellRow, after: CellRow) -> Line:
    """The p99 at a rate that one of the two did not keep up with."""
    paces = (("A", before.pace), ("B", after.pace))
    why = [_NOT_COMPARED[pace].format(name) for name, pace in paces if pace in _NOT_COMPARED]
    return Line(
        where=f"{after.load} · {after.point}",
        metric="p99",
        a=_number(before, "p99", None),
        b=_number(after, "p99", None),
        change="",
        interval=f"none: {', '.join(why)}",
        level="",
        has_interval=False,
        outcome="not compared",
        suspect=False,
        doubts=(),
    )


def _change(metric: ComparedBy, ratio: float) -> str:
    return times(ratio) if metric == "capacity" else change(metric, ratio)


def _doubts(metric: ComparedBy, before: CellRow, after: CellRow) -> list[str]:
    """The reasons why a number is suspect, each with its side."""
    return [
        f"{side}: {reason.text}"
        for side, row in (("A", before), ("B", after))
        if _status(row, metric) == "suspect"
        for reason in row.reasons_of(COMPARED[metric].number)
    ]


def _interval(metric: ComparedBy, ratio: Estimate | None, needed: int) -> str:
    if ratio is None:
        return "none: nothing to compare"
    if ratio.low is None or ratio.high is None:
        return no_interval(ratio, needed)
    if metric == "capacity":
        return f"{times(ratio.low)} to {times(ratio.high)}"
    return interval(metric, ratio)


def _number(row: CellRow, metric: ComparedBy, value: float | None) -> str:
    """The number that is compared; of a cell without a counterpart, its own."""
    found = getattr(row, COMPARED[metric].column, None)
    mark = " (suspect)" if _status(row, metric) == "suspect" else ""
    if row.at_least_per_s is not None:
        return f"at least {number(metric, row.at_least_per_s)}{mark}"
    if not isinstance(found, Estimate):
        return "no result"
    return f"{number(metric, found.value if value is None else value)}{mark}"


def _status(row: CellRow, metric: ComparedBy) -> Status:
    return row.status_of(COMPARED[metric].number)


def _whole(text: str, runs: Sequence[RunSummary], unlike: str = "") -> str:
    """`12:arm`; from `12` alone, with the first arm of that run that is not `unlike`."""
    if ":" in text:
        return text[:400]
    arms = [f"{run.id}:{arm}" for run in runs if str(run.id) == text for arm in run.arms]
    return next((arm for arm in arms if arm != unlike), next(iter(arms), ""))


def _side(site: Site, text: str) -> Side:
    number, _, arm = text.partition(":")
    run = site.store().run(int(number)) if number.isdecimal() and len(number) < 18 else None
    result = None if run is None else site.results.of(site.store(), run)
    if run is None or result is None or arm not in {one.name for one in result.arms}:
        raise UsageError(f"`{text}` is not an arm of a stored run", hint="choose from the lists")
    return Side(run, result, arm)
