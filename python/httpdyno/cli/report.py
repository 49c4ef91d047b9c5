"""`httpdyno report`: write the report of a study again from its `result.json`."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from httpdyno.errors import UsageError


def report(
    path: Annotated[
        Path, typer.Argument(help="Result folder of a study, or the result.json in it.")
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
) -> None:
    """Write the report of a study again, from its result.json.

    Example: httpdyno report results/demo --out /tmp/demo-report

    Example: httpdyno report results/demo --charts

    Example: httpdyno report results/demo --summary demo.json
    """
    from httpdyno.report import write_picture, write_report, write_summary
    from httpdyno.report.result_json import read

    result = read(path)
    if summary is None and picture is None:
        folder = out if out is not None else (path if path.is_dir() else path.parent)
        typer.echo(write_report(result, folder, charts=charts).html)
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
            f"`--picture`: `{path}` has {lack} to draw: expected a replay with results",
            hint=f"`httpdyno report {shlex.quote(str(path))} --charts` writes every chart",
        )
