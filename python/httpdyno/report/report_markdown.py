"""The report as Markdown that GitHub renders well: the answer, tables, doubts, and conditions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from httpdyno.output.markdown_text import code
from httpdyno.output.table import Column, Field
from httpdyno.report.charts.figure import Figure, Section
from httpdyno.report.contents.overviews import Overview, legend
from httpdyno.report.contents.page import Page, page
from httpdyno.report.contents.rows.decisions import Decisions
from httpdyno.report.contents.rows.tables import Line, LoadTable
from httpdyno.report.contents.verdicts import DoubtCard
from httpdyno.report.markdown import fold_blocks as _folded
from httpdyno.report.markdown import prose, replay_tables, text_table
from httpdyno.result import StudyResult
from httpdyno.units import counted

MOST_ROWS = 400
"""Rows of all tables of numbers together; a larger study has the others in its `result.json`."""
MOST_PLACES = 20
MOST_ARMS = 12
"""A longer list of arms is folded."""


def report_markdown(
    result: StudyResult, pictures: Sequence[tuple[str, str]] = (), *, made: Page | None = None
) -> str:
    """The report of a result that is safe to show. `pictures`: (file, title) of each chart; `made`:
    its page, if that was made already."""
    whole = page(result, []) if made is None else made
    blocks = [
        f"# {prose(result.title)}",
        *([prose(result.question)] if result.question != result.title else []),
        f"**{prose(whole.answer.lead)}**",
        *_in_words(whole),
        *_limits(whole),
        *(_reasons(whole) if whole.is_empty else _measured_blocks(whole, pictures)),
    ]
    return "\n\n".join(blocks) + "\n"


def _measured_blocks(whole: Page, pictures: Sequence[tuple[str, str]]) -> Iterator[str]:
    yield from _decisions(whole.answer.decisions)
    yield from _overviews(whole.answer.first)
    yield from _others(whole)
    yield from (f"![{prose(title)}]({file})" for file, title in pictures)
    yield from _replay(whole.result)
    yield from _comparison_blocks(whole)
    yield from _capacity(whole)
    yield from _with_title("By endpoint", whole.endpoints)
    yield from _with_title("Versions of HTTP", whole.protocols)
    yield from _with_title("All numbers", whole.numbers)
    yield from _verdicts(whole)
    yield from _method(whole)


def _decisions(table: Decisions | None) -> Iterator[str]:
    if table is None:
        return
    places = [at for at, column in enumerate(table.columns) if column.in_markdown]
    head = ["metric", *(table.columns[at].title for at in places)]
    rows = [[metric, *(_field_text(fields[at]) for at in places)] for metric, fields in table.lines]
    yield text_table(head, rows, texts=1)


def _reasons(whole: Page) -> Iterator[str]:
    """The reasons why nothing was measured, if there are any."""
    if any(one.id in ("verdicts", "failures") for one in whole.parts):
        yield from _verdicts(whole)


def replay_markdown(result: StudyResult, charts: Sequence[tuple[str, Figure]]) -> str:
    """The results of a replay that are safe to show, for a page that has its own title and text.

    The answer, published and measured numbers side by side, ratios and curves; the rest is folded.

    `charts`: (file, chart), in the order in which they are shown.
    """
    whole = page(result, [])
    blocks = [
        f"**{prose(whole.answer.lead)}**",
        *_limits(replace(whole, caveats=[])),
        *_in_words(whole),
        *_folded_notes(result),
        *_charts(charts, "replay"),
        *_replay(result),
        *_charts(charts, "ratio", "## Compared"),
        *_charts(charts, "rates", "## By offered rate"),
        *_folded_overviews(whole),
        *_with_title("All numbers", whole.numbers),
        *_folded_rest(_verdicts(whole), "The doubts, each with the cells that have it"),
        *_method(whole),
    ]
    lower = [f"#{block}" if block.startswith("## ") else block for block in blocks]
    return "\n\n".join(lower)


def _charts(
    charts: Sequence[tuple[str, Figure]], section: Section, heading: str = ""
) -> Iterator[str]:
    """The pictures of a section, and the numbers of its ratios as text."""
    mine = [(file, chart) for file, chart in charts if chart.section == section]
    if mine and heading:
        yield heading
    for file, chart in mine:
        yield f"![{prose(chart.title)}]({file})"
        if section == "ratio":
            table = text_table(chart.table.head, chart.table.rows, texts=1)
            about = chart.subtitle.partition(". ")[0]
            yield _folded(f"As a table: {about}", [table])


def _folded_notes(result: StudyResult) -> Iterator[str]:
    if result.notes:
        notes = "\n".join(f"- {prose(note)}" for note in result.notes)
        yield _folded("Notes, to read before you quote it", [notes])


def _folded_overviews(whole: Page) -> Iterator[str]:
    tables = [*whole.answer.first, *whole.answer.others]
    if tables:
        yield _folded("Ranks, response times and costs under each load", _overviews(tables))


def _folded_rest(blocks: Iterable[str], summary: str) -> Iterator[str]:
    """A section whose heading stays, and whose content opens on a click."""
    heading, *rest = blocks
    yield heading
    yield _folded(summary, rest)


def _in_words(whole: Page) -> Iterator[str]:
    if whole.answer.more:
        yield _folded("The whole answer in words", [prose(whole.answer.more)])


def _limits(whole: Page) -> Iterator[str]:
    if whole.banners:
        lines = [f"> {prose(banner.sentence)}" for banner in whole.banners]
        yield "\n>\n".join(["> [!WARNING]\n" + lines[0], *lines[1:]])
    if whole.caveats:
        yield "\n".join(f"- {prose(caveat)}" for caveat in whole.caveats)


def _overviews(tables: Sequence[Overview]) -> Iterator[str]:
    yield from map(_overview, tables)
    if tables:
        yield legend(tables, "In parentheses", "")


def _overview(table: Overview) -> str:
    lines = [*table.lines, *table.rest]
    ratio = [f"relative to {table.baseline}"] if table.baseline else []
    rank = ["rank"] if table.ranked_by else []
    at = table.ranked_column + 1
    head = [*rank, "arm", *table.columns[:at], *ratio, *table.columns[at:]]
    rows = []
    for line in lines:
        one = "baseline" if line.is_baseline else _field_text(line.ratio) if line.ratio else "–"
        shown = [_field_text(number) for number in line.numbers]
        if line.without:
            shown = [line.without, *["–"] * (len(table.columns) - 1)]
        ranks = [line.rank or "–"] if table.ranked_by else []
        ratios = [one] if table.baseline else []
        rows.append([*ranks, line.arm.name, *shown[:at], *ratios, *shown[at:]])
    where = "" if table.point in table.title else f"; {table.point}"
    note = "".join(f"; {one}" for one in (table.about, table.note) if one)
    note += f"; the first {len(lines)}" if table.left_out else ""
    return f"{prose(table.title + where + note)}:\n\n" + text_table(head, rows, texts=1 + len(rank))


def _others(whole: Page) -> Iterator[str]:
    if whole.answer.others:
        yield _folded("Under the other loads", _overviews(whole.answer.others))


def _replay(result: StudyResult) -> Iterator[str]:
    tables = list(replay_tables(result))
    if tables:
        yield "## Published and measured"
        yield from tables


def _capacity(whole: Page) -> Iterator[str]:
    if whole.capacity is None:
        return
    yield "## Capacity"
    for table in whole.capacity.tables:
        shown = _table(table.columns, table.lines, points=True)
        yield f"{prose(table.title)} ({prose(table.kind)}):\n\n{shown}"


def _comparison_blocks(whole: Page) -> Iterator[str]:
    """Every comparison, by load."""
    tables = [table for one in whole.questions for table in one.comparisons]
    if tables:
        yield "## Compared"
        yield from _folded_tables(tables, points=False)


def _with_title(heading: str, tables: Sequence[LoadTable]) -> Iterator[str]:
    if tables:
        yield f"## {heading}"
        yield from _folded_tables(tables, points=True)


def _folded_tables(tables: Sequence[LoadTable], *, points: bool) -> Iterator[str]:
    """A table for each load. `points`: with its kind, and the load point of each line."""
    left = MOST_ROWS
    for table in tables:
        lines = table.lines[:left]
        left -= len(lines)
        blocks = [prose(one) for one in (table.kind, table.note) if one] if points else []
        blocks += [_table(table.columns, lines, points=points)] if lines else []
        more = len(table.lines) - len(lines) + table.left_out
        if more:
            verb = "is" if more == 1 else "are"
            blocks.append(f"{counted(more, 'more row')} {verb} in `result.json`.")
        yield _folded(table.title, blocks)


def _table(columns: Sequence[Column[Any]], lines: Sequence[Line], *, points: bool) -> str:
    """The columns of texts, then those of numbers. `points`: with the load point of each line."""
    places = [at for at, column in enumerate(columns) if column.in_markdown]
    places.sort(key=lambda at: columns[at].right)
    head = ["arm", *(["load point"] if points else []), *(columns[at].title for at in places)]
    rows = [
        [line.arm.name, *([line.point] if points else []), *_fields(line, places)] for line in lines
    ]
    return text_table(head, rows, texts=len(head) - sum(columns[at].right for at in places))


def _fields(line: Line, places: Sequence[int]) -> list[str]:
    if line.without:
        why = f": {line.reasons[0].text}" if line.reasons and line.reasons[0].text else ""
        return [f"{line.without}{why}", *["–"] * (len(places) - 1)]
    return [_field_text(line.fields[at]) for at in places]


def _verdicts(whole: Page) -> Iterator[str]:
    yield "## Verdicts"
    if not whole.verdicts.doubtful:
        yield f"No doubt about any of {counted(whole.verdicts.cells, 'cell')}."
    for card in whole.verdicts.doubtful:
        yield _card(card)
    for label, failure in whole.failures:
        yield f"- {prose(label.name)} could not be measured: {prose(failure.reason)}"


def _card(card: DoubtCard) -> str:
    doubts = f"; doubts {card.numbers}" if card.numbers else ""
    head = f"- **{card.status}: {prose(card.code)}** ({card.count}{doubts})."
    lines = [f"{head} {prose(card.text)}{_of_the_first(card)}"]
    lines += [f"  - What to do: {prose(hint)}" for hint in card.hints[:3]]
    places = [f"{place.arm.name} ({place.where})" for place in card.places[:MOST_PLACES]]
    more = len(card.places) - len(places) + card.left_out
    rest = f" and {more:,} more" if more else ""
    return "\n".join([*lines, f"  - Where: {prose(', '.join(places))}{rest}"])


def _of_the_first(card: DoubtCard) -> str:
    """The place whose numbers are in the text, where other places have others."""
    if card.same:
        return ""
    first = card.places[0]
    return f" (the numbers are for {prose(f'{first.arm.name}, {first.where}')})"


def _method(whole: Page) -> Iterator[str]:
    result = whole.result
    yield "## How it was measured"
    yield (
        f"{prose(whole.restarts)} Started {whole.started}, {whole.took}:"
        f" {result.blocks_done} of {result.blocks_planned} blocks, seed {result.seed}, httpdyno"
        f" {prose(result.httpdyno_version)}."
    )
    yield f"Command: {code(result.command, most=None)}"
    arms = text_table(
        ["arm", "version", "what it is"],
        [[arm.name, arm.version, arm.description] for arm in result.arms],
        texts=3,
    )
    if len(result.arms) > MOST_ARMS:
        yield _folded(f"The {len(result.arms)} arms and their versions", [arms])
    else:
        yield arms if result.arms else "No arm was measured."
    facts = [
        [fact.label, f"{fact.value} (doubt: {fact.doubt})" if fact.doubt else fact.value]
        for fact in result.facts
    ]
    if facts:
        yield _folded("Machine", [text_table(["fact", "value"], facts, texts=2)])


def _field_text(field: Field) -> str:
    if isinstance(field, str):
        return field
    doubt = " (suspect)" if field.doubt else ""
    interval = f" ({field.interval})" if field.interval else ""
    return f"{field.value}{interval}{doubt}"
