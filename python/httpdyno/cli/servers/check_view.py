"""Output about the check of one deployment: its answers, the HTTP probes, contradictions."""

from __future__ import annotations

from collections.abc import Sequence

from httpdyno.cli.table import borderless_table
from httpdyno.cli.text import escape_text, markup_console, print_json
from httpdyno.output.table import Cell
from httpdyno.servers import AnswerRow, Conformance

__all__ = ["show_check", "show_json"]

_TONES = {"yes": "valid", "no": "invalid", "partly": "suspect"}


def show_check(found: Conformance) -> None:
    """Show a table of answers, one of HTTP probes, and a line for each contradiction."""
    paper = markup_console()
    version = f" {escape_text(found.version)}" if found.version else ""
    paper.print(f"[bold]{found.server}[/bold]{version}, {found.deployment}\n")
    answers = [(row.workload, row.named, _verdict(row), row.detail) for row in found.workloads]
    paper.print(borderless_table(("workload", "request", "answer", "detail"), answers))
    if found.probes:
        paper.print()
        paper.print(f"HTTP probes, with requests for {escape_text(found.probed_path)}:")
        probes = [
            (one.name, Cell(one.answer, tone=_TONES[one.answer]), one.detail)
            for one in found.probes
        ]
        paper.print(borderless_table(("HTTP probe", "passed", "observed"), probes))
    for sentence in found.contradictions:
        paper.print(f"\n[yellow]note:[/yellow] {escape_text(sentence)}")


def show_json(found: Sequence[Conformance]) -> None:
    """Write the checks as JSON, each with `ok`: true when every required answer was right."""
    print_json([{**one.model_dump(mode="json"), "ok": one.ok} for one in found])


def _verdict(row: AnswerRow) -> Cell:
    if row.agrees:
        return Cell("right", tone="valid")
    return Cell("differs", tone="suspect") if row.ok else Cell("wrong", tone="invalid")
