"""The answer of a sweep, as text and as the title of its chart.

A sweep is a study with one arm and one load: its points are all rates that were to be measured.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from oracle.numbers import is_printed, number
from oracle.raw import Key, Point
from oracle.reading import Form, Heard


def _arm(heard: Heard) -> str:
    return heard.lab.arms[0].name


def _points(heard: Heard) -> list[Point]:
    return sorted(heard.lab.loads[0].points, key=lambda one: one.rate or 0.0)


def _key(heard: Heard, point: Point) -> Key:
    return _arm(heard), heard.lab.loads[0].name, point.label


def _measured(heard: Heard) -> list[Point]:
    return [point for point in _points(heard) if heard.lab.of(_key(heard, point))]


def _fell_behind(heard: Heard, points: list[Point]) -> Iterator[str]:
    for point in points:
        if not heard.lab.values(_key(heard, point), "throughput"):
            yield f"nothing is known at {point.label}"
        elif heard.lab.holds(_key(heard, point)) is False:
            yield f"it did not keep up with {point.label}"
        elif heard.lab.is_disturbed(_key(heard, point)):
            yield f"it is not known to have kept up with {point.label}"


def _time(heard: Heard, point: Point) -> Iterator[str]:
    if heard["t"]:
        yield from replace(heard).prints("t", heard.lab.level(_key(heard, point), "p99"))


def _at(heard: Heard, name: str = "v") -> Point | None:
    """The point of a printed rate; a rate that is no point at all is an objection elsewhere."""
    rate = number(heard[name])
    return next(
        (p for p in _points(heard) if p.rate and is_printed(heard[name], p.rate)), None
    ) or (next((p for p in _points(heard) if p.rate == rate), None))


def _every(heard: Heard) -> Iterator[str]:
    measured, planned = _measured(heard), _points(heard)
    if heard["n"]:
        if (int(heard["n"]), int(heard["m"])) != (len(measured), len(planned)):
            yield f"{len(measured)} of {len(planned)} rates were measured"
    elif len(measured) < len(planned):
        yield f"{len(measured)} of {len(planned)} rates were measured, which is not every rate"
    yield from _fell_behind(heard, measured)
    top = _at(heard)
    if not measured or top is None or top != measured[-1]:
        yield f"{heard['v']} is not the highest rate that was measured"
    else:
        yield from _time(heard, top)


def _the_only_one(heard: Heard) -> Iterator[str]:
    measured, planned = _measured(heard), _points(heard)
    if len(measured) != 1 or int(heard["m"]) != len(planned):
        yield f"{len(measured)} of {len(planned)} rates were measured"
    yield from _fell_behind(heard, measured)
    if (top := _at(heard)) is None or top not in measured:
        yield f"{heard['v']} is not the rate that was measured"
    else:
        yield from _time(heard, top)


def _until(heard: Heard) -> Iterator[str]:
    """It kept up to here, and with nothing above it."""
    top = _at(heard)
    if top is None:
        yield f"{heard['v']} is no rate of this sweep"
        return
    place = _points(heard).index(top)
    for point in _points(heard)[: place + 1]:
        # A rate below it may be unknown, which the next sentence says.
        if heard.lab.holds(_key(heard, point)) is False:
            yield f"it did not keep up with {point.label}"
    if not heard.lab.values(_key(heard, top), "throughput"):
        yield f"nothing is known at {top.label}"
    yield from _time(heard, top)
    if "it kept up again" not in heard.said.whole.lower():
        yield from _stopped(heard, _points(heard)[place + 1 :])


def _stopped(heard: Heard, above: list[Point]) -> Iterator[str]:
    for point in above:
        if heard.lab.holds(_key(heard, point)):
            yield f"it kept up with {point.label}"


def _lowest(heard: Heard) -> Iterator[str]:
    lowest = _points(heard)[0]
    if not heard.lab.values(_key(heard, lowest), "throughput"):
        yield f"nothing is known at {lowest.label}"
    elif heard.lab.holds(_key(heard, lowest)):
        yield f"it kept up with {lowest.label}"
    elif heard.lab.is_disturbed(_key(heard, lowest)):
        yield f"it is not known to have fallen behind at {lowest.label}"


def _none_shows(heard: Heard) -> Iterator[str]:
    for point in _measured(heard):
        if heard.lab.holds(_key(heard, point)) is not None:
            yield f"it is known at {point.label}"


def _not_with(heard: Heard) -> Iterator[str]:
    point = _at(heard)
    if point is None or heard.lab.holds(_key(heard, point)) is not False:
        yield f"it is not known to have fallen behind at {heard['v']}"


def _some(heard: Heard) -> Iterator[str]:
    """`3 of 4 rates`: so many did it keep up with, and none is known to be too high."""
    points, planned = _measured(heard), _points(heard)
    held = [point for point in points if heard.lab.holds(_key(heard, point))]
    if int(heard["m"]) != len(points) or int(heard["n"]) != len(held):
        yield f"it kept up with {len(held)} of {len(points)} measured rates"
    if int(heard["k"] or len(points)) != len(planned):
        yield f"{len(planned)} rates were planned"
    if any(heard.lab.holds(_key(heard, point)) is False for point in points):
        yield "it fell behind at one of them"
    if (top := _at(heard)) is not None:
        yield from _time(heard, top)


def _unknown(heard: Heard) -> Iterator[str]:
    point = _at(heard)
    if point is None or not heard.lab.is_unclear(_key(heard, point)):
        yield f"it is known at {heard['v']}"


def _again(heard: Heard) -> Iterator[str]:
    point = _at(heard)
    if point is None or not heard.lab.holds(_key(heard, point)):
        yield f"it did not keep up with {heard['v']}"


def _most(heard: Heard) -> Iterator[str]:
    known = {
        point: level
        for point in _measured(heard)
        if (level := heard.lab.level(_key(heard, point), "throughput")) is not None
    }
    best = max(known, key=lambda point: known[point])
    yield from heard.prints("v", known[best])
    if _at(heard, "at") != best and known[best] > known.get(_at(heard, "at") or best, 0.0) * 1.001:
        yield f"most replies came at {best.label}"


def _here(heard: Heard) -> Iterator[str]:
    point = _at(heard, "at")
    if point is None:
        yield f"{heard['at']} is no rate of this sweep"
        return
    value = heard.lab.level(_key(heard, point), "throughput")
    if "no result" in heard.said.text:
        if value is not None:
            yield f"there is a result at {point.label}"
        return
    yield from heard.prints("v", value)


_HELD = r"<v:rate>(?: \((?:p99|mean) (?:at least )?<t:value>(?:, suspect)?(?:: .+)?\))?"
SWEEPS = (
    Form(
        "No rate shows if the server keeps up", _none_shows, "No rate shows if the server keeps up"
    ),
    Form(
        "The server did not keep up with <v:rate>",
        _not_with,
        "The server did not keep up with 100/s",
    ),
    Form(
        "The server kept up with <n:n> of <m:n> (?:measured )?rates(?: \\(<k:n> planned\\))?, up "
        f"to {_HELD}",
        _some,
        "The server kept up with 3 of 4 rates, up to 800/s (p99 3.20 ms)",
    ),
    Form(
        "Unknown at <v:rate>: .+?(?:; also unknown at <n:n> more rates?)?",
        _unknown,
        "Unknown at 200/s: no result: 41 % of the replies had status 500; also unknown at 2 more "
        "rates",
    ),
    Form(
        f"It kept up again at {_HELD}: measure .+ once more",
        _again,
        "It kept up again at 400/s (p99 3.20 ms): measure 200/s once more",
    ),
    Form("it kept up again at <v:rate>", _again, "it kept up again at 400/s"),
    Form(
        f"The server kept up with every rate, up to {_HELD}",
        _every,
        "The server kept up with every rate, up to 200/s (p99 3.20 ms)",
    ),
    Form(
        f"The server kept up with every measured rate \\(<n:n> of <m:n>\\), up to {_HELD}",
        _every,
        "The server kept up with every measured rate (2 of 4), up to 200/s (p99 3.20 ms)",
    ),
    Form(
        f"The server kept up with {_HELD}, the only one of <m:n> rates that was measured to its"
        " end",
        _the_only_one,
        "The server kept up with 100/s (p99 3.20 ms), the only one of 4 rates that was measured to"
        " its end",
    ),
    Form(
        f"The server kept up with up to {_HELD}",
        _until,
        "The server kept up with up to 100/s (p99 3.20 ms)",
    ),
    Form(
        "The server did not keep up with the lowest rate",
        _lowest,
        "The server did not keep up with the lowest rate",
    ),
    Form(
        "At <at:rate>: (?:<v:rate> replies of <d:rate> due, .+|no result: .+)",
        _here,
        "At 200/s: 180/s replies of 200/s due, p99 1.20 s",
    ),
    Form(
        "The highest reply rate was <v:rate>, with <at:rate> offered",
        _most,
        "The highest reply rate was 800/s, with 800/s offered",
    ),
)
