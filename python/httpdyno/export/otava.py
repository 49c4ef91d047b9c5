"""CSV for Apache Otava, one row per run, and the `otava.yaml` that reads it.

Otava reads no empty field, so a row has every column or is left out.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from httpdyno.dates import format_time
from httpdyno.export.numbers import Number, numbers
from httpdyno.output.printable import printable
from httpdyno.result import StudyResult

ATTRIBUTES = ("study", "versions", "httpdyno", "machine")
COMMON = 0.8
"""A column is written if so many of the runs have its number."""


@dataclass(frozen=True)
class OtavaTable:
    """The runs as a table: the columns are metrics by name."""

    columns: Mapping[str, Number]
    """Each with its number in the newest run."""
    rows: Sequence[Sequence[str]]
    left_out: int
    """Runs that lack one of the columns."""

    @property
    def csv(self) -> str:
        """The table as CSV."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["time", *ATTRIBUTES, *self.columns])
        writer.writerows(self.rows)
        return text.getvalue()

    def config(self, test: str, file: str) -> str:
        """An `otava.yaml` for the CSV in `file`; quoted as JSON, which is YAML too."""
        lines = [
            "tests:",
            f"  {_quote(printable(test))}:",
            "    type: csv",
            f"    file: {_quote(printable(file))}",
            "    time_column: time",
            f"    attributes: [{', '.join(ATTRIBUTES)}]",
            "    metrics:",
        ]
        for column, number in self.columns.items():
            direction = 1 if number.metric.more_is_better else -1
            lines.append(f"      {_quote(column)}: {{direction: {direction}}}")
        return "\n".join(lines) + "\n"


def otava(results: Sequence[StudyResult]) -> OtavaTable:
    """The valid numbers of several runs, oldest first."""
    ordered = sorted(results, key=lambda result: result.started_at)
    found = [(result, _numbers(result)) for result in ordered]
    newest = found[-1][1] if found else {}
    columns = {
        name: number
        for name, number in newest.items()
        if sum(name in row for _, row in found) >= COMMON * len(found)
    }
    rows = [
        [*_attributes(result), *(repr(row[name].value) for name in columns)]
        for result, row in found
        if columns.keys() <= row.keys()
    ]
    return OtavaTable(columns, rows, len(found) - len(rows))


def _numbers(result: StudyResult) -> dict[str, Number]:
    return {
        f"{number.place} · {number.metric.name} ({number.metric.unit.name})": number
        for number in numbers(result)
        if number.status == "valid"
    }


def _attributes(result: StudyResult) -> list[str]:
    versions = {arm.server: arm.version for arm in result.arms if arm.version}
    machine = {fact.label: fact.value for fact in result.machine}
    listed = ", ".join(f"{server} {version}" for server, version in versions.items())
    named = ", ".join(machine[key] for key in ("processor", "cores", "kernel") if key in machine)
    texts = (result.name, listed, result.httpdyno_version, named)
    return [_moment(result.started_at), *(printable(text) or "unknown" for text in texts)]


def _moment(unix_s: float) -> str:
    return format_time(round(unix_s), "%Y-%m-%d %H:%M:%S +0000", "unknown time")


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
