"""`--export FORMAT=FILE`: a result written for other programs, by several verbs.

The files are named and checked before the work begins, and written when it has ended:

    exports = read_exports(values, texts)   # faults of the command line, all at once
    check_exports(exports)                  # can each file be written?
    write_exports(result, exports, checks)  # the checks are what the verb judged, if anything

`load` and `sweep`, which write other files too, check and write all of them together, by
`parse_exports` and `exported`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from httpdyno.cli.values import Values
from httpdyno.output.echo import echo
from httpdyno.output.files import check_file, write_file

if TYPE_CHECKING:
    from httpdyno.export import Check
    from httpdyno.result import StudyResult

__all__ = [
    "NAMES",
    "Export",
    "check_exports",
    "export_text",
    "parse_exports",
    "read_exports",
    "write_exports",
]

NAMES = (
    *("markdown", "junit", "bencher", "github-bigger", "github-smaller", "openmetrics", "csv"),
    "csv-endpoints",
)
"""The formats, named here too: importing them would slow down `--help`. A test compares them."""


@dataclass(frozen=True)
class Export:
    """A file to write, and its format."""

    format: str
    file: Path

    @property
    def flag(self) -> str:
        """The flag as errors name it, before the file."""
        return f"--export {self.format}"


def parse_exports(values: Values, texts: Sequence[str]) -> list[Export]:
    """The exports of a command line; what is wrong with each is added to the faults."""
    return [export for text in texts if (export := values.read("--export", text, _parse_export))]


def read_exports(values: Values, texts: Sequence[str]) -> list[Export]:
    """The exports of a command line, each to a file of its own; what is wrong with them is added
    to the faults."""
    found = parse_exports(values, texts)
    for at, export in enumerate(found):
        if export.file in [other.file for other in found[:at]]:
            values.faults.add(f"`--export`: `{export.file}` was given twice: expected one format")
    return found


def check_exports(exports: Sequence[Export]) -> None:
    """Raises EnvironmentFault for a file that cannot be written; leaves nothing behind."""
    for export in exports:
        check_file(export.file)


def write_exports(
    result: StudyResult,
    exports: Sequence[Export],
    checks: Sequence[Check] = (),
    *,
    run: int | None = None,
    origin: str = "",
) -> None:
    """Writes each file. Raises EnvironmentFault when one cannot be written.

    `run` and `origin` are the result's number in the store, and where it was measured.
    """
    for export in exports:
        write_file(export.file, export_text(result, export, checks, run=run, origin=origin))
        echo(f"{export.format}: {export.file}", err=True)


def export_text(
    result: StudyResult,
    export: Export,
    checks: Sequence[Check] = (),
    *,
    run: int | None = None,
    origin: str = "",
) -> str:
    """The result in the format of an export; `run` and `origin` as of `write_exports`."""
    from httpdyno.export import FORMATS
    from httpdyno.export.trials import Run, runs_csv, runs_endpoints_csv

    tables = {"csv": runs_csv, "csv-endpoints": runs_endpoints_csv}
    if (table := tables.get(export.format)) is not None:
        return table([Run(result, run, origin)])
    return FORMATS[export.format].write(result, checks)


def _parse_export(text: str) -> Export:
    name, equals, file = text.partition("=")
    if not equals or name not in NAMES or not file:
        formats = ", ".join(f"`{known}`" for known in NAMES)
        raise ValueError(
            f"expected FORMAT=FILE, such as `markdown=pr.md`, with a format of {formats}"
        )
    try:
        file.encode()
    except UnicodeEncodeError:
        raise ValueError("expected the name of a file in UTF-8") from None
    return Export(name, Path(file))
