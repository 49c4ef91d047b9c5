"""The parts that the pages of `load` and `sweep` share: tables, requests, the machine."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import TypeVar

from httpdyno import __version__, units
from httpdyno.cli.serve.recording import own_command
from httpdyno.dates import moment
from httpdyno.doubts import MARKS
from httpdyno.engine_plan import Digest, EnginePlan, Request
from httpdyno.host.facts import machine_facts
from httpdyno.output.printable import printable
from httpdyno.output.table import Cell, Column, Field
from httpdyno.report.contents.load import MOST_REQUESTS, Conditions, NumbersTable, RequestRow

__all__ = ["conditions", "numbers_table", "request_line"]

RowT = TypeVar("RowT")


def conditions(plan: EnginePlan, started_at: float) -> Conditions:
    """The requests of a plan without secrets, the command and this machine."""
    return Conditions(
        requests=[_request(one) for one in plan.requests[:MOST_REQUESTS]],
        left_out=max(0, len(plan.requests) - MOST_REQUESTS),
        command=printable(own_command()),
        httpdyno_version=__version__,
        seed=plan.seed,
        started=moment(started_at),
        machine=machine_facts(),
    )


def request_line(request: Request) -> str:
    """`GET /items?page=2`."""
    return printable(f"{request.method} {request.path}")


def numbers_table(
    title: str, columns: Sequence[Column[RowT]], rows: Sequence[RowT], doubted: Set[str]
) -> NumbersTable:
    """A table of a page from that of a terminal. The headings of `doubted` columns are marked."""
    heads = [
        (one.heading or "from → to") + (MARKS["suspect"] if one.heading in doubted else "")
        for one in columns
    ]
    return NumbersTable(
        title,
        heads,
        [[_text(one.field(row)) for one in columns] for row in rows],
        texts={0} | {place for place, one in enumerate(columns) if not one.right},
    )


def _text(field: Field) -> str:
    return (field.value if isinstance(field, Cell) else field).strip()


def _request(request: Request) -> RequestRow:
    return RequestRow(
        line=request_line(request),
        headers=[(printable(name), printable(value)) for name, value in request.headers],
        body=_body(request),
        weight=request.weight,
    )


def _body(request: Request) -> str:
    body = request.raw if request.raw is not None else request.body
    if body is None:
        return ""
    if isinstance(body, Digest):
        return f"{units.counted(body.length, 'byte')}, SHA-256 {body.sha256}"
    return "from a file"
