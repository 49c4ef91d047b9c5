"""The choices by which a reader filters the tables and charts of a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from httpdyno.report.contents.rows.arms import ArmLabel, Labels
from httpdyno.report.text.arms import short_names
from httpdyno.result import StudyResult


@dataclass(frozen=True)
class Choice:
    """One filter: the attribute of a row that it reads, and the values to choose from."""

    key: str
    label: str
    options: Sequence[tuple[str, str]]
    """(value, words)"""


@dataclass(frozen=True)
class Filters:
    """The filters of a page, and its arms."""

    choices: Sequence[Choice]
    arms: Sequence[ArmLabel]
    """One for each colour, under its short name."""


def filters(result: StudyResult, labels: Labels) -> Filters:
    """The filters that have something to choose from."""
    every = [labels(name) for name in short_names(result)]
    loads = [(load.name, load.title) for load in result.loads]
    statuses = dict.fromkeys(cell.status for cell in result.cells)
    choices = [
        Choice("load", "Load", loads),
        Choice("server", "Server", _values([arm.server for arm in every])),
        Choice("language", "Language", _values([one for arm in every for one in arm.languages])),
        Choice("workload", "Workload", _values([arm.workload for arm in every])),
        Choice("verdict", "Verdict", [(one, one) for one in statuses]),
    ]
    shown: dict[str, ArmLabel] = {}
    for name, short in short_names(result).items():
        shown.setdefault(short, replace(labels(name), name=short))
    return Filters([one for one in choices if len(one.options) > 1], list(shown.values()))


def _values(found: Sequence[str]) -> list[tuple[str, str]]:
    return [(value, value) for value in sorted(set(found)) if value]
