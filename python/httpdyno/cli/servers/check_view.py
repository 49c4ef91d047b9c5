"""Output about the check of one deployment: its answers, the HTTP probes, contradictions."""

from __future__ import annotations

from collections.abc import Sequence

from httpdyno.cli.servers.tables import cell, console, print_json, table
from httpdyno.servers import AnswerRow, Conformance

__all__ = ["show_check", "show_json"]

_MARKS = {"yes": "[green]yes[/green]", "no": "[red]no[/red]", "partly": "[yellow]partly[/yellow]"}


def show_check(found: Conformance) -> None:
    """Show a table of answers, one of HTTP probes, and a line for each contradiction."""
    paper = console()
    version = f" {cell(found.version)}" if found.version else ""
    paper.print(f"[bold]{found.server}[/bold]{version}, {found.deployment}\n")
    answers = table("workload", "request", "answer", "detail")
    for row in found.workloads:
        answers.add_row(row.workload, cell(row.request), _verdict(row), cell(row.detail))
    paper.print(answers)
    probes = table("HTTP probe", "passed", "observed")
    for probe in found.probes:
        probes.add_row(probe.name, _MARKS[probe.answer], cell(probe.detail))
    paper.print()
    paper.print(f"HTTP probes, with requests for {cell(found.probed_path)}:")
    paper.print(probes)
    for sentence in found.contradictions:
        paper.print(f"\n[yellow]note:[/yellow] {cell(sentence)}")


def show_json(found: Sequence[Conformance]) -> None:
    """Write the checks as JSON, each with `ok`: true when every required answer was right."""
    print_json([{**one.model_dump(mode="json"), "ok": one.ok} for one in found])


def _verdict(row: AnswerRow) -> str:
    if row.agrees:
        return "[green]right[/green]"
    return "[yellow]differs[/yellow]" if row.ok else "[red]wrong[/red]"
