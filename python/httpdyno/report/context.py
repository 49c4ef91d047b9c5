"""What the page shows, picked from a StudyResult and put into words; no number is made here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from httpdyno import units
from httpdyno.report.charts.catalogue import Drawing, is_large
from httpdyno.report.charts.drawing.style import colour_of
from httpdyno.report.text import words
from httpdyno.report.text.arms import arm_names, coloured, short_names
from httpdyno.report.text.conformance_table import habit_lines, habit_names
from httpdyno.report.text.log_verdicts import in_short, log_lines, refusal
from httpdyno.report.text.replay import replay_groups
from httpdyno.report.text.sections import SECTIONS, SectionText, kind_words
from httpdyno.result import CellRow, Comparison, Estimate, LoadInfo, StudyResult


@dataclass(frozen=True)
class Shown:
    """An estimate as two lines of a table: the value, and its interval or why there is none."""

    value: str
    interval: str


@dataclass(frozen=True)
class CellLine:
    """One cell as a row of the table of all numbers."""

    cell: CellRow
    throughput: Shown
    p50: Shown
    p99: Shown
    errors: Shown
    cpu: Shown
    memory: Shown
    bodies: Shown | None
    """Bytes of reply bodies per second, where bodies are large enough to matter."""
    ceiling: Shown


@dataclass(frozen=True)
class ComparisonLine:
    """One comparison as a row."""

    row: Comparison
    ratio: Shown
    outcome: str


@dataclass(frozen=True)
class LoadLines:
    """A load with the rows of one of its tables."""

    load: LoadInfo
    kind: str
    lines: Sequence[CellLine | ComparisonLine]


@dataclass(frozen=True)
class SectionView:
    """A section of charts."""

    text: SectionText
    charts: list[Drawing]


def context(result: StudyResult, charts: Sequence[Drawing]) -> dict[str, Any]:
    """The template's variables."""
    short, order = short_names(result), coloured(result)
    return {
        "result": result,
        "when": datetime.fromtimestamp(result.started_at, tz=UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "took": _length(result.ended_at - result.started_at),
        "banners": banners(result),
        "sections": [
            SectionView(text, [c for c in charts if c.section == text.section]) for text in SECTIONS
        ],
        "cells": [
            _lines(load, [_cell(c) for c in result.cells if c.load == load.name])
            for load in result.loads
        ],
        "comparisons": [
            _lines(load, [_comparison(c) for c in result.comparisons if c.load == load.name])
            for load in result.loads
        ],
        "doubtful": [cell for cell in result.cells if cell.status != "valid"],
        "doubtful_trials": [
            (cell, trial)
            for cell in result.cells
            if cell.status == "valid"
            for trial in cell.trials
            if trial.status != "valid"
        ],
        "replay": replay_groups(result),
        "replay_charts": [c for c in charts if c.section == "replay"],
        "refusal": refusal,
        "logs": log_lines(result),
        "logs_in_short": in_short(log_lines(result)),
        "habits": habit_names(result),
        "habit_lines": habit_lines(result),
        "changed": changed(result),
        "without_result": words.without_result,
        "kind": kind_words,
        "colour": {name: colour_of(short[name], order) for name in arm_names(result)},
        "rate": units.rate,
    }


def banners(result: StudyResult) -> list[tuple[str, str, str]]:
    """(severity, sentence, section that says why) of all that limits the conclusions."""
    found = []
    refused = sum(words.is_refused(cell) for cell in result.cells)
    invalid = sum(cell.status == "invalid" for cell in result.cells) - refused
    suspect = sum(cell.status == "suspect" for cell in result.cells)
    total = len(result.cells)
    if not result.complete:
        done = f"{result.blocks_done} of {result.blocks_planned} blocks were measured"
        found.append(
            ("invalid", f"Not finished: {done}. Run it again with `--resume` to go on.", "")
        )
    if invalid:
        found.append(("invalid", f"No result: {_cells(invalid, total)}.", "verdicts"))
    if result.failures:
        failed = ", ".join(dict.fromkeys(failure.arm for failure in result.failures))
        found.append(("invalid", f"Could not be measured: {failed}.", "failures"))
    if refused:
        why = "the server cannot do what the load asks"
        found.append(("suspect", f"Refused: {_cells(refused, total)}, {why}.", "verdicts"))
    if suspect:
        found.append(
            ("suspect", f"Suspect, shown with a doubt: {_cells(suspect, total)}.", "verdicts")
        )
    return found


def changed(result: StudyResult) -> dict[str, list[str]]:
    """What was changed for single arms, each change with the arms that it is about."""
    found: dict[str, dict[str, None]] = {}
    for cell in result.cells:
        for note in cell.notes:
            found.setdefault(note, {})[cell.arm] = None
    return {note: list(arms) for note, arms in found.items()}


def _length(seconds: float) -> str:
    if seconds < 120:
        return units.duration(max(0.0, seconds))
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def _cells(count: int, total: int) -> str:
    return f"{count} of {total} cell{'s' if total != 1 else ''}"


def _lines(load: LoadInfo, lines: Sequence[CellLine | ComparisonLine]) -> LoadLines:
    return LoadLines(load, kind_words(load), lines)


def _cell(cell: CellRow) -> CellLine:
    return CellLine(
        cell=cell,
        throughput=_shown(cell.throughput_per_s, units.rate),
        p50=_shown(cell.p50_s, units.duration),
        p99=_shown(cell.p99_s, units.duration),
        errors=_shown(cell.error_share, units.percent),
        cpu=_shown(cell.server_cpu_s_per_request, words.per_request),
        memory=_shown(cell.server_rss_bytes, units.size),
        bodies=_bodies(cell),
        ceiling=_ceiling(cell),
    )


def _bodies(cell: CellRow) -> Shown | None:
    found = cell.body_bytes_per_s
    if found is None or not is_large(cell):
        return None
    return _shown(found, words.bytes_per_s)


def _ceiling(cell: CellRow) -> Shown:
    if cell.ceiling_per_s is None:
        return Shown("not measured", "")
    of = f"of {units.rate(cell.ceiling_per_s)}"
    if cell.ceiling_share is None or cell.status == "invalid":
        return Shown(words.NO_RESULT, of)
    return Shown(units.percent(cell.ceiling_share), of)


def _comparison(row: Comparison) -> ComparisonLine:
    return ComparisonLine(
        row,
        _shown(None if row.outcome == "no result" else row.ratio, words.ratio),
        words.outcome(row),
    )


def _shown(estimate: Estimate | None, form: words.Format) -> Shown:
    if estimate is None:
        return Shown(words.NO_RESULT, "")
    return Shown(form(estimate.value), words.interval(estimate, form))
