"""Markdown for a comment on a pull request: the answer, a table, and the doubts folded away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from httpdyno import units
from httpdyno.export.checks import Check
from httpdyno.history.metrics import estimate_of
from httpdyno.metrics import COLUMNS, COMPARED, FEW, OF_DATABASE, OF_ENDPOINTS, Metric
from httpdyno.output.markdown_text import code, table, text
from httpdyno.output.slugs import slug
from httpdyno.result import CellRow, Comparison, Estimate, Status, StudyResult
from httpdyno.statistics.claims.sentences import LEAST_DIFFERENCE
from httpdyno.statistics.doubts import by_kind, of_the_first

MOST_CHARACTERS = 60_000
"""GitHub takes 65,536 in a comment, GitLab more."""
_LONGEST_ANSWER = 4000
_PARTLY = "valid except for single numbers"
_OF_ENDPOINTS = {metric.heading: metric for metric in OF_ENDPOINTS}
"""The numbers of an endpoint, by their headings."""
_SIGNS = {
    "passed": "✅ passed",
    "failed": "❌ failed",
    "cannot tell": "⚠️ cannot tell",
    "no result": "⚪ no result",
}


def markdown(result: StudyResult, checks: Sequence[Check] = ()) -> str:
    """The answer first; then checks, numbers and comparisons as tables; doubts and conditions.

    It begins with a comment by which a workflow finds its earlier comment and replaces it.
    """
    page = _Page()
    page.add(f"<!-- httpdyno: {slug(result.name) or 'result'} -->")
    page.add(f"### {text(result.title, 200)}")
    page.add(text(result.answer, _LONGEST_ANSWER))
    if checks:
        page.table(("check", "outcome", "observed"), map(_check, checks))
    columns = _columns(result)
    headings = ("load", "arm", *(metric.heading for metric in columns), "verdict")
    page.table(headings, _cells(result, columns))
    headings = ("load", "arm", "capacity", "within", "fresh starts that held", "verdict")
    page.table(headings, _capacities(result))
    page.table(
        ("compared", "load", "metric", "ratio (95 % CI or wider)", "outcome"), _comparisons(result)
    )
    page.table(("load", "arm", "endpoint", *_OF_ENDPOINTS), _endpoints(result))
    for cell in result.cells:
        if cell.shape is not None:
            where = code(f"{cell.arm} · {cell.load} · {cell.point}", 200)
            page.add(f"{where}: {text(cell.shape.text)}.")
    page.fold(_doubts_in_short(result), _doubts(result))
    page.fold("How it was measured", _conditions(result))
    return page.whole_text()


class _Page:
    """Blocks of Markdown that stay within the length of a comment."""

    def __init__(self) -> None:
        self._blocks: list[str] = []
        self._left = MOST_CHARACTERS

    def add(self, block: str) -> None:
        """Add a block if there is room for it."""
        if len(block) + 2 <= self._left:
            self._blocks.append(block)
            self._left -= len(block) + 2

    def table(self, headings: Sequence[str], rows: Iterator[Sequence[str]]) -> None:
        """Add a table; nothing for one without rows."""
        lines = table(headings, rows).split("\n")
        self._lines(lines[:2], lines[2:], [])

    def fold(self, summary: str, lines: Iterator[str]) -> None:
        """Add a list that opens on a click; nothing for one without lines."""
        head = ["<details>", f"<summary>{summary}</summary>", ""]
        self._lines(head, [f"- {line}" for line in lines], ["", "</details>"])

    def whole_text(self) -> str:
        """The whole text."""
        return "\n\n".join(self._blocks) + "\n"

    def _lines(self, head: list[str], lines: list[str], tail: list[str]) -> None:
        room = self._left - sum(len(line) + 1 for line in [*head, *tail]) - 100
        kept = []
        for line in lines:
            room -= len(line) + 1
            if room < 0:
                break
            kept.append(line)
        if kept:
            self.add("\n".join([*head, *kept, *tail]))
        if len(kept) < len(lines):
            self.add(f"… and {len(lines) - len(kept):,} more: see the report.")


def _check(check: Check) -> Sequence[str]:
    return text(check.name), _SIGNS[check.outcome], text(check.text)


def _columns(result: StudyResult) -> Sequence[Metric]:
    """A few metrics, those of a database too; of what was not repeated all that it has."""
    every = (*COLUMNS, *OF_DATABASE)
    found = [one for one in every if any(estimate_of(cell, one) for cell in result.cells)]
    if result.blocks_planned:
        return [*FEW, *(one for one in found if one.of_database)]
    return found


def _cells(result: StudyResult, columns: Sequence[Metric]) -> Iterator[Sequence[str]]:
    for cell in (one for one in result.cells if one.capacity is None):
        shown = [
            _estimate(
                cell,
                estimate_of(cell, one),
                one.in_column,
                cell.status_of(one.number),
                single=not result.blocks_planned,
            )
            for one in columns
        ]
        yield code(f"{cell.load} · {cell.point}", 120), code(cell.arm, 120), *shown, _verdict(cell)


def _endpoints(result: StudyResult) -> Iterator[Sequence[str]]:
    for cell in result.cells:
        for one in cell.endpoints:
            shown = [
                _estimate(
                    cell,
                    getattr(one, metric.column),
                    metric.in_column,
                    cell.status_of(metric.number),
                    single=not result.blocks_planned,
                )
                for metric in _OF_ENDPOINTS.values()
            ]
            place = code(f"{cell.load} · {cell.point}", 120), code(cell.arm, 120)
            yield *place, code(one.name, 120), *shown


def _capacities(result: StudyResult) -> Iterator[Sequence[str]]:
    for cell in result.cells:
        if (found := cell.capacity) is None:
            continue
        least = "at least " if found.high_is_bound else ""
        shown = _estimate(cell, found.capacity_per_s, units.rate, cell.status, least)
        if found.at_least_per_s is not None and cell.status != "invalid":
            shown = f"at least {units.rate(found.at_least_per_s)}"
        held = f"{found.held} of {found.confirmations}" if found.confirmations else "not tried"
        place = code(f"{cell.load} · {cell.point}", 120), code(cell.arm, 120)
        yield *place, shown, text(found.limits_in_words), held, _verdict(cell)


def _estimate(
    cell: CellRow,
    value: Estimate | None,
    form: Callable[[float], str],
    status: Status,
    least: str = "",
    *,
    single: bool = False,
) -> str:
    doubt = ", suspect" if status == "suspect" else ""
    if value is None or cell.status == "invalid":
        return "–"
    if value.low is None or value.high is None:
        without = f"no interval{doubt}" if not single else doubt.removeprefix(", ")
        return f"{form(value.value)} ({without})" if without else form(value.value)
    return f"{form(value.value)} ({form(value.low)} to {least}{form(value.high)}{doubt})"


def _verdict(cell: CellRow) -> str:
    if not cell.trials and not cell.reasons:
        return "not measured"
    return "invalid: no result" if cell.status == "invalid" else cell.status


def _comparisons(result: StudyResult) -> Iterator[Sequence[str]]:
    cells = {(cell.arm, cell.load, cell.point): cell for cell in result.cells}
    for one in result.comparisons:
        pair = [cells.get((name, one.load, one.point)) for name in (one.arm, one.baseline)]
        doubt = ", suspect" if any(_is_suspect(cell, one) for cell in pair if cell) else ""
        yield (
            f"{code(one.arm, 120)} to {code(one.baseline, 120)}",
            code(f"{one.load} · {one.point}", 120),
            one.metric,
            _ratio(one, doubt),
            _outcome(one, _decision(result, one)),
        )


def _is_suspect(cell: CellRow, one: Comparison) -> bool:
    """True if the number that is compared is suspect in a cell."""
    return cell.status_of(one.number) == "suspect"


def _ratio(one: Comparison, doubt: str) -> str:
    ratio = one.ratio
    if ratio is None:
        return "–"
    common = f", {one.in_common}" if one.in_common else ""
    if ratio.low is None or ratio.high is None:
        return f"{units.times(ratio.value)} (no interval{common}{doubt})"
    interval = f"{units.times(ratio.low)} to {units.times(ratio.high)}"
    return f"{units.times(ratio.value)} ({interval}{common}{doubt})"


def _decision(result: StudyResult, one: Comparison) -> str | None:
    """The decision that rests on a comparison, if there is one: the checks have the same."""
    compared = one.arm, one.baseline, one.metric, one.point, one.ratio
    for row in result.decisions:
        if (row.arm, row.baseline, row.metric, row.point, row.ratio) == compared:
            return row.decided
    return None


def _outcome(one: Comparison, decided: str | None) -> str:
    least, said = one.smallest_detectable, decided or one.outcome
    if one.outcome != "no difference shown" or least is None or least < LEAST_DIFFERENCE:
        return said
    found = units.detectable(least, drop=COMPARED[one.metric].more_is_better)
    return f"{said} (detectable: {found})"


def _doubts_in_short(result: StudyResult) -> str:
    """`2 of 9 results are suspect, 1 is invalid; 1 arm was left out`."""
    measured = [cell for cell in result.cells if cell.trials or cell.reasons]
    count = Counter(cell.status for cell in measured)
    partly = sum(cell.status == "valid" and bool(cell.doubted) for cell in measured)
    numbers = {"suspect": count["suspect"], "invalid": count["invalid"], _PARTLY: partly}
    parts = [
        f"{number} of {len(measured)} results {_are(number)} {status}"
        for status, number in numbers.items()
        if number
    ]
    if result.failures:
        arms = len({failure.arm for failure in result.failures})
        parts.append(f"{arms} {'arm was' if arms == 1 else 'arms were'} left out")
    return ", ".join(parts)


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _doubts(result: StudyResult) -> Iterator[str]:
    """The arms left out, then each kind of doubt once."""
    for failure in result.failures:
        yield f"{code(failure.arm, 120)} was left out: {text(failure.reason)}"
    for reason, cells in by_kind(result):
        first = cells[0]
        others = f" and {len(cells) - 1:,} more" if len(cells) > 1 else ""
        where = code(f"{first.arm} · {first.load} · {first.point}", 200)
        there = "; the others have other numbers" if of_the_first(reason, cells) else ""
        said = f"{text(reason.text)}{there}. Hint: {text(reason.hint)}"
        yield f"{where}{others} ({reason.status}): {said}"


def _conditions(result: StudyResult) -> Iterator[str]:
    plural = "s" if result.blocks_planned != 1 else ""
    blocks = f"{result.blocks_done} of {result.blocks_planned} block{plural}, seed {result.seed}"
    how = blocks if result.blocks_planned else result.question
    yield f"{code(result.command)}, httpdyno {text(result.httpdyno_version, 50)}, {text(how)}"
    for arm in result.arms:
        version = f", version {text(arm.version)}" if arm.version else ""
        yield f"{code(arm.name, 120)}: {text(arm.description)}{version}"
    for fact in result.facts:
        doubt = f" (doubt: {text(fact.doubt)})" if fact.doubt else ""
        yield f"{text(fact.label, 100)}: {text(fact.value)}{doubt}"
