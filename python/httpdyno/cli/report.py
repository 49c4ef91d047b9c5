"""`httpdyno report`: write the report of a study again from its `result.json`."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from httpdyno.cli.exports import ExportOption, read_exports, write_exports
from httpdyno.cli.faults import Faults
from httpdyno.cli.store import StoreOption, read_store
from httpdyno.cli.values import Values
from httpdyno.errors import UsageError

if TYPE_CHECKING:
    from httpdyno.result import StudyResult


def report(
    source: Annotated[
        str,
        typer.Argument(
            metavar="RESULT",
            help="A results folder or its result.json; or a study or run number in the store.",
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Folder to write to [default: the folder of the result]."),
    ] = None,
    charts: Annotated[
        bool, typer.Option("--charts", help="Also write each chart as PNG and SVG, to charts/.")
    ] = False,
    summary: Annotated[
        Path | None,
        typer.Option(help="Write only this file: the result without its single trials."),
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option(
            help="Write only this PNG, for a replay: published, rerun and corrected side by side."
        ),
    ] = None,
    export: ExportOption = None,
    database: StoreOption = None,
) -> None:
    """Write the report of a study again, from its result.json or from the stored trials.

    Every trial is in the store as soon as it is measured, so an interrupted study has a report too.

    Example: httpdyno report demo

    Example: httpdyno report results/demo --out /tmp/demo-report

    Example: httpdyno report results/demo --charts

    Example: httpdyno report results/demo --summary demo.json

    Example: httpdyno report demo --export markdown=pr.md
    """
    from httpdyno.report import write_picture, write_report, write_summary
    from httpdyno.running.results_folder import new_folder

    faults = Faults("httpdyno report --help")
    values = Values(faults)
    exports = read_exports(values, export or ())
    url = read_store(values, database)
    faults.raise_any()
    result, folder = _result(source, url)
    write_exports(result, exports)
    only_exports = bool(exports) and out is None and not charts
    if summary is None and picture is None and not only_exports:
        into = out or folder or new_folder(result.name)
        typer.echo(write_report(result, into, charts=charts).html)
    if summary is not None:
        typer.echo(write_summary(result, summary))
    if picture is None:
        return
    written = write_picture(result, picture)
    for file in written:
        typer.echo(file)
    if not written:
        lack = "no results" if result.published else "no published numbers"
        raise UsageError(
            f"`--picture`: `{source}` has {lack} to draw: expected a replay with results",
            hint=f"`httpdyno report {shlex.quote(source)} --charts` writes every chart",
        )


def _result(source: str, store_url: str | None) -> tuple[StudyResult, Path | None]:
    """The result, and the folder that its report belongs into, if it has one on this machine."""
    path = Path(source)
    if path.exists() or path.suffix == ".json":
        from httpdyno.report.result_json import read

        return read(path), path if path.is_dir() else path.parent
    from httpdyno.run import stored_study_result

    return stored_study_result(source, store_url)
