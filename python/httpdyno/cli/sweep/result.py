"""A sweep as a result for other programs: a cell for each point."""

from __future__ import annotations

from collections.abc import Sequence

from httpdyno import __version__, engine
from httpdyno.cli.load.output.result import load_info
from httpdyno.cli.serve.recording import own_command
from httpdyno.cli.sweep.program import Program
from httpdyno.host.facts import machine_facts
from httpdyno.output.printable import printable
from httpdyno.output.secrets import masked_url
from httpdyno.result import StudyResult
from httpdyno.statistics.single import SingleMeasurement, Subject, result_of_singles
from httpdyno.sweep import Point, shown

__all__ = ["result"]


def result(
    program: Program, points: Sequence[Point], answered: str, *, complete: bool
) -> StudyResult:
    """The points of a sweep, of which there is one at least, as a result."""
    load = load_info(program.plan, points[0].measurement)
    described = f"{program.span}, the first: {load.description}"
    subject = Subject(
        verb="sweep",
        url=printable(masked_url(program.url)),
        load=load.model_copy(update={"description": described}),
        answer=answered,
        command=own_command(),
        httpdyno_version=__version__,
        seed=program.plan.seed,
        complete=complete,
        machine=machine_facts(),
    )
    singles = [
        SingleMeasurement(
            point=f"{shown(point.rate_per_s)}/s",
            rate_per_s=point.rate_per_s,
            measurement=point.measurement,
            status=point.verdict,
            reasons=point.reasons,
        )
        for point in points
    ]
    return result_of_singles(subject, singles, engine.quantiles)
