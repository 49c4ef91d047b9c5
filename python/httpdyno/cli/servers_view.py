"""What `httpdyno servers` shows: tables for people, JSON for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from httpdyno.servers import BehaviourRow, CheckRow, Installation, Server

__all__ = ["Checked", "show_check", "show_json", "show_list"]

_PIPE_WIDTH = 160
_WRONG = "[red]wrong[/red]"
_MARKS = {"yes": "[green]yes[/green]", "no": "[red]no[/red]", "partly": "[yellow]partly[/yellow]"}


@dataclass(frozen=True)
class Checked:
    """A server's whole check."""

    server: str
    version: str
    deployment: str
    workloads: Sequence[CheckRow]
    behaviour: Sequence[BehaviourRow]

    @property
    def ok(self) -> bool:
        """Whether every required answer was right."""
        return all(row.ok for row in self.workloads)


def show_list(rows: Sequence[tuple[Server, Installation | None]], *, as_json: bool) -> None:
    """The catalogue."""
    if as_json:
        _print_json([_server_json(server, done) for server, done in rows])
        return
    headings = ("name", "server", "language", "installed", "deployments", "workloads")
    table = _table(*headings)
    for server, done in rows:
        title = server.title if server.maintained else f"{server.title} (unmaintained)"
        table.add_row(
            server.name,
            escape(title),
            server.language,
            escape(done.version) if done else "–",  # the dash of an empty cell
            " ".join(server.deployments),
            " ".join(server.workloads),
        )
    _console().print(table)


def show_check(checked: Checked) -> None:
    """Two tables: the answers, and the habits."""
    console = _console()
    console.print(f"[bold]{checked.server}[/bold] {escape(checked.version)}, {checked.deployment}")
    answers = _table("workload", "request", "answer", "what came")
    for row in checked.workloads:
        asked = f"{row.exchange.method} {row.exchange.path}"
        answers.add_row(row.workload.name, escape(asked), _verdict(row), escape(row.detail))
    console.print(answers)
    habits = _table("behaviour", "", "what was seen")
    for habit in checked.behaviour:
        habits.add_row(habit.name, _MARKS[habit.answer], escape(habit.detail))
    console.print(habits)


def show_json(checked: Sequence[Checked]) -> None:
    """The checks as JSON."""
    _print_json([_checked_json(one) for one in checked])


def _verdict(row: CheckRow) -> str:
    if row.agrees:
        return "[green]right[/green]"
    return "[yellow]differs[/yellow]" if row.ok else _WRONG


def _server_json(server: Server, done: Installation | None) -> dict[str, object]:
    return {
        "name": server.name,
        "title": server.title,
        "language": server.language,
        "homepage": server.homepage,
        "licence": server.licence,
        "maintained": server.maintained,
        "concurrency": server.concurrency,
        "installed": None if done is None else done.version,
        "deployments": {name: one.description for name, one in server.deployments.items()},
        "workloads": list(server.workloads),
        "file": str(server.folder / "server.toml"),
    }


def _checked_json(checked: Checked) -> dict[str, object]:
    return {
        "server": checked.server,
        "version": checked.version,
        "deployment": checked.deployment,
        "ok": checked.ok,
        "workloads": [
            {
                "workload": row.workload.name,
                "request": f"{row.exchange.method} {row.exchange.path}",
                "why": row.exchange.why,
                "required": not row.exchange.recorded,
                "agrees": row.agrees,
                "ok": row.ok,
                "detail": row.detail,
            }
            for row in checked.workloads
        ],
        "behaviour": [
            {"name": row.name, "answer": row.answer, "detail": row.detail}
            for row in checked.behaviour
        ],
    }


def _table(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table


def _console() -> Console:
    """A console as wide as the terminal; a pipe gets wide lines rather than folded ones."""
    return Console(width=None if sys.stdout.isatty() else _PIPE_WIDTH, highlight=False)


def _print_json(value: object) -> None:
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=False) + "\n")
