"""The flags of `httpdyno sweep`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from httpdyno.cli import shared_flags as shared
from httpdyno.cli.flags import argument, one_of, option

__all__ = ["SweepFlags"]


@dataclass(frozen=True)
class SweepFlags:
    """The arguments of `httpdyno sweep`."""

    words: Annotated[
        list[str] | None,
        argument(
            "load|httperf ARGUMENTS",
            "Verb to run at each rate, with its arguments; `--rate` has the rates:"
            " 100..1200/100 (in steps of 100), 100..6400*2 (doubled) or 100,200,500",
            complete=one_of("load", "httperf"),
        ),
    ] = None
    cool_down: Annotated[
        str | None, option("--cool-down TIME", "Pause between points (default 1s)")
    ] = None
    until_errors: Annotated[
        bool, option("--until-errors", "Stop after the first point with failed calls")
    ] = False
    log: Annotated[bool, option("--log", "Draw the response times on a logarithmic axis")] = False
    chart: shared.Chart = None
    csv: Annotated[str | None, option("--csv FILE|-", "Write a line for each point")] = None
    json: Annotated[
        str | None, option("--json FILE|-", "Write the complete measurement of each point")
    ] = None
    report: Annotated[
        str | None, option("--report FILE|-", "Write a page (HTML) with the table and the charts")
    ] = None
    export: shared.Export = None
    github: Annotated[bool, shared.github()] = False
