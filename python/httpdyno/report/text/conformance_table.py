"""How the servers of a study speak HTTP: servers × habits, a sign in each field."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from httpdyno.result import ConformanceRow, ProbeRow, StudyResult

SIGNS = {"yes": "✓", "partly": "◐", "no": "✗"}


@dataclass(frozen=True)
class Field:
    """One field of the table."""

    sign: str
    answer: str
    """`yes`, `partly`, `no`, or `not probed`."""
    detail: str


@dataclass(frozen=True)
class HabitLine:
    """One server, run in one way, and its habits in the order of the columns."""

    name: str
    version: str
    arms: Sequence[str]
    checked: str
    """The day of its check, UTC."""
    fields: Sequence[Field]


def habit_names(result: StudyResult) -> list[str]:
    """The columns: every habit that was probed, in the order of the probes."""
    return list(dict.fromkeys(habit.name for row in result.conformance for habit in row.habits))


def habit_lines(result: StudyResult) -> list[HabitLine]:
    """The rows: one for each server and deployment that was checked."""
    names = habit_names(result)
    return [_line(row, names) for row in result.conformance]


def _line(row: ConformanceRow, names: Sequence[str]) -> HabitLine:
    found = {habit.name: habit for habit in row.habits}
    return HabitLine(
        name=f"{row.server}/{row.deployment}",
        version=row.version,
        arms=row.arms,
        checked=datetime.fromtimestamp(row.checked_at, tz=UTC).strftime("%Y-%m-%d"),
        fields=[_field(found.get(name)) for name in names],
    )


def _field(habit: ProbeRow | None) -> Field:
    if habit is None:
        return Field("–", "not probed", "this habit was not probed")
    return Field(SIGNS[habit.answer], habit.answer, habit.detail)
