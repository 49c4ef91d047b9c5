"""`httpdyno report`: render a study's report again from its JSON twin."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

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
        typer.Option("--out", "-o", help="Folder to write to [default: the folder that it is in]."),
    ] = None,
    images: Annotated[
        bool, typer.Option("--images/--no-images", help="Also write each chart as PNG and SVG.")
    ] = True,
    summary: Annotated[
        Path | None,
        typer.Option(help="Write only this file: the result without its single restarts."),
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option(help="Write only this PNG: published, rerun and corrected side by side."),
    ] = None,
) -> None:
    """Write the report of a study again, from its result.json or from the stored trials.

    Every trial is in the store as soon as it is measured, so an interrupted study has a report too.

    Example: httpdyno report demo

    Example: httpdyno report results/demo --out /tmp/demo-report

    Example: httpdyno report results/demo --summary demo.json --picture demo.png
    """
    from httpdyno.report import write_picture, write_report, write_summary

    result, folder = _result(source)
    if summary is None and picture is None:
        typer.echo(write_report(result, out or folder, images=images).html)
    if summary is not None:
        typer.echo(write_summary(result, summary))
    for written in write_picture(result, picture) if picture is not None else ():
        typer.echo(written)


def _result(source: str) -> tuple[StudyResult, Path]:
    """The result, and the folder that its report belongs into."""
    path = Path(source)
    if path.exists() or path.suffix == ".json":
        from httpdyno.report.result_json import read

        return read(path), path if path.is_dir() else path.parent
    from httpdyno.run import stored_study_result

    return stored_study_result(source)
