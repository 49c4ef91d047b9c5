"""`httpdyno report`: render a study's report again from its JSON twin."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def report(
    path: Annotated[
        Path, typer.Argument(help="A study's results: their folder, or the result.json in it.")
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
    """Write the report of a finished study again, from its result.json.

    Example: httpdyno report results/demo --out /tmp/demo-report

    Example: httpdyno report results/demo --summary demo.json --picture demo.png
    """
    from httpdyno.report import write_picture, write_report, write_summary
    from httpdyno.report.result_json import read

    result = read(path)
    if summary is None and picture is None:
        folder = out if out is not None else (path if path.is_dir() else path.parent)
        typer.echo(write_report(result, folder, images=images).html)
    if summary is not None:
        typer.echo(write_summary(result, summary))
    for written in write_picture(result, picture) if picture is not None else ():
        typer.echo(written)
