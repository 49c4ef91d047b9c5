"""The results of a replay as Markdown, for a page that stands beside its pictures.

Statements about arms follow the intervals: more requests/s, fewer, or no difference shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from httpdyno import units
from httpdyno.output.printable import printable_lines
from httpdyno.report.text import words
from httpdyno.report.text.arms import short_names
from httpdyno.report.text.doubts import Cells, cells_of, doubt_of_ratio
from httpdyno.report.text.log_verdicts import in_short, log_lines
from httpdyno.report.text.replay import Entry, ReplayRow, corrected_loads, post_entry, replay_groups
from httpdyno.result import Comparison, LoadInfo, Outcome, StudyResult

_MACHINE = ("processor", "cores", "memory", "kernel", "system")
"""Labels of facts, or their beginnings, that the page shows."""
_SAME: Outcome = "no difference shown"
_MARKUP = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def results_markdown(result: StudyResult, pictures: Sequence[str]) -> str:
    """The measurements, their conditions and their outcomes. `pictures`: files beside the page."""
    blocks = [
        _measured(result),
        prose(result.answer),
        *(f"![{_picture_words(name)}]({name})" for name in pictures),
        *replay_tables(result),
        *_log_verdicts(result),
        *_shown(result),
        *_without(result),
    ]
    return "\n\n".join(blocks)


def prose(text: str) -> str:
    """A text as Markdown on one line: no HTML, and code in backticks as it is."""
    line = " ".join(printable_lines(text).split())
    if line.count("`") % 2:  # a lone one could make code of the text behind it
        return line.translate(_MARKUP).replace("`", "&#96;")
    parts = re.split(r"(`[^`]+`)", line)
    return "".join(
        part if number % 2 else part.translate(_MARKUP) for number, part in enumerate(parts)
    )


def code(text: str) -> str:
    """A text as code, also one with backticks (CommonMark, section 6.1)."""
    text = " ".join(printable_lines(text).split())
    fence = "`" * (max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{space}{text}{space}{fence}"


def _measured(result: StudyResult) -> str:
    facts = [
        prose(fact.value)
        for wanted in _MACHINE
        for fact in result.facts
        if fact.label.lower().startswith(wanted)
    ]
    each = f"{result.blocks_done} trial{'s' if result.blocks_done != 1 else ''} per cell"
    done = (
        f"{each} (fewer where the load says so)" if result.complete else words.blocks_done(result)
    )
    took = words.length(result.ended_at - result.started_at)
    return (
        f"Measured on {words.long_date(result.started_at)} with httpdyno "
        f"{prose(result.httpdyno_version)} in {took}: {done}, seed {result.seed}. "
        f"Machine: {'; '.join(facts) or 'see the summary'}. Command: {code(result.command)}."
    )


def _picture_words(name: str) -> str:
    stem = name.removesuffix(".png")
    about = stem.removeprefix("picture").removeprefix("curve").strip("-").replace("-", " ")
    what = "Curves by offered rate" if stem.startswith("curve") else "Published, rerun, corrected"
    return f"{what}: {about}" if about else what


def replay_tables(result: StudyResult) -> Iterator[str]:
    """A table for each workload: published numbers, the same load rerun, the corrected loads."""
    for workload, rows in replay_groups(result):
        loads = corrected_loads(rows)
        heading = [
            "arm",
            "published (not comparable)",
            "same load, rerun here",
            *(f"corrected: {load.title.removeprefix('corrected: ')}" for load in loads),
        ]
        lines = [table_row(heading), table_row(["---", *["---:"] * (len(heading) - 1)])]
        lines += [table_row(_fields(row, loads, short_names(result))) for row in rows]
        of = f", workload {prose(workload)}" if workload else ""
        yield f"Requests per second{of}, with 95 % confidence intervals:\n\n" + "\n".join(lines)


def _fields(row: ReplayRow, loads: Sequence[LoadInfo], short: dict[str, str]) -> list[str]:
    published = [
        units.rate(one.requests_per_s) if one.requests_per_s else "no number"
        for one in row.published
    ]
    entries = {entry.load.name: entry for entry in row.corrected}
    return [
        short.get(row.arm, row.arm),
        "; ".join(published) or "–",
        _number(post_entry(row)),
        *(_number(entries.get(load.name)) for load in loads),
    ]


def _number(entry: Entry | None) -> str:
    if entry is None:
        return "–"
    if entry.status == "invalid":
        return f"*{entry.text}*: {entry.interval}" if entry.interval else f"*{entry.text}*"
    doubt = ", suspect" if entry.status == "suspect" else ""
    point = f", {entry.cell.point}" if entry.cell.rate_per_s is not None else ""
    return f"**{entry.text}** ({entry.interval}{point}{doubt})"


def _log_verdicts(result: StudyResult) -> Iterator[str]:
    """The verdicts on the published logs."""
    lines = log_lines(result)
    if not lines:
        return
    rows = [
        table_row(
            [
                f"{line.row.arm}, {line.published}",
                line.verdict.status,
                "; ".join(reason.text for reason in line.verdict.reasons),
            ]
        )
        for line in lines
    ]
    head = [table_row(["published", "verdict", "reasons"]), table_row(["---"] * 3)]
    yield f"Verdicts on the published logs. {in_short(lines)}\n\n" + "\n".join([*head, *rows])


def _shown(result: StudyResult) -> Iterator[str]:
    """The outcomes of the comparisons under the corrected loads."""
    loads = {load.name: load for _, rows in replay_groups(result) for load in corrected_loads(rows)}
    sentences, cells = [], cells_of(result)
    for load in loads.values():
        rows = [r for r in result.comparisons if (r.load, r.metric) == (load.name, "throughput")]
        for at in dict.fromkeys((row.baseline, row.point) for row in rows):
            same = [row for row in rows if (row.baseline, row.point) == at]
            sentences += list(_sentences(load, same, cells))
    if sentences:
        yield "Differences shown by the intervals:\n\n" + "\n".join(f"- {s}" for s in sentences)


def _sentences(load: LoadInfo, rows: Sequence[Comparison], cells: Cells) -> Iterator[str]:
    where = prose(f"{rows[0].baseline} ({load.title}, {rows[0].point})")
    for outcome, said in (("better", "More"), ("worse", "Fewer")):
        told = [_compared(row, cells) for row in rows if row.outcome == outcome]
        if told:
            yield f"{said} requests/s than {where}: {', '.join(told)}."
    same = [f"{_compared(row, cells)}{_least(row)}" for row in rows if row.outcome == _SAME]
    if same:
        yield f"No difference shown from {where}: {', '.join(same)}."
    unsure = [prose(row.arm) for row in rows if row.outcome == "no result"]
    if unsure:
        yield f"No comparison with {where}: {', '.join(unsure)}."


def _compared(row: Comparison, cells: Cells) -> str:
    if row.ratio is None:
        return f"{prose(row.arm)} {words.NO_RESULT}"
    interval = words.interval(row.ratio, words.ratio)
    suspect = ", suspect" if doubt_of_ratio(row, cells) else ""
    return f"{prose(row.arm)} {words.ratio(row.ratio.value)} ({interval}{suspect})"


def _least(row: Comparison) -> str:
    if row.smallest_detectable is None:
        return ""
    return f", detectable from {units.percent(row.smallest_detectable)}"


def _without(result: StudyResult) -> Iterator[str]:
    """The arms and cells without a result, and why."""
    failed = {failure.arm: failure.reason for failure in result.failures}
    refused = {
        f"{cell.arm} under {cell.load}": cell.reasons[0].text
        for cell in result.cells
        if words.is_refused(cell)
    }
    if failed or refused:
        lines = [f"- {prose(name)}: {prose(text)}" for name, text in (failed | refused).items()]
        yield "Not measured:\n\n" + "\n".join(lines)


def table_row(fields: Sequence[str]) -> str:
    """A row of a table."""
    return "| " + " | ".join(prose(field).replace("|", "\\|") for field in fields) + " |"
