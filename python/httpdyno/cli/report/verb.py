"""`httpdyno report`: write the report of a study again, in any format."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from httpdyno.cli import shared_flags as shared
from httpdyno.cli.exports import read_exports, write_exports
from httpdyno.cli.faults import Faults
from httpdyno.cli.flags import argument, option, some_of
from httpdyno.cli.report.source import named_result
from httpdyno.cli.store import read_store
from httpdyno.cli.values import Values
from httpdyno.errors import UsageError
from httpdyno.output.echo import echo
from httpdyno.output.files import check_folder
from httpdyno.output.places import quoted_path

if TYPE_CHECKING:
    from httpdyno.result import StudyResult
    from httpdyno.run import NamedResult

FORMATS = ("html", "md", "png", "svg", "pdf", "json", "csv")
_USUAL = ("html", "md", "json")
_HELP = "httpdyno report --help"


def report(  # noqa: PLR0913, PLR0917 - a flag each
    source: Annotated[
        str,
        argument(
            "RESULT",
            "A results folder or its result.json; or a study or run number in the store",
        ),
    ],
    out: Annotated[
        Path | None,
        option("--out DIR", "Folder to write to (default: the folder of the result)", short="-o"),
    ] = None,
    formats: Annotated[
        list[str] | None,
        option(
            "--format FORMAT",
            f"Only these files: {', '.join(FORMATS)}; several with commas, or repeated"
            f" (default {','.join(_USUAL)})",
            complete=some_of(*FORMATS),
        ),
    ] = None,
    charts: Annotated[
        bool, option("--charts", "Also write each chart as PNG and SVG, to charts/")
    ] = False,
    opened: shared.Open = False,
    summary: Annotated[
        Path | None,
        option("--summary FILE", "Write only this file: the result without its single trials"),
    ] = None,
    picture: Annotated[
        Path | None,
        option(
            "--picture FILE",
            "Write only this PNG, for a replay: published, rerun and corrected side by side",
        ),
    ] = None,
    export: shared.Export = None,
    database: shared.Store = None,
) -> None:
    """Write the report of a study again, from its result.json or from the stored trials.

    Every trial is in the store as soon as it is measured, so an interrupted study has a report too.

    Example: httpdyno report demo --open

    Example: httpdyno report results/demo --out /tmp/demo-report

    Example: httpdyno report results/demo --format pdf

    Example: httpdyno report results/demo --format html,svg,csv

    Example: httpdyno report results/demo --summary demo.json

    Example: httpdyno report demo --export markdown=pr.md
    """
    faults = Faults(_HELP)
    values = Values(faults)
    exports = read_exports(values, export or ())
    chosen = _formats(values, formats or (), charts=charts, opened=opened)
    url = read_store(values, database)
    faults.raise_any()
    if out is not None:
        check_folder(out)
    found = named_result(source, url)
    result = found.result
    write_exports(result, exports, run=found.run, origin=found.origin)
    only_exports = bool(exports) and out is None and not (formats or charts or opened)
    if summary is None and picture is None and not only_exports:
        from httpdyno.running.results_folder import new_folder

        folder = out or found.folder or new_folder(result.name, "--out")
        _write(found, folder, chosen, opened=opened)
    _write_single(result, source, summary, picture)


def _formats(values: Values, texts: Sequence[str], *, charts: bool, opened: bool) -> Sequence[str]:
    """The formats to write; what is wrong with them is added to the faults."""
    named = [part.strip() for text in texts for part in text.split(",")]
    found = {one for one in named if values.choice("--format", one, FORMATS)}
    if not texts:
        found.update(_USUAL)
    if charts:
        found.update(("png", "svg"))
    if opened:
        found.add("html")
    return [one for one in FORMATS if one in found]


def _write(found: NamedResult, folder: Path, formats: Sequence[str], *, opened: bool) -> None:
    """Write the files and name the page; without a page, name each file."""
    from httpdyno.report import write_csv, write_files

    written = dict(write_files(found.result, folder, formats))
    if "csv" in formats:
        from httpdyno.export.trials import Run, runs_csv

        numbered = Run(found.result, found.run, found.origin)
        written["csv"] = write_csv(runs_csv([numbered]), folder)
    page = written.get("html")
    for file in dict.fromkeys(written.values()) if page is None else [page]:
        echo(str(file))
    if opened and page is not None:
        from httpdyno.cli.report.browser import open_page

        open_page(page)


def _write_single(
    result: StudyResult, source: str, summary: Path | None, picture: Path | None
) -> None:
    from httpdyno.report import write_picture, write_summary

    if summary is not None:
        echo(str(write_summary(result, summary)))
    if picture is None:
        return
    written = write_picture(result, picture)
    for file in written:
        echo(str(file))
    if not written:
        lack = "no results" if result.published else "no published numbers"
        raise UsageError(
            f"`--picture`: `{source}` has {lack} to draw: expected a replay with results",
            hint=f"`httpdyno report {quoted_path(source)} --charts` writes every chart",
        )
