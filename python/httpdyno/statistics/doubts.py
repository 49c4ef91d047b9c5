"""The doubts of a cell, number by number, from the reasons of its trials."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from httpdyno.doubts import NUMBERS, READ_FOR, Number
from httpdyno.metrics import Purpose
from httpdyno.outcome import TrialOutcome
from httpdyno.result import CellRow, Reason, Status, StudyResult
from httpdyno.study import LOADS

_OF_AN_ARM = {"install", "build", "start", "check", "measure", "died"}
"""Codes of failures that concern one arm: its server, its log."""
MOST_SUSPECT_SHARE = 0.2
"""A number is suspect if more of the trials are suspect, or if one is invalid."""
ONE_IS_ENOUGH: Mapping[Number, frozenset[str]] = {"throughput": frozenset({"backlog"})}
"""Reasons that make a number suspect if a single trial has them. A server cannot go on answering
more than is offered; a trial with a backlog alone takes the throughput of an open load above it."""


def number_doubts(
    outcomes: Sequence[TrialOutcome], reasons: Sequence[Reason]
) -> dict[Number, list[str]]:
    """The suspect numbers of a cell, each with the codes of its reasons, in their order."""
    found: dict[Number, list[str]] = {}
    for number in NUMBERS:
        status = combine_statuses([one.status_of(number) for one in outcomes])
        codes = {r.code for one in outcomes for r in one.reasons if number in r.doubts}
        if status == "valid":
            codes &= ONE_IS_ENOUGH.get(number, frozenset())
        if status == "suspect" or (status == "valid" and codes):
            found[number] = [reason.code for reason in reasons if reason.code in codes]
    return found


def cell_status(
    outcomes: Sequence[TrialOutcome], doubts: Mapping[Number, object], purpose: Purpose
) -> Status:
    """`invalid` without a usable trial; `suspect` if a number is that the load is for."""
    if not any(one.usable for one in outcomes):
        return "invalid"
    return "suspect" if READ_FOR[purpose] & doubts.keys() else "valid"


def combine_statuses(statuses: Sequence[Status]) -> Status:
    """The status of a number that was measured in trials with these statuses."""
    usable = [status for status in statuses if status != "invalid"]
    if not usable:
        return "invalid"
    suspect = usable.count("suspect")
    lost = len(usable) < len(statuses)
    return "suspect" if lost or suspect > MOST_SUSPECT_SHARE * len(usable) else "valid"


def by_kind(result: StudyResult) -> list[tuple[Reason, list[CellRow]]]:
    """Each kind of reason once, with all cells that have one of that kind.

    The reason is that of the first cell. This is one whose load is for a number that the reason
    doubts, if there is one: its hint helps where the number is read. The reasons why arms could not
    be measured at all are as many kinds as texts, and the failures of an arm are its own.
    """
    purposes = {load.name: LOADS[load.kind].purpose for load in result.loads}
    found: dict[tuple[str, str], list[tuple[Reason, CellRow]]] = {}
    for cell in (one for one in result.cells if one.status != "valid" or one.doubted):
        for reason in cell.reasons:
            own = cell.arm if reason.code in _OF_AN_ARM else ""
            text = own if cell.trials else reason.text
            found.setdefault((reason.code, text), []).append((reason, cell))
    groups = []
    for pairs in found.values():
        pairs.sort(key=lambda pair: not _matters(pair[0], pair[1], purposes.get(pair[1].load)))
        groups.append((pairs[0][0], [cell for _, cell in pairs]))
    return groups


def of_the_first(reason: Reason, cells: Sequence[CellRow]) -> bool:
    """True if the text of a kind of reason holds for the first of its cells only: others have other
    numbers."""
    return any(
        one.code == reason.code and one.text != reason.text
        for cell in cells[1:]
        for one in cell.reasons
    )


def _matters(reason: Reason, cell: CellRow, purpose: Purpose | None) -> bool:
    """True if a reason leaves no result, or doubts a number that the load of the cell is for."""
    if reason.status == "invalid" or purpose is None:
        return True
    return any(reason in cell.reasons_of(number) for number in READ_FOR[purpose])
