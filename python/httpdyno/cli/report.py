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
) -> None:
    """Write the report of a finished study again, from its result.json.

    Example: httpdyno report results/demo --out /tmp/demo-report
    """
    from httpdyno.report import write_report
    from httpdyno.report.twin import read

    result = read(path)
    folder = out if out is not None else (path if path.is_dir() else path.parent)
    typer.echo(write_report(result, folder, images=images).html)
