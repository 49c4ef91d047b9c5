"""Pieces of Markdown: texts made safe, tables, and the published numbers of a replay."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from httpdyno import units
from httpdyno.output.markdown_text import plain, table, text
from httpdyno.output.table import Column
from httpdyno.report.text import words
from httpdyno.report.text.arms import short_names
from httpdyno.report.text.log_verdicts import in_short, log_lines
from httpdyno.report.text.replay import (
    CORRECTED,
    Entry,
    ReplayRow,
    corrected_loads,
    in_order,
    post_entry,
    replay_groups,
)
from httpdyno.result import StudyResult

MOST_OPEN = 12
"""A table of published numbers with more rows folds those that have no pair."""


def prose(raw: str) -> str:
    """A text as Markdown on one line: words in backticks are code, and nothing else is obeyed."""
    return text(raw, most=None)


def text_table(head: Sequence[str], rows: Iterable[Sequence[str]], *, texts: int) -> str:
    """A table of plain fields. Its first columns, so many, are texts, and the others numbers."""
    fields = ([prose(field) for field in row] for row in rows)
    return table([prose(one) for one in head], fields, numbers=len(head) - texts)


def fold_blocks(summary: str, blocks: Iterable[str]) -> str:
    """Blocks that open on a click. The summary is HTML, in which nothing is code."""
    shown = plain(" ".join(summary.split()))
    return "\n\n".join(["<details>", f"<summary>{shown}</summary>", *blocks, "</details>"])


def replay_tables(result: StudyResult) -> Iterator[str]:
    """For each workload, a table of the published numbers, the same load rerun, and the corrected
    loads; then the verdicts on the published logs."""
    short, groups = short_names(result), replay_groups(result)
    if groups:
        yield (
            "Requests per second, with the 95 % CI below. Published numbers are from another"
            " machine: do not compare them with the rest. `?` marks a suspect number; the"
            " verdicts below say why, and why a number is missing."
        )
    for workload, rows in groups:
        if workload:
            yield f"**Workload {prose(workload)}**"
        columns = _columns(rows)
        paired = [row for row in rows if row.published and row.published[0].measured]
        if len(rows) <= MOST_OPEN or not paired:
            yield _table(rows, columns, short)
            continue
        yield _table(paired, columns, short)
        others = [row for row in rows if not row.published]
        if others:
            summary = f"{units.counted(len(others), 'more arm')} that the post does not have"
            yield fold_blocks(summary, [_table(others, columns, short)])
        lone = [row for row in rows if row.published and not row.published[0].measured]
        if lone:
            summary = f"{units.counted(len(lone), 'more published number')} that no arm stands for"
            yield fold_blocks(summary, [_table(lone, columns[:1], short)])
    yield from _log_verdicts(result)


def _columns(rows: Sequence[ReplayRow]) -> list[Column[ReplayRow]]:
    """The published numbers, the same load rerun, and each corrected load."""
    found = [Column("published", _published_numbers)]
    rerun = {row.arm: entry for row in rows if (entry := post_entry(row)) is not None}
    if rerun:
        found.append(_measured_column("same load, rerun here", rerun))
    for load in corrected_loads(rows):
        found_in = [(row.arm, entry) for row in rows for entry in row.corrected]
        entries = {arm: entry for arm, entry in found_in if entry.load.name == load.name}
        found.append(_measured_column(f"{CORRECTED}{load.title.removeprefix(CORRECTED)}", entries))
    return found


def _published_numbers(row: ReplayRow) -> str:
    numbers = [
        units.rate(one.requests_per_s) if one.requests_per_s else "no number"
        for one in row.published
    ]
    return "<br>".join(dict.fromkeys(numbers))


def _measured_column(heading: str, entries: dict[str, Entry]) -> Column[ReplayRow]:
    """The numbers of a load. Where none has an interval, the heading says so once."""
    valid = [entry.cell for entry in entries.values() if entry.status != "invalid"]
    note = words.note_on_intervals([cell.throughput_per_s for cell in valid])
    points = {cell.point for cell in valid}
    fields = {arm: _number(entry, several=len(points) > 1) for arm, entry in entries.items()}
    return Column(f"{prose(heading)}{_small(note)}", lambda row: fields.get(row.arm, ""))


def _number(entry: Entry, *, several: bool) -> str:
    """A number with its interval in small print. `several`: with its load point."""
    if entry.status == "invalid":
        return f"*{prose(entry.text)}*"
    doubt = " ?" if entry.status == "suspect" else ""
    interval = entry.interval if entry.has_interval else ""
    point = f"at {entry.cell.point}" if several and entry.cell.rate_per_s is not None else ""
    return f"**{prose(entry.text)}**{doubt}{_small(interval)}{_small(point)}"


def _small(text: str) -> str:
    return f"<br><sub>{prose(text)}</sub>" if text else ""


def _table(
    rows: Sequence[ReplayRow], columns: Sequence[Column[ReplayRow]], short: dict[str, str]
) -> str:
    """A table; a column without any number is left out, and where nothing is known, nothing is."""
    shown = [one for one in columns if any(one.field(row) for row in rows)]
    lines = [
        [prose(short.get(row.arm, row.arm)), *(str(one.field(row)) for one in shown)]
        for row in in_order(rows)
    ]
    return table(["arm", *(column.heading for column in shown)], lines, numbers=len(shown))


def _log_verdicts(result: StudyResult) -> Iterator[str]:
    """The verdicts on the published logs."""
    lines = log_lines(result)
    if not lines:
        return
    rows = [
        [
            f"{line.row.arm}, {line.published}",
            line.verdict.status,
            "; ".join(reason.text for reason in line.verdict.reasons),
        ]
        for line in lines
    ]
    shown = text_table(["published", "verdict", "reasons"], rows, texts=3)
    yield in_short(lines)
    yield fold_blocks("The verdicts on the published logs", [shown])
