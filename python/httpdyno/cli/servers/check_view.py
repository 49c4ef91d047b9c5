"""What a check of one deployment shows: its answers, its habits, what contradicts itself."""

from __future__ import annotations

from collections.abc import Sequence

from rich.markup import escape

from httpdyno.cli.servers.tables import console, print_json, table
from httpdyno.servers import AnswerRow, Conformance

__all__ = ["show_check", "show_json"]

_MARKS = {"yes": "[green]yes[/green]", "no": "[red]no[/red]", "partly": "[yellow]partly[/yellow]"}


def show_check(found: Conformance) -> None:
    """Two tables, and a line for each contradiction."""
    paper = console()
    paper.print(f"[bold]{found.server}[/bold] {escape(found.version)}, {found.deployment}")
    answers = table("workload", "request", "answer", "what came")
    for row in found.workloads:
        answers.add_row(row.workload, escape(row.request), _verdict(row), escape(row.detail))
    paper.print(answers)
    habits = table("behaviour", "", "what was seen")
    for habit in found.behaviour:
        habits.add_row(habit.name, _MARKS[habit.answer], escape(habit.detail))
    paper.print(habits)
    for said in found.contradictions:
        paper.print(f"[yellow]note:[/yellow] {escape(said)}")


def show_json(found: Sequence[Conformance]) -> None:
    """The checks as JSON, each with `ok`: whether every required answer was right."""
    print_json([{**one.model_dump(mode="json"), "ok": one.ok} for one in found])


def _verdict(row: AnswerRow) -> str:
    if row.agrees:
        return "[green]right[/green]"
    return "[yellow]differs[/yellow]" if row.ok else "[red]wrong[/red]"
