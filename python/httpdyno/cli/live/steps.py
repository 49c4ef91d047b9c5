"""The lines about a verb of several steps: a bar, the step under way, the last results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from httpdyno.cli.live.drawing import bar
from httpdyno.cli.live.load import LABEL, charts, errors, generator, place, tried_rates
from httpdyno.cli.live.text import cells, shorten, with_style
from httpdyno.doubts import COLOURS, MARKS, Status
from httpdyno.running.live.pace import Pace, Series
from httpdyno.units import roughly, significant, size

if TYPE_CHECKING:
    from httpdyno.engine import Progress
    from httpdyno.running.live.server_use import ServerNow

__all__ = ["Steps", "overview", "steps_lines"]

_BAR = 40
_LOADED = 0.9
"""The share of a step at the end of its load: the server still has to stop."""
_MOST_RESULTS = 12
_PHASE = 29
"""The room that a phase gets from the first, so that the names beside it stay as they are."""


Names = Sequence[Sequence[str]]
"""The same names in several ways, from the longest to the shortest, as in `shortened`."""


@dataclass(frozen=True)
class Result:
    """The result of a step, as far as it is shown. Texts are printable."""

    mark: str
    text: str
    why: str
    names: Names

    def line(self, width: int) -> str:
        """The result with its names in front, as much of them as there is room for."""
        if not self.names:
            return f"{self.mark} {self.text}{self.why}"
        named = shorten(self.names, width - cells(f"{self.mark} : {self.text}"))
        return f"{self.mark} {named}: {self.text}{self.why}"


@dataclass
class Steps:
    """A verb at work, as far as it is shown. Texts are printable."""

    title: str
    noun: str
    """Of the steps: `trials`."""
    now: Sequence[str] = ()
    """The step under way; several if they run at once."""
    names: Names = ()
    """The names in front of the step under way."""
    number: int = 0
    """Steps that have ended."""
    of: int = 0
    left_s: float | None = None
    pace: Pace[Progress] | None = None
    """The measurement under way."""
    tried: Series | None = None
    """The rates that a search has tried in this step."""
    server: ServerNow | None = None
    """Its CPUs and memory in the measurement under way, if they are known."""
    results: list[Result] = field(default_factory=list)
    """The results so far, in order."""

    def add(self, status: Status, text: str, why: str = "", names: Names = ()) -> None:
        """A step has ended with this result. In little room, `why` and the names are cut."""
        result = Result(with_style(MARKS[status], COLOURS[status]), text, why, names)
        self.results = [*self.results, result][-_MOST_RESULTS:]


def steps_lines(steps: Steps, width: int, height: int) -> list[str]:
    """The whole view, in at most `height` lines."""
    lines = ["", with_style(steps.title, "bold")][0 if height >= 12 else 1 :] if height >= 6 else []
    lines += overview(steps, width)
    pace = steps.pace
    phase = ""
    if pace is not None and pace.now is not None:
        phase = f"  {with_style(_phase(pace, pace.now.phase), 'dim')}"
    now = [*steps.now] or ["preparing"]
    if steps.names:
        taken = max(cells(now[0] + phase), min(_PHASE, (width - LABEL) // 2))
        now[0] = shorten(steps.names, width - LABEL - taken) + now[0]
    lines += [f"{'now' if row == 0 else '':<{LABEL}}{one}" for row, one in enumerate(now)]
    lines[-1] += phase
    room = height - len(lines)
    if pace is not None and pace.now is not None and room >= 2:
        each = 1 if room < 14 else 2
        if steps.tried is not None:
            lines += tried_rates(steps.tried, width, each)
        else:
            lines += charts(pace, width, {"rate": each, "p99": each})
        lines += _beside(steps, pace, room)
        if pace.now.failed:
            lines.append(f"{'errors':<{LABEL}}{with_style(errors(pace.now), 'red')}")
    room = height - len(lines) - 1
    if steps.results and room > 0:
        newest = steps.results[: -room - 1 : -1]
        lines += [
            f"{'' if row else 'verdicts':<{LABEL}}{one.line(width - LABEL)}"
            for row, one in enumerate(newest)
        ]
    return lines


def _phase(pace: Pace[Progress], phase: str) -> str:
    if phase == "connecting":
        return phase
    return f"warming up, {place(pace).rpartition(', ')[2]}" if phase == "warm_up" else place(pace)


def _beside(steps: Steps, pace: Pace[Progress], room: int) -> list[str]:
    """The server beside the load generator, where there is room for both."""
    server = steps.server
    if server is None or pace.now is None or room < 8:
        return []
    used = f"{significant(server.cpus, 2)} CPUs, {size(server.rss_bytes)}"
    words = generator(pace, pace.now)
    return [
        f"{'server':<{LABEL}}{used}",
        *([f"{'generator':<{LABEL}}{words}"] if words else []),
    ]


def overview(steps: Steps, width: int) -> list[str]:
    """The bar over all steps, with the time that is left; nothing before their number is known."""
    if not steps.of:
        return []
    # Not less than the rest of the measurement under way.
    left_s = max(steps.left_s or 0.0, (steps.pace and steps.pace.left_s) or 0.0)
    left = f"about {roughly(left_s)} left" if left_s else ""
    place_of = f"{steps.number} of {steps.of} {steps.noun}"
    if steps.number == steps.of:
        left = ""
    drawn = bar(_share(steps), max(10, min(_BAR, width - len(place_of) - len(left) - 4)))
    return [f"{with_style(drawn, 'cyan')}  {place_of}  {with_style(left, 'dim')}".rstrip()]


def _share(steps: Steps) -> float:
    # A search runs many plans in one step, and nobody knows how many.
    within = steps.pace.done_share if steps.pace is not None and steps.tried is None else 0.0
    return min(1.0, (steps.number + _LOADED * within) / steps.of)
