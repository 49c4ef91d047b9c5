"""The results of a replay as Markdown, for a page that stands beside its pictures.

What it says of the arms is said by the intervals: who answered more, who less, and of whom nothing
was shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from httpdyno import units
from httpdyno.report.text import words
from httpdyno.report.text.arms import short_names
from httpdyno.report.text.log_verdicts import in_short, log_lines
from httpdyno.report.text.replay import Entry, ReplayRow, corrected_loads, post_entry, replay_groups
from httpdyno.result import Comparison, LoadInfo, StudyResult

_MACHINE = ("processor", "cores", "memory", "kernel", "system")
"""Labels of facts, or their beginnings, that a reader of the page needs."""


def results_markdown(result: StudyResult, pictures: Sequence[str]) -> str:
    """What was measured, where, and what it shows. `pictures`: file names beside the page."""
    blocks = [
        _measured(result),
        result.answer,
        *(f"![{_picture_words(name)}]({name})" for name in pictures),
        *_tables(result),
        *_gate(result),
        *_shown(result),
        *_without(result),
    ]
    return "\n\n".join(blocks)


def _measured(result: StudyResult) -> str:
    day = datetime.fromtimestamp(result.started_at, tz=UTC).strftime("%-d %B %Y")
    facts = [
        fact.value
        for wanted in _MACHINE
        for fact in result.machine
        if fact.label.lower().startswith(wanted)
    ]
    count = f"{result.blocks_done} of {result.blocks_planned}"
    restarts = "1 restart" if result.blocks_done == 1 else f"{result.blocks_done} restarts"
    done = f"{restarts} of each server" if result.complete else f"{count} blocks"
    took = units.duration(result.ended_at - result.started_at)
    return (
        f"Measured on {day} with httpdyno {result.httpdyno_version} in {took}: {done} "
        f"(loads that say otherwise have fewer), seed {result.seed}. The machine: "
        f"{'; '.join(facts) or 'see the summary'}. The command: `{result.command}`."
    )


def _picture_words(name: str) -> str:
    stem = name.removesuffix(".png").removeprefix("picture").strip("-")
    about = f": {stem.replace('-', ' ')}" if stem else ""
    return f"Published then, rerun here, corrected{about}"


def _tables(result: StudyResult) -> Iterator[str]:
    """A table for each workload: the post's numbers, its shape rerun, the corrected loads."""
    for workload, rows in replay_groups(result):
        loads = corrected_loads(rows)
        heading = [
            "arm",
            "published then (not comparable)",
            "same shape, rerun here",
            *(f"corrected: {load.title.removeprefix('corrected: ')}" for load in loads),
        ]
        lines = [_line(heading), _line(["---", *["---:"] * (len(heading) - 1)])]
        lines += [_line(_fields(row, loads, short_names(result))) for row in rows]
        title = (
            f"Requests answered per second, workload {workload}"
            if workload
            else ("Requests answered per second")
        )
        yield f"{title}, with 95 % intervals:\n\n" + "\n".join(lines)


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


def _gate(result: StudyResult) -> Iterator[str]:
    """What our rules say of the published logs."""
    lines = log_lines(result)
    if not lines:
        return
    rows = [
        _line(
            [
                f"{line.row.arm}, {line.published}",
                line.said,
                "; ".join(reason.text for reason in line.row.verdict_of_log.reasons)
                if line.row.verdict_of_log
                else "",
            ]
        )
        for line in lines
    ]
    head = [_line(["published", "by our rules", "why"]), _line(["---"] * 3)]
    yield f"The validity gate on the published logs. {in_short(lines)}\n\n" + "\n".join(
        [*head, *rows]
    )


def _shown(result: StudyResult) -> Iterator[str]:
    """What the intervals show under the corrected loads, and what they do not."""
    loads = {load.name: load for _, rows in replay_groups(result) for load in corrected_loads(rows)}
    sentences = []
    for load in loads.values():
        rows = [r for r in result.comparisons if (r.load, r.metric) == (load.name, "throughput")]
        for at in dict.fromkeys((row.baseline, row.point) for row in rows):
            same = [row for row in rows if (row.baseline, row.point) == at]
            sentences += list(_sentences(load, same))
    if sentences:
        yield "What the intervals show:\n\n" + "\n".join(f"- {each}" for each in sentences)


def _sentences(load: LoadInfo, rows: Sequence[Comparison]) -> Iterator[str]:
    where = f"against {rows[0].baseline} ({load.title}, {rows[0].point})"
    for outcome, said in (("better", "More"), ("worse", "Fewer")):
        told = [f"{row.arm} {_ratio(row)}" for row in rows if row.outcome == outcome]
        if told:
            yield f"{said} requests per second {where}: {', '.join(told)}."
    same = [
        f"{row.arm} {_ratio(row)}{_least(row)}"
        for row in rows
        if row.outcome == "no difference shown"
    ]
    if same:
        yield f"No difference shown {where}: {', '.join(same)}."
    unsure = [row.arm for row in rows if row.outcome == "no result"]
    if unsure:
        yield f"Nothing can be said {where} of: {', '.join(unsure)}."


def _ratio(row: Comparison) -> str:
    if row.ratio is None:
        return words.NO_RESULT
    return f"{words.ratio(row.ratio.value)} ({words.interval(row.ratio, words.ratio)})"


def _least(row: Comparison) -> str:
    if row.smallest_detectable is None:
        return ""
    return f", one of {units.percent(row.smallest_detectable)} would have been"


def _without(result: StudyResult) -> Iterator[str]:
    """What has no result, and why."""
    failed = {failure.arm: failure.reason for failure in result.failures}
    refused = {
        f"{cell.arm} under {cell.load}": cell.reasons[0].text
        for cell in result.cells
        if words.is_refused(cell)
    }
    if failed or refused:
        lines = [f"- {name}: {reason}" for name, reason in (failed | refused).items()]
        yield "What could not be measured:\n\n" + "\n".join(lines)


def _line(fields: Sequence[str]) -> str:
    return (
        "| " + " | ".join(field.replace("|", "\\|").replace("\n", " ") for field in fields) + " |"
    )
