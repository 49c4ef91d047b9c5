"""The output of a comparison: its length before, then the decision, a table, and every doubt."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from functools import partial

from rich.console import Console

from httpdyno.cli.run.measure import show_report
from httpdyno.cli.run.table import show_doubts, show_notes
from httpdyno.cli.table import FittedTable
from httpdyno.cli.text import DASH, paragraph, stdout_console
from httpdyno.comparison.compare import CompareOutcome
from httpdyno.comparison.endpoints import EndpointChange
from httpdyno.comparison.estimate import estimate
from httpdyno.comparison.specification import ArmSpecification, Specification
from httpdyno.listing import both
from httpdyno.metrics import COMPARED
from httpdyno.output.echo import echo
from httpdyno.output.printable import printable, printable_lines
from httpdyno.output.table import Cell, Column, Field, TextColumn
from httpdyno.report.text import words
from httpdyno.result import DecisionRow, StudyResult
from httpdyno.servers.declaration.load import FILE_NAME
from httpdyno.servers.declaration.own import without_port
from httpdyno.statistics.claims.changes import at, change, interval, number, percent
from httpdyno.statistics.intervals import FEWEST_TRIALS
from httpdyno.units import counted

__all__ = ["show", "show_plan"]

MOST_HEADING = 16
MOST_ENDPOINTS = 20
_CHANGE, _INTERVAL = "change", "95 % interval"
_PAIRED = (
    "The change is the ratio of the geometric means, B to A, over the blocks in which both arms"
    " have a result."
)
_UNPAIRED = (
    "The change is the ratio of the geometric means, B to A, over the restarts of each session."
)


def show_plan(spec: Specification, *, aside: bool) -> None:
    """Print what is compared and how long it takes: `aside` on stderr, in one line."""
    lines = [estimate(spec)]
    if not aside:
        lines.append(f"requests: {spec.work.name}")
        lines += [f"load {name}: {load.in_words()}" for name, load in spec.loads.items()]
        if spec.paced_s is not None:
            lines.append("load same-rate: at 50 % of the slower arm's throughput, for p99 and CPU")
        for metric, margin in spec.margins.items():
            if metric == "errors" and not spec.work.has_several:
                continue  # only those of endpoints are compared
            lines.append(f"margin for {COMPARED[metric].noun}: {percent(margin)}")
        for arm in spec.arms:
            lines += _commands(arm)
    echo(printable_lines("\n".join(lines)), err=aside)
    for warning in dict.fromkeys([_too_few(spec), *map(_without_port, spec.arms)]):
        if warning is not None:
            echo(f"warning: {printable_lines(warning)}", err=True)


def _commands(arm: ArmSpecification) -> Iterator[str]:
    """The arm, then its build and its start, a line each. A revision builds nothing without
    `--start`."""
    subject, given = arm.subject, arm.commands
    yield f"arm {arm.name}"
    if subject.kind == "url":
        yield f"  runs already: {subject.text}"
    elif subject.kind == "command":
        yield f"  start: {subject.text}"
    elif subject.kind == "revision" and not given.start:
        yield f"  start: as its {FILE_NAME} says"
    elif subject.kind == "revision":
        if given.build:
            yield f"  build: {given.build}"
        yield f"  start: {given.start}"
    elif (found := subject.deployment) is not None:
        yield f"  start: {shlex.join(found.server.deployment(found.name).command)}"


def _too_few(spec: Specification) -> str | None:
    """A warning about too few blocks for a decision; None: there are enough."""
    if spec.blocks >= FEWEST_TRIALS:
        return None
    return (
        f"{counted(spec.blocks, 'block')} cannot tell: an interval needs {FEWEST_TRIALS}"
        " restarts of each, and 10 are the default"
    )


def _without_port(arm: ArmSpecification) -> str | None:
    """A warning about the command of an arm; None: it says on which port to listen."""
    if arm.subject.kind == "command":
        return without_port("cmd", arm.subject.text, arm.commands.env)
    if arm.subject.kind == "revision" and arm.commands.start:
        return without_port("--start", arm.commands.start, arm.commands.env)
    return None


def show(compared: CompareOutcome, result: StudyResult) -> None:
    """Print the answer, a line for each metric, the arms left out, the doubts, and the report."""
    console = stdout_console()
    console.print()
    paragraph(console, result.answer, style="bold")
    console.print()
    _show_table(console, compared.names, result.decisions)
    if any(one.comparison and one.comparison.ratio for one in compared.decisions):
        means = _PAIRED if compared.spec.saved is None else _UNPAIRED
        paragraph(console, f"{means}{_places(result.decisions)}", style="dim")
    if compared.endpoints:
        for is_of_errors in (False, True):
            rows = [one for one in compared.endpoints if one.is_of_errors == is_of_errors]
            if rows:
                console.print()
                _endpoints(compared.names, rows).show(console)
    show_notes(console, result)
    for failure in result.failures:
        paragraph(console, f"{failure.arm} was left out: {failure.reason}", style="red")
    show_doubts(console, result)
    show_report(compared.ended)


def _show_table(console: Console, names: tuple[str, str], decisions: Sequence[DecisionRow]) -> None:
    """Print the table; on a narrow terminal without the numbers of both, or the change."""
    table = _table(names, decisions)
    if not set(_headings(names)) <= set(table.headings_that_fit(console)):
        table = _table(names, decisions, mark=_CHANGE)
        if _CHANGE not in table.headings_that_fit(console):
            table = _table(names, decisions, mark=_INTERVAL)
    table.show(console)


def _table(
    names: tuple[str, str], decisions: Sequence[DecisionRow], *, mark: str | None = None
) -> FittedTable:
    """`mark`: the column that has the marks of suspect numbers that are not shown."""
    first, second = _headings(names)
    columns: Sequence[Column[DecisionRow]] = (
        TextColumn("", lambda one: Cell(COMPARED[one.metric].heading, tone="bold")),
        Column(first, lambda one: _number(one, one.baseline_value, one.baseline_doubt), drop=3),
        Column(second, lambda one: _number(one, one.arm_value, one.arm_doubt), drop=3),
        Column(_CHANGE, partial(_change, is_marked=mark == _CHANGE), drop=1),
        Column(_INTERVAL, partial(_interval, is_marked=mark == _INTERVAL)),
        Column("margin", lambda one: percent(one.margin), drop=2),
        TextColumn("decision", _decision),
    )
    return FittedTable(columns, decisions)


def _endpoints(names: tuple[str, str], changes: Sequence[EndpointChange]) -> FittedTable:
    """A row for each endpoint, those that are worse first; of very many, the first ones. All are
    about the same metric."""
    first, second = _headings(names)
    order = ("worse", "better", "no difference shown", "no result")
    rows = sorted(changes, key=lambda one: order.index(one.comparison.outcome))[:MOST_ENDPOINTS]
    columns: Sequence[Column[EndpointChange]] = (
        TextColumn(f"{COMPARED[changes[0].comparison.metric].noun} of", lambda one: one.name),
        Column(first, lambda one: _of_endpoint(one, 0), drop=3),
        Column(second, lambda one: _of_endpoint(one, 1), drop=3),
        Column(_CHANGE, lambda one: one.change or DASH, drop=1),
        Column("interval", lambda one: one.interval or DASH, drop=2),
        TextColumn("decision", lambda one: one.decision),
    )
    return FittedTable(columns, rows)


def _of_endpoint(one: EndpointChange, place: int) -> str:
    """The number of the baseline (0) or of the changed arm (1)."""
    value = one.values[place]
    return DASH if value is None else number(one.comparison.metric, value)


def _places(decisions: Sequence[DecisionRow]) -> str:
    """The metrics that are compared at a rate, and not at full speed."""
    paced = [one for one in decisions if at(one.point)]
    metrics = both([COMPARED[one.metric].heading for one in paced])
    return f" {metrics} {'are' if len(paced) > 1 else 'is'}{at(paced[0].point)}." if paced else ""


def _headings(names: tuple[str, str]) -> list[str]:
    """The names of both arms, cut at their ends, or at their beginnings if only that differs."""
    shown = [printable(name) for name in names]
    cut = [one if len(one) <= MOST_HEADING else f"{one[: MOST_HEADING - 1]}…" for one in shown]
    if cut[0] != cut[1]:
        return cut
    return [one if len(one) <= MOST_HEADING else f"…{one[1 - MOST_HEADING :]}" for one in shown]


def _change(one: DecisionRow, *, is_marked: bool) -> Cell:
    if one.change is None:
        return Cell(DASH)
    return Cell(change(one.metric, one.change.value), doubt=one.doubt if is_marked else "")


def _interval(one: DecisionRow, *, is_marked: bool) -> Cell:
    shown = DASH if one.ratio is None else interval(one.metric, one.ratio)
    return Cell(shown, doubt=one.doubt if is_marked and one.change is not None else "")


def _decision(one: DecisionRow) -> Cell:
    return Cell(one.decided.removesuffix(" shown"), tone=words.TONES[one.decided])


def _number(one: DecisionRow, value: float | None, doubt: str) -> Field:
    """One of the two numbers whose ratio is the change."""
    return "no result" if value is None else Cell(number(one.metric, value), doubt=doubt)
