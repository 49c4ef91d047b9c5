"""Measures the points of a sweep, one after the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic, sleep

from httpdyno.cli.load.first_connection import wait_for_connection
from httpdyno.cli.load.machines import (
    follow_here,
    generator_of,
    replies_in_flight,
    server_here,
)
from httpdyno.cli.signals import Stop, stoppable
from httpdyno.cli.sweep.program import Program
from httpdyno.errors import HttpdynoError
from httpdyno.running.live.events import Events, PlanBegins, PointEnds, TrialBegins
from httpdyno.running.machines.generator import Generator
from httpdyno.running.measuring.server_processors import processors_of_server
from httpdyno.sweep import Point, point_of, shown
from httpdyno.verdict import Context, judge

__all__ = ["MeasuredPoints", "measure_points"]

PAUSE_S = 0.1
"""The longest time within which a request to stop ends the pause between two points."""


@dataclass(frozen=True)
class MeasuredPoints:
    """The points that were measured, and what ended the sweep early, if anything."""

    points: list[Point]
    interrupted: bool = False
    fault: HttpdynoError | None = None


def measure_points(
    program: Program,
    events: Events,
    say: Callable[[str], None],
    *,
    cool_down_s: float,
    ends_at: Callable[[Point], bool],
) -> MeasuredPoints:
    """Measures the points until `ends_at` one of them, the last rate or a request to stop, which
    `say` answers.

    Raises what stops the first point, such as TargetError; of a later one it is returned.
    """
    points: list[Point] = []
    with (
        generator_of(program.flags, program.plan) as generator,
        stoppable(ask=_between, say=say) as stop,
    ):
        for place, rate_per_s in enumerate(program.rates.per_s):
            if points:
                _pause(stop, cool_down_s)
            if stop.requested:
                break
            events.send(_begins(program, place, cool_down_s))
            try:
                point = _point(program, generator, rate_per_s, events, stop)
            except HttpdynoError as fault:
                if not points:
                    raise
                return MeasuredPoints(points, fault=fault)
            finally:
                stop.ask, stop.waiting_for = _between, None
            if not point.interrupted or point.measurement.calls.due:
                points.append(point)
                events.send(PointEnds(point))
            if ends_at(point):
                break
        return MeasuredPoints(points, interrupted=stop.requested)


def _begins(program: Program, place: int, cool_down_s: float) -> TrialBegins:
    """A point as a trial."""
    rates = program.rates.per_s
    return TrialBegins(
        number=place + 1,
        of=len(rates),
        left_s=program.seconds(rates[place]) + cool_down_s * (len(rates) - place - 1),
        arm=program.title,
        load=program.unit,
        point=f"{shown(rates[place])}/s",
    )


def _between() -> None:
    """Between two points nothing has to be stopped: the pause ends by itself."""


def _pause(stop: Stop, seconds: float) -> None:
    """Waits, until a request to stop. In short steps: a signal that comes just before a wait does
    not end it, and one in the midst of `Event.wait` could not set that event."""
    ends_at = monotonic() + seconds
    while not stop.requested and (left_s := ends_at - monotonic()) > 0:
        sleep(min(PAUSE_S, left_s))


def _point(
    program: Program, generator: Generator, rate_per_s: float, events: Events, stop: Stop
) -> Point:
    plan = program.at(rate_per_s)
    events.send(PlanBegins(plan))
    server = server_here(generator, plan)
    with generator.start(plan) as running:
        stop.ask, stop.waiting_for = running.stop, lambda: replies_in_flight(running, plan)
        if stop.requested:
            running.stop()
        if program.flags is None or program.flags.on is None:  # other machines may reach more
            wait_for_connection(running, plan)
        readings = follow_here(server, running, events.on_progress)
        measurement, contention = running.result(), None
        if server is not None and readings is not None:
            contention = processors_of_server(server, readings, measurement).contention
    if not program.keep_secrets:
        plan, measurement = plan.without_secrets(), measurement.without_secrets()
    verdict = judge(measurement, Context(plan, settings=program.settings, contention=contention))
    return point_of(rate_per_s, measurement, verdict, program.times)
